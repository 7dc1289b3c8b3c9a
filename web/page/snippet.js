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

// The names of families in package tag.
const kinds = {
  "tag36h11": "Tag36h11", "tag25h9": "Tag25h9", "tag16h5": "Tag16h5", "standard41h12": "Standard41h12",
  "aruco4x4": "ArUco4x4", "aruco5x5": "ArUco5x5", "aruco6x6": "ArUco6x6", "aruco7x7": "ArUco7x7",
  "aruco-mip36h12": "ArUcoMIP36h12", "aruco-original": "ArUcoOriginal",
};

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

  markers({family}) {
    const [kind, codes] = family.split(":");
    return {
      imports: ["tag"],
      main: made("detector", "tag", [
        ["Families", `[]tag.Family{{Kind: tag.${kinds[kind]}${codes ? `, Codes: ${codes}` : ""}}}`],
      ]) + `	for _, t := range detector.Detect(load(os.Args[1])) {
		fmt.Print(t.ID)
		for _, c := range t.Corners {
			fmt.Print(" ", c.X, " ", c.Y)
		}
		fmt.Println()
	}
`,
    };
  },

  calibrate({lens}) {
    const field = {wide: "Distortion: 8", fisheye: "Model: camera.KannalaBrandt"}[lens] ?? "";
    return {
      imports: ["calibrate", "camera"],
      main: `	finder, err := calibrate.NewFinder(calibrate.FinderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	calibrator, err := calibrate.New(calibrate.Options{${field}})
	if err != nil {
		log.Fatal(err)
	}
	var size image.Point
	var views []calibrate.View
	for _, name := range os.Args[1:] {
		img := load(name)
		size = img.Rect.Size()
		board, err := finder.FindOne(img)
		if err != nil {
			log.Fatal(err)
		}
		views = append(views, board.View(1))
	}
	found, err := calibrator.Calibrate(size, views)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, len(views), "views, an error of", found.RMS, "pixels")
	info := camera.Info{Camera: found.Camera, Width: size.X, Height: size.Y}
	if err := info.WriteOpenCV(os.Stdout); err != nil {
		log.Fatal(err)
	}
`,
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
