package main

import (
	"slices"

	"github.com/fastcorners/fast/evaluation/peers"
)

// resizeFrames is how many frames are resized, and resizeRounds how many rounds that takes. In a round
// they are resized several times, since some contenders take a hundredth of the time of others, which
// leave other memory in the caches.
const resizeFrames, resizeRounds, resizePasses = 2, 11, 4

// compareResize compares the Resizer of package warp with OpenCV and golang.org/x/image/draw.
func compareResize(s *session, p *peers.Peers) (map[string][]byte, error) {
	cases := peers.ResizeCases()
	rounds := resizeRounds
	if s.quick {
		cases, rounds = cases[:2], 2
		for i := range cases {
			cases[i].From, cases[i].To = cases[i].From.Div(6), cases[i].To.Div(6)
		}
	}
	c := &comparison{
		name:        "resize",
		title:       "Resizer of package warp, OpenCV and golang.org/x/image/draw side by side",
		work:        perPixel,
		inputs:      []input{{"photos", "ns"}},
		inputColumn: "frames",
		partColumn:  "case",
		chartTitle:  "Images resized with Area, " + cases[0].About[len("Area, "):],
		chartNote:   "Different frames of photos in one process, taking turns, one thread each. The results of package warp and OpenCV are the same.",
	}
	s.steps(len(cases) * (rounds + 1))
	for _, k := range cases {
		list := s.frames(spec{k.From.X, k.From.Y, resizeFrames, rounds})
		inputs := slices.Repeat(peers.MakeWarpInputs(list), resizePasses)
		times, ghz := compare(s, k.Tests(p), inputs, len(inputs)*k.To.X*k.To.Y, rounds)
		c.parts = append(c.parts, part{heading: k.About, value: k.Name, times: [][]peers.Time{times}})
		c.clocks = append(c.clocks, ghz)
	}
	c.about = aboutComparison("Nanoseconds per pixel of the destination", peers.WarpPackages,
		"The destination is in memory that was written before, and the tables of a Resizer, which it keeps while sizes stay, are there. The scalers of golang.org/x/image/draw make other "+
			"pixels: BiLinear weighs more pixels than Area, and ApproxBiLinear rounds otherwise than Linear.")
	return s.files(c)
}
