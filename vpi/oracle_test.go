package vpi_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// rings lists the pixels of the circles, clockwise from the top.
var rings = map[int]string{
	1: "0,-1 1,-1 1,0 1,1 0,1 -1,1 -1,0 -1,-1",
	2: "0,-2 1,-2 2,-1 2,0 2,1 1,2 0,2 -1,2 -2,1 -2,0 -2,-1 -1,-2",
	3: "0,-3 1,-3 2,-2 3,-1 3,0 3,1 2,2 1,3 0,3 -1,3 -2,2 -3,1 -3,0 -3,-1 -2,-2 -1,-3",
}

// ring returns the pixels of a circle.
func ring(radius int) []image.Point {
	var list []image.Point
	for _, text := range strings.Fields(rings[radius]) {
		var p image.Point
		if _, err := fmt.Sscanf(text, "%d,%d", &p.X, &p.Y); err != nil {
			panic(err)
		}
		list = append(list, p)
	}
	return list
}

// kinds are the types of pixels, and their ranges.
var kinds = map[string]struct{ least, largest int }{
	"gray":   {0, math.MaxUint8},
	"int8":   {math.MinInt8, math.MaxInt8},
	"gray16": {0, math.MaxUint16},
	"uint16": {0, math.MaxUint16},
	"int16":  {math.MinInt16, math.MaxInt16},
}

var kindNames = []string{"gray", "int8", "gray16", "uint16", "int16"}

// A picture is an image and its values.
type picture struct {
	bounds image.Rectangle
	values []int // row by row
}

// image returns the picture with pixels of a kind, with a stride of any size.
func (p *picture) image(rng *rand.Rand, kind string) vpi.Image {
	w, h := p.bounds.Dx(), p.bounds.Dy()
	stride := w + rng.IntN(2)*rng.IntN(9)
	n := max(h-1, 0)*stride + w
	switch kind {
	case "gray":
		img := &image.Gray{Pix: make([]byte, n), Stride: stride, Rect: p.bounds}
		fill(img.Pix, stride, p)
		return vpi.Of(img)
	case "int8":
		return plane[int8](n, stride, p)
	case "uint16":
		return plane[uint16](n, stride, p)
	case "int16":
		return plane[int16](n, stride, p)
	}
	// Rows may begin on any byte.
	img := &image.Gray16{Stride: 2*stride + rng.IntN(2), Rect: p.bounds}
	img.Pix = make([]byte, max(h-1, 0)*img.Stride+2*w)
	for i, v := range p.values {
		at := i/w*img.Stride + i%w*2
		img.Pix[at], img.Pix[at+1] = byte(v>>8), byte(v)
	}
	return vpi.Of(img)
}

func plane[T uint8 | int8 | uint16 | int16](n, stride int, p *picture) vpi.Image {
	pix := make([]T, n)
	fill(pix, stride, p)
	return vpi.Plane(pix, stride, p.bounds)
}

// fill sets pixels to the picture's, and those between its rows to something else.
func fill[T uint8 | int8 | uint16 | int16](pix []T, stride int, p *picture) {
	for i := range pix {
		pix[i] = T(i * 7)
	}
	w := p.bounds.Dx()
	for i, v := range p.values {
		pix[i/w*stride+i%w] = T(v)
	}
}

// borders are the modes that the package supports.
var borders = []border.Mode{border.Limited, border.Constant, border.Replicate, border.Reflect, border.Reflect101}

// bounce returns which one of n pixels stands in a place beyond them.
func bounce(mode border.Mode, i, n int) int {
	for i < 0 || i >= n {
		switch {
		case mode == border.Replicate && i < 0, mode == border.Reflect101 && n == 1:
			return 0
		case mode == border.Replicate:
			return n - 1
		case mode == border.Reflect && i < 0:
			i = -1 - i
		case mode == border.Reflect:
			i = 2*n - 1 - i
		case mode == border.Reflect101 && i < 0:
			i = -i
		case mode == border.Reflect101:
			i = 2*n - 2 - i
		}
	}
	return i
}

// at returns the value in a place of the picture, or beyond its edges.
func (p *picture) at(mode border.Mode, at image.Point) int {
	at = at.Sub(p.bounds.Min)
	w, h := p.bounds.Dx(), p.bounds.Dy()
	if !at.In(image.Rect(0, 0, w, h)) {
		if mode == border.Constant {
			return 0
		}
		at = image.Pt(bounce(mode, at.X, w), bounce(mode, at.Y, h))
	}
	return p.values[at.Y*w+at.X]
}

