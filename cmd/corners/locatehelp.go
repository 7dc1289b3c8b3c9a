package main

import (
	"io"

	"github.com/fastcorners/fast/internal/program/cli"
)

const locateIntro = `Usage: corners find [flags] PICTURE SCENE...

Corners find finds a small picture, such as that of a button, in the images SCENE,
by template matching: the place that it matches best, or with -all, all good ones.
The picture must have the same size and orientation as in the scene. A SCENE is a
file or a directory, as for corners.

  correlation  does not change with brightness and contrast
  cosine       does not change with exposure, a factor for all pixels
  difference   1 minus the mean squared difference, where 255 is 1: for pictures of
               the same brightness, including pictures of one color

A place that equals the picture scores 1. Gray values are compared, or with -color
red, green and blue, which takes about three times as long. With -mask alpha, only
pixels of the picture that are at least half opaque count; without it, transparent
pixels count, too.

Flags, before or after the files:
`

const locateRest = `
The report:

  table  a line for each place, or one with - for a scene without any: the name of
         the scene, its size, the upper left pixel of the place, and the score
  csv    a header and then a line for each place:
         image,x,y,width,height,score,dx,dy
  json   an array with an object for each scene: image, width, height, roi and
         picture (when there is one), template (PICTURE), the flags measure,
         min_score, all, overlap, max_matches, color, and matches, an array of
         objects with the other columns of csv

The best place comes first. Coordinates are relative to the whole scene, even with
-roi; width and height are the size of the picture. The peak of the score is dx to
the right of x,y and dy below it, up to half a pixel.

The picture scene-found.png has rectangles around the places. A scene smaller than
the picture has no place. What corners -method fast -h says about images, memory and
pictures applies here, too.

As with grep, the exit status is 0 if there is a place in any scene, 1 if there is
none, and 2 if anything failed or the command line is wrong. It is 130 after an
interruption.

Examples:

  corners find button.png screen.png
  corners find icon.png screen.png -mask alpha -color -all -min-score 0.9
  if corners find ok.png screen.png -format csv >place.csv; then echo seen; fi

To name a file find, write ./find.
`

// printLocateHelp writes what corners find -h says.
func printLocateHelp(w io.Writer) {
	printAll(w, locateIntro, cli.New(new(config).defineSearch, new(templateMethod).define), locateRest)
}
