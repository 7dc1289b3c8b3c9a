package main

import (
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/internal/program/frames"
)

// warpRounds is how many rounds the races of package warp take.
const warpRounds = 11

// warpSizes are the sizes of images that are warped.
var warpSizes = []peers.Size{{W: 640, H: 480, Frames: 4}, {W: 1920, H: 1080, Frames: 2}}

// compareWarp compares package warp with OpenCV and golang.org/x/image/draw.
func compareWarp(s *session, p *peers.Peers) (map[string][]byte, error) {
	cases := peers.WarpCases()
	if s.quick {
		cases = cases[:1]
	}
	c := &comparison{
		name:        "warp",
		title:       "Package warp, OpenCV and golang.org/x/image/draw side by side",
		work:        perPixel,
		inputColumn: "frames",
		partColumn:  "transform",
		chartTitle:  "Images warped by a rotation of 2°, with bilinear interpolation",
		chartNote:   "Different frames of photos in one process, taking turns, one thread each. The results of package warp and OpenCV are the same.",
	}
	for _, w := range cases {
		c.parts = append(c.parts, part{heading: w.About, value: w.Name})
	}
	var specs []spec
	steps := 0
	for _, size := range warpSizes {
		short := s.shorten(spec{size.W, size.H, size.Frames, warpRounds})
		specs = append(specs, short)
		steps += len(cases) * short.steps()
		c.inputs = append(c.inputs, input{short.String(), short.String()})
	}
	s.steps(steps)
	for _, spec := range specs {
		list := s.frames(spec)
		inputs := peers.MakeWarpInputs(list)
		for i := range cases {
			times, ghz := compare(s, cases[i].Tests(p, spec.W, spec.H), inputs, frames.Pixels(list), spec.Rounds)
			c.parts[i].times = append(c.parts[i].times, times)
			c.clocks = append(c.clocks, ghz)
		}
	}
	c.about = aboutComparison("Nanoseconds per pixel of the destination, which has the size of the source", peers.WarpPackages,
		"The border is a constant, and the destination is in memory that was written before. Pixels outside of the source count, too, which both make faster.")
	return s.files(c)
}
