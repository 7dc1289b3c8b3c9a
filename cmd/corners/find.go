package main

import (
	"errors"
	"fmt"
	"image"
	"io"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/locate"
)

const findIntro = `Usage: corners find [flags] PICTURE SCENE...

Corners find finds a small picture, such as that of a button, in the images
SCENE, by template matching: the place that it matches best, or with -all, all
good ones. The picture must have the same size and orientation as in the
scene. A SCENE is a file or a directory, as for corners.

  correlation  does not change with brightness and contrast
  cosine       does not change with exposure, a factor for all pixels
  difference   1 minus the mean squared difference, where 255 is 1: for
               pictures of the same brightness, including pictures of one
               color

A place that equals the picture scores 1. Gray values are compared, or with
-color red, green and blue, which takes about three times as long. With -mask
alpha, only pixels of the picture that are at least half opaque count; without
it, transparent pixels count, too.

Flags, before or after the files:
`

const findRest = `
The report:

  table  a line for each place, or one with - for a scene without any: the
         name of the scene, its size, the upper left pixel of the place, and
         the score
  csv    a header and then a line for each place:
         image,x,y,width,height,score,dx,dy
  json   an array with an object for each scene: image, width, height, roi and
         picture (when there is one), template (PICTURE), the flags measure,
         min_score, all, overlap, max_matches, color, and matches, an array of
         objects with the other columns of csv

The best place comes first. Coordinates are relative to the whole scene, even
with -roi; width and height are the size of the picture. The peak of the score
is dx to the right of x,y and dy below it, up to half a pixel.

The picture scene-found.png has rectangles around the places. A scene smaller
than the picture has no place. What corners -method fast -h says about images,
memory and pictures applies here, too.

As with grep, the exit status is 0 if there is a place in any scene, 1 if
there is none, and 2 if anything failed or the command line is wrong. It is
130 after an interruption.

Examples:

  corners find button.png screen.png
  corners find icon.png screen.png -mask alpha -color -all -min-score 0.9
  if corners find ok.png screen.png -format csv >place.csv; then echo seen; fi

To name a file find, write ./find.
`

// printFindHelp writes what corners find -h says.
func printFindHelp(w io.Writer) {
	printAll(w, findIntro, cli.New(new(searchConfig).defineSearch, new(templateMethod).Define), findRest)
}

// The exit statuses of corners find, which are those of grep.
const (
	statusNotFound    = 1 // nothing failed
	statusNotSearched = 2 // anything failed
)

// runFind finds a template in images.
func runFind(p *program, args []string) error {
	p.console.FailWith(statusNotSearched)
	cfg, m, err := parseFind(args, p.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	p.begin(cfg.reporting)
	p.console.Say("reading %s", report.Printable(cfg.Name))
	if cfg.others, err = loadTemplate(p, cfg.Name, m); err != nil {
		return err
	}
	if err := searchAll(p, cfg); err != nil {
		return err
	}
	if !m.found.Load() {
		p.console.Exit(statusNotFound)
	}
	return nil
}

// parseFind reads the command line of corners find as parseDetect does that of corners.
func parseFind(args []string, stdout io.Writer) (searchConfig, *templateMethod, error) {
	m := new(templateMethod)
	cfg := searchConfig{Info: templateInfo, method: m, searcher: "corners find", subject: "template", shows: "found", untimed: true}
	cfg.flags = cli.New(cfg.defineSearch, m.Define)
	names, err := cfg.output.parse(cfg.flags, args, stdout, printFindHelp)
	if err != nil {
		return searchConfig{}, nil, err
	}
	for _, name := range []string{"overlap", "matches"} {
		if cfg.flags.IsGiven(name) && !m.all {
			return searchConfig{}, nil, fmt.Errorf("flag -%s needs flag -all", name)
		}
	}
	if n := len(names); n < 2 {
		return searchConfig{}, nil, fmt.Errorf("corners find needs a picture and one scene or more, not %s", report.Count(n, "image", "images"))
	}
	cfg.Name, cfg.args = names[0], names[1:]
	if m.color {
		cfg.inColor = m.findInColor
	}
	return cfg, m, m.Prepare(cfg.workers)
}

// loadTemplate makes the template of a method from an image. It returns the images that it reads.
func loadTemplate(p *program, name string, m *templateMethod) (read []files.Input, err error) {
	r := p.reader
	in, err := r.Input(name)
	if err != nil {
		return nil, err
	}
	read = append(read, in)
	bytes := int64(templateBytes)
	if m.color {
		bytes *= 3
	}
	note := ""
	img, err := r.Load(in, files.Purpose{
		Draw: true, Bytes: bytes,
		Fits: func(size image.Point) error { return limits.Template.Check("a template", size) },
		Note: func(text string) { note = text },
	})
	if err != nil {
		return nil, err
	}
	m.size = img.Size()
	r.Reserve(cli.Memory(m.size, bytes)) // for as long as the session lasts
	var pixels *image.Gray
	switch m.mask {
	case "":
	case maskAlpha:
		pixels = locate.AlphaMask(img.Upright())
	default:
		file, err := r.Mask(m.mask)
		if err != nil {
			return nil, err
		}
		pixels, read = file.Gray, append(read, file.Input)
	}
	if m.color {
		m.template, err = locate.NewColorTemplate(img.Canvas(), pixels)
	} else {
		m.template, err = locate.NewTemplate(img.Gray(), pixels)
	}
	if err != nil {
		_, text, _ := strings.Cut(err.Error(), ": ") // without the package
		return nil, report.Named(name, errors.New(text))
	}
	if note != "" && m.mask != maskAlpha {
		p.console.Note(name, "%s", note)
	}
	if m.template.Flat() && m.opts.Similarity == locate.Correlation {
		return nil, report.Named(name, errors.New("all its pixels are equal, which correlates with nothing; use -measure difference"))
	}
	return read, nil
}