// score returns the largest threshold at which a pixel is a corner, by the definition. It
// is negative where there is none.
func (p *picture) score(opts vpi.Options, circle []image.Point, at image.Point) int {
	var differences []int
	for _, d := range circle {
		differences = append(differences, p.at(opts.Border, at.Add(d))-p.at(opts.Border, at))
	}
	best := math.MinInt
	for start := range circle {
		brighter, darker := math.MaxInt, math.MaxInt
		for i := range opts.ArcLength {
			d := differences[(start+i)%len(circle)]
			brighter, darker = min(brighter, d), min(darker, -d)
		}
		best = max(best, brighter, darker)
	}
	return best
}

// corners returns those of the picture by the definition, for options without zero values
// but those that mean themselves, and how many there are.
func (p *picture) corners(opts vpi.Options) ([]vpi.Corner, int) {
	tested := p.bounds
	if opts.Border == border.Default || opts.Border == border.Limited {
		tested.Min, tested.Max = tested.Min.Add(image.Pt(opts.CircleRadius, opts.CircleRadius)), tested.Max.Sub(image.Pt(opts.CircleRadius, opts.CircleRadius))
	}
	circle := ring(opts.CircleRadius)
	scores := map[image.Point]int{}
	for y := tested.Min.Y; y < tested.Max.Y; y++ {
		for x := tested.Min.X; x < tested.Max.X; x++ {
			v := p.score(opts, circle, image.Pt(x, y))
			if float64(v) >= max(float64(opts.Threshold), 0) {
				scores[image.Pt(x, y)] = v
			}
		}
	}
	var corners []vpi.Corner
	for at, v := range scores {
		stays := true
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				other, ok := scores[at.Add(image.Pt(dx, dy))]
				earlier := dy < 0 || dy == 0 && dx < 0
				if ok && (other > v || other == v && earlier) {
					stays = false
				}
			}
		}
		if stays || opts.NoSuppression {
			corners = append(corners, vpi.Corner{X: int32(at.X), Y: int32(at.Y), Score: uint16(v)})
		}
	}
	slices.SortFunc(corners, func(a, b vpi.Corner) int {
		switch {
		case opts.Strongest && a.Score != b.Score:
			return int(b.Score) - int(a.Score)
		case a.Y != b.Y:
			return int(a.Y) - int(b.Y)
		}
		return int(a.X) - int(b.X)
	})
	total := len(corners)
	if opts.MaxCorners > 0 {
		corners = corners[:min(opts.MaxCorners, total)]
	}
	return corners, total
}

// newPicture returns a picture of values of a kind, of few that differ by a multiple of a
// step, or of any.
func newPicture(rng *rand.Rand, kind string, w, h, step int) *picture {
	least, largest := kinds[kind].least, kinds[kind].largest
	at := image.Pt(rng.IntN(20)-10, rng.IntN(20)-10)
	p := &picture{bounds: image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}}
	levels := 2 + rng.IntN(3)
	base := least + rng.IntN(largest-least)
	content := rng.IntN(4)
	for range w * h {
		v := least + rng.IntN(largest-least+1)
		switch content {
		case 0:
			v = max(least, min(base+step*rng.IntN(levels)+rng.IntN(2), largest))
		case 1: // dark and bright spots
			v = base
			if rng.IntN(4) == 0 {
				v = []int{least, largest}[rng.IntN(2)]
			}
		case 2: // the largest differences
			v = []int{least, largest}[min(rng.IntN(5), 1)]
		}
		p.values = append(p.values, v)
	}
	return p
}

// requireEqual compares what is found in a picture, with every instruction set, with the
// oracle's. It returns how many corners there are.
func requireEqual(t *testing.T, rng *rand.Rand, opts vpi.Options, p *picture, kind string) int {
	t.Helper()
	mark := vpi.Corner{X: 7}
	corners, total := p.corners(opts)
	opts.Threshold = threshold(opts.Threshold)
	img := p.image(rng, kind)
	for _, set := range cpu.InstructionSets("vpi") {
		restore := cpu.Limit(set.Set)
		got, gotTotal := detector(t, opts).AppendImage([]vpi.Corner{mark}, img)
		restore()
		imagetest.RequireSame(t, append([]vpi.Corner{mark}, corners...), got, "%s, %+v of %v, %s", set.Name, opts, p.bounds, kind)
		require.Equal(t, total, gotTotal)
	}
	return total
}

