// Writes a program in Go that finds what the page finds.

// snippet returns the program for options, which are those of the worker.
export function snippet(options) {
  const {imports, main} = (writers[options.method] ?? harris)(options);
  const paths = ["fast", ...imports].map((name) => `\t"github.com/fastcorners/fast${name === "fast" ? "" : `/${name}`}"\n`).join("");
  return `package main

import (
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"log"
	"os"

${paths})

func main() {
${main}}

func load(name string) *image.Gray {
	file, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	img, _, err := image.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	return fast.Gray(img)
}
`;
}

// made returns code that makes a variable by New of a package, with fields of its Options and, of a
// generic one, its type.
function made(variable, name, fields, type = "") {
  const longest = Math.max(...fields.map(([field]) => field.length));
  const lines = fields.map(([field, value]) => `\t\t${`${field}:`.padEnd(longest + 1)} ${value},\n`).join("");
  return `\t${variable}, err := ${name}.New${type}(${name}.Options{
${lines}\t})
	if err != nil {
		log.Fatal(err)
	}
`;
}

// printed returns code that prints the fields of all elements of a list.
function printed(list, fields) {
  return `\tfor _, c := range ${list} {
		fmt.Println(${fields.map((field) => `c.${field}`).join(", ")})
	}
`;
}

// some leaves out fields that are not asked for.
const some = (...fields) => fields.filter(([, value]) => value !== false && value !== 0);

function harris({method, number, quality, distance, block}) {
  return {
    imports: ["harris"],
    main: made("detector", "harris", some(
      ["Measure", method === "harris" ? "harris.Harris" : "harris.MinEigenvalue"],
      ["BlockSize", block],
      ["Quality", quality],
      ["MinDistance", distance],
      ["MaxCorners", number],
    )) + "\tcorners := detector.Detect(load(os.Args[1]), nil)\n" + printed("corners", ["X", "Y", "Response"]),
  };
}

function extractor({features, threshold, levels, spread}) {
  return made("extractor", "orb", some(
    ["Features", features],
    ["FASTThreshold", threshold],
    ["Levels", levels],
    ["Spread", spread],
  ));
}

const writers = {
  fast({threshold, arc, suppression, spread, number}) {
    const selection = number === 0 ? "" :
      `\tcorners = fast.${spread ? `Spread(corners, img.Rect, ${number})` : `Strongest(corners, ${number})`}\n`;
    return {
      imports: [],
      main: made("detector", "fast", some(
        ["Threshold", threshold],
        ["ArcLength", arc],
        ["Score", true],
        ["NonmaxSuppression", suppression],
      )) + "\timg := load(os.Args[1])\n\tcorners := detector.Detect(img)\n" + selection + printed("corners", ["X", "Y", "Score"]),
    };
  },

  lococo({kernel, quality, radius, number}) {
    return {
      imports: ["lococo"],
      main: made("detector", "lococo", some(
        ["KernelSizes", `[]int{${kernel}}`],
        ["Quality", quality],
        ["SuppressionRadius", radius],
        ["MaxCorners", number],
      )) + "\tcorners := detector.Detect(load(os.Args[1]), nil)\n" + printed("corners", ["X", "Y", "Response"]),
    };
  },

  vpi({circle, run, threshold, suppression, border, number}) {
    return {
      imports: ["border", "vpi"],
      main: made("detector", "vpi", some(
        ["CircleRadius", circle],
        ["ArcLength", run],
        ["Threshold", threshold],
        ["NoSuppression", !suppression],
        ["Border", `border.${border[0].toUpperCase()}${border.slice(1)}`],
        ["MaxCorners", number],
        ["Strongest", number > 0],
      )) + "\tcorners := detector.Detect(load(os.Args[1]))\n" + printed("corners", ["X", "Y", "Score"]),
    };
  },

  keypoints(options) {
    return {
      imports: ["orb"],
      main: extractor(options) + "\tkeypoints, descriptors := extractor.Extract(load(os.Args[1]), nil)\n" +
        "\tfor i, k := range keypoints {\n\t\tfmt.Printf(\"%v %v %v %v %x\\n\", k.X, k.Y, k.Size, k.Angle, descriptors[i])\n\t}\n",
    };
  },

  matches(options) {
    const {crossCheck, ratio, maxDistance} = options;
    return {
      imports: ["match", "orb"],
      main: extractor(options) + made("matcher", "match", some(
        ["CrossCheck", crossCheck],
        ["Ratio", ratio],
        ["MaxDistance", maxDistance],
      ), "[match.Descriptor]") + `	first, query := extractor.Extract(load(os.Args[1]), nil)
	second, train := extractor.Extract(load(os.Args[2]), nil)
	for _, m := range matcher.Match(query, train) {
		a, b := first[m.Query], second[m.Train]
		fmt.Println(a.X, a.Y, b.X, b.Y, m.Distance)
	}
`,
    };
  },
};
