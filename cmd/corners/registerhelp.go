package main

import (
	"io"

	"github.com/fastcorners/fast/internal/program/cli"
)

const registerIntro = `Usage: corners register [-method NAME] [flags] A B

Corners register moves image B onto image A, so that both show the same things at
the same places. It matches keypoints (-method) as corners match does, and finds the
transform (-model) that most matches agree with.

Flags, before or after the images:
`

const registerRest = `
The report has the format of corners match -model. It is an error if there is no
transform; then nothing is drawn.

The picture A-B-registered.png has the size of A. It shows half of each image, or
with -show side A and beside it B, or B alone with -show moved. Where B does not
reach, it is black, or A in the blend.

Examples:

  corners register before.jpg after.jpg
  corners register -model affine -show side scan1.png scan2.png -o scans.png
  corners register -method sift near.jpg far.jpg

To name a file register, write ./register.
`

// printRegisterHelp writes what corners register -h says.
func printRegisterHelp(w io.Writer, m methodInfo) {
	cfg := matchConfig{methodInfo: m}
	printPairHelp(w, m, registerIntro, cli.New(cfg.define, new(registerFlags).define), registerRest)
}