// newOptions returns options for a circle without zero values but those that mean
// themselves.
func newOptions(rng *rand.Rand, radius, arc int) vpi.Options {
	return vpi.Options{
		CircleRadius:  radius,
		ArcLength:     arc,
		Border:        borders[rng.IntN(len(borders))],
		NoSuppression: rng.IntN(2) == 0,
		MaxCorners:    max(rng.IntN(40)-20, 0),
		Strongest:     rng.IntN(4) == 0,
	}
}

// thresholds returns thresholds for a kind of pixels: the least ones, one in the middle,
// and the largest difference, each with what is next to it.
func thresholds(rng *rand.Rand, kind string) []float32 {
	largest := float32(kinds[kind].largest - kinds[kind].least)
	middle := float32(int(rng.Float32() * largest / 3))
	return []float32{0, 0.25, 1, 1.5, 10, middle, middle + 0.5, largest - 0.5, largest, largest + 0.5, math.MaxFloat32}
}

// TestOracle compares corners with the oracle's, for all circles, arcs, borders and types
// of pixels.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for radius := 1; radius <= 3; radius++ {
		for arc := 1; arc <= len(ring(radius)); arc++ {
			for _, mode := range borders {
				for _, kind := range kindNames {
					for i, threshold := range thresholds(rng, kind) {
						if testing.Short() && rng.IntN(8) > 0 {
							continue
						}
						opts := newOptions(rng, radius, arc)
						opts.Border, opts.Threshold = mode, threshold
						w, h := rng.IntN(14), rng.IntN(12)
						if i == 0 {
							w = rng.IntN(90)
						}
						p := newPicture(rng, kind, w, h, int(min(threshold, 30_000)))
						found += requireEqual(t, rng, opts, p, kind)
					}
				}
			}
		}
	}
	require.Greater(t, found, 10_000)
}

// TestWide does so for rows that are worked in several pieces.
func TestWide(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	found := 0
	for range rounds {
		radius := 1 + rng.IntN(3)
		kind := kindNames[rng.IntN(len(kindNames))]
		opts := newOptions(rng, radius, []int{0, 5, 7, 9}[radius]+rng.IntN(2))
		opts.Threshold = thresholds(rng, kind)[2+rng.IntN(6)]
		p := newPicture(rng, kind, 100+rng.IntN(500), 3+rng.IntN(8), int(opts.Threshold))
		found += requireEqual(t, rng, opts, p, kind)
	}
	require.Greater(t, found, 30*rounds)
}

// FuzzDetect compares corners of any image and options with the oracle's.
func FuzzDetect(f *testing.F) {
	f.Add([]byte("\x00\x80\xff\x07\x70\x00\x33\x10\x99\x50\x00\xff\xf0\x00\x00\x00\x80\xff\x07\x70\x00\x33\x10\x99\x50"), uint8(5), uint8(2), float32(20), uint64(1))
	f.Add([]byte("forty-nine bytes are enough for a circle of radius"), uint8(7), uint8(11), float32(-1), uint64(2))
	f.Add([]byte{0, 0, 0, 255, 0, 0, 0, 0}, uint8(3), uint8(30), float32(254.5), uint64(3))
	f.Fuzz(func(t *testing.T, pix []byte, width, arc uint8, threshold float32, seed uint64) {
		if t := float64(threshold); math.IsNaN(t) || math.IsInf(t, 0) {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		kind := kindNames[rng.IntN(len(kindNames))]
		w := max(int(width), 1)
		p := &picture{bounds: image.Rect(0, 0, w, min(len(pix)/w, 20))}
		least, largest := kinds[kind].least, kinds[kind].largest
		scale := 1 + rng.IntN((largest-least)/255)
		for _, b := range pix[:w*p.bounds.Dy()] {
			p.values = append(p.values, least+scale*int(b))
		}
		radius := 1 + int(arc%3)
		opts := newOptions(rng, radius, 1+int(arc/3)%len(ring(radius)))
		opts.Threshold = max(threshold, 0)
		requireEqual(t, rng, opts, p, kind)
	})
}
