package fast_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

var long = flag.Bool("long", false, "test many more sizes and contents")

// quick reports whether to test less: in the short mode, and with the race
// detector, which slows the oracle down and learns nothing from more pixels.
func quick() bool { return testing.Short() || imagetest.RaceEnabled() }

// photo returns a photo of testdata by its name.
func photo(name string) *image.Gray {
	data, err := os.ReadFile(filepath.Join("testdata", "photos", name+".png"))
	if err != nil {
		panic(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	return img.(*image.Gray)
}

// isBlock reports whether k has the name of a block kernel, which finds FAST-10
// corners only. The others are sieves.
func isBlock(k fast.Kernel) bool { return blockName.MatchString(k.String()) }

var blockName = regexp.MustCompile(`-\d+x\d+$`)

// variants returns Options for each arc length and each kernel that serves it
// on this processor.
func variants() []fast.Options {
	var list []fast.Options
	for arc := 9; arc <= 12; arc++ {
		for _, k := range fast.Kernels() {
			if arc == 10 || !isBlock(k) {
				list = append(list, fast.Options{Kernel: k, ArcLength: arc})
			}
		}
	}
	return list
}

// modes are the ways to ask for scores.
var modes = []fast.Options{{}, {Score: true}, {NonmaxSuppression: true}, {Score: true, NonmaxSuppression: true}, {NonmaxSuppression: true, FirstOfEqual: true}}

// in returns the options v with the threshold and the mode of scores.
func in(v, mode fast.Options, threshold uint8) fast.Options {
	v.Threshold, v.Score = threshold, mode.Score
	v.NonmaxSuppression, v.FirstOfEqual = mode.NonmaxSuppression, mode.FirstOfEqual
	return v
}

// detector returns the Detector for opts.
func detector(t testing.TB, opts fast.Options) *fast.Detector {
	t.Helper()
	d, err := fast.New(opts)
	require.NoError(t, err)
	return d
}

// requireDetects fails the test unless every kernel and arc length finds the
// corners of the oracle in img, which shows the part img.Rect of c.
func requireDetects(t *testing.T, c *canvas, img *image.Gray, mode fast.Options, threshold uint8) {
	t.Helper()
	var want []fast.Corner
	var wantArc int
	for _, opts := range variants() {
		opts = in(opts, mode, threshold)
		opts.Workers = mode.Workers
		if opts.ArcLength != wantArc {
			want, wantArc = c.want(img.Rect, opts), opts.ArcLength
		}
		d := detector(t, opts)
		requireCorners(t, want, d.Detect(img), "%s, bounds %v, stride %d, %+v", c.name, img.Rect, img.Stride, opts)
		if opts.Workers > 1 {
			// Most images are too small for workers of their own accord.
			got := d.DetectInParts(img, opts.Workers, 3*opts.Workers)
			requireCorners(t, want, got, "parts of %s, bounds %v, stride %d, %+v", c.name, img.Rect, img.Stride, opts)
		}
	}
}

var testThresholds = []uint8{0, 1, 25, 254, 255}

// TestAppend checks what becomes of the memory of dst. It comes before the tests
// that let kernels write next to anything else.
func TestAppend(t *testing.T) {
	requireAppends(t, newCanvas(contents[0], image.Rect(0, 0, 150, 40)))
	// A few corners, which are fewer than a vector of them.
	step := 1
	if quick() {
		step = 3
	}
	for n := 1; n <= 37; n += step {
		c := &canvas{name: "a few dots", img: image.NewGray(image.Rect(0, 0, 120, 40))}
		for i := range n {
			c.img.Pix[c.img.PixOffset(5+i%11*10, 5+i/11*10)] = 100
		}
		requireAppends(t, c)
	}
}

// requireAppends checks what detection in c, in all modes, makes of dst.
func requireAppends(t *testing.T, c *canvas) {
	t.Helper()
	mark := fast.Corner{X: -1, Y: -2, Score: 7}
	const before, after = 3, 100
	for _, opts := range variants() {
		for _, mode := range modes {
			opts := in(opts, mode, 5)
			want := append(slices.Repeat([]fast.Corner{mark}, before), c.want(c.img.Rect, opts)...)

			// The corners that suppression drops take room, too.
			found := opts
			found.NonmaxSuppression = false
			room := before + len(c.want(c.img.Rect, found))

			buf := slices.Repeat([]fast.Corner{mark}, room+after)
			got := detector(t, opts).Append(buf[:before], c.img)
			requireCorners(t, want, got, "%+v", opts)
			require.Same(t, &buf[0], &got[0], "%+v: dst had room", opts)
			requireCorners(t, slices.Repeat([]fast.Corner{mark}, after), buf[room:], "beyond the result, %+v", opts)

			buf = slices.Repeat([]fast.Corner{mark}, room)
			got = detector(t, opts).Append(buf[:before:room], c.img)
			requireCorners(t, want, got, "%+v", opts)
			require.Same(t, &buf[0], &got[0], "%+v: dst had just the room", opts)

			buf = slices.Repeat([]fast.Corner{mark}, room)
			got = detector(t, opts).Append(buf[:before:room-1], c.img)
			requireCorners(t, want, got, "%+v", opts)
			require.Equal(t, mark, buf[room-1], "%+v: beyond the capacity", opts)
		}
	}
}

// TestSizes compares the kernels with the oracle at all sizes around those of
// vectors and blocks.
func TestSizes(t *testing.T) {
	widths := []int{255, 256, 257, 258, 511, 512, 513, 639, 640, 641, 1000, 1023, 1024, 1025, 1029, 1030, 1031}
	for w := range 201 {
		widths = append(widths, w)
	}
	// A half for each of two cores, with canvases of its own.
	halves := 1
	if *long {
		halves = 2
	}
	for half := range halves {
		t.Run(fmt.Sprintf("part=%d-of-%d", half+1, halves), func(t *testing.T) {
			t.Parallel()
			testSizes(t, widths[half*len(widths)/halves:(half+1)*len(widths)/halves])
		})
	}
}

func testSizes(t *testing.T, widths []int) {
	t.Helper()
	list := canvases()
	rng := rand.New(rand.NewPCG(4, 5))
	for _, w := range widths {
		for h := range 27 {
			if h > 0 && h < 6 || quick() && (w+h)%6 != 0 {
				continue
			}
			testPart(t, rng, list[rng.IntN(len(list))], w, h, testThresholds[rng.IntN(len(testThresholds))])
			if *long {
				for _, c := range list {
					for _, threshold := range testThresholds {
						testPart(t, rng, c, w, h, threshold)
					}
				}
			}
		}
	}
}

// testPart compares the kernels with the oracle on a part of c somewhere, once
// as SubImage and once as a copy with another stride and alignment.
func testPart(t *testing.T, rng *rand.Rand, c *canvas, w, h int, threshold uint8) {
	t.Helper()
	room := c.img.Rect.Size().Sub(image.Pt(w, h))
	at := c.img.Rect.Min.Add(image.Pt(rng.IntN(room.X+1), rng.IntN(room.Y+1)))
	r := image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
	mode := modes[rng.IntN(len(modes))]
	mode.Workers = rng.IntN(5) - 1
	if rng.IntN(2) == 0 {
		requireDetects(t, c, c.img.SubImage(r).(*image.Gray), mode, threshold)
		return
	}
	slack := max(0, rng.IntN(128)-32) // often none
	requireDetects(t, c, c.part(r, w+slack, rng.IntN(64)), mode, threshold)
}

// TestContents compares the kernels with the oracle on whole canvases.
func TestContents(t *testing.T) {
	thresholds := append([]uint8{10, 24, 26, 50, 127, 128}, testThresholds...)
	if quick() {
		thresholds = thresholds[:2]
	}
	for i, c := range canvases() {
		for j, threshold := range thresholds {
			if *long {
				for _, mode := range modes {
					requireDetects(t, c, c.img, mode, threshold)
				}
				continue
			}
			requireDetects(t, c, c.img, modes[(i+j)%len(modes)], threshold)
		}
	}
}

// TestAlignments compares the kernels with the oracle at all alignments of the
// first pixel and of the rows.
func TestAlignments(t *testing.T) {
	c := newCanvas(contents[0], canvasRect)
	r := image.Rect(3, 1, 3+137, 1+19)
	for offset := range 64 {
		requireDetects(t, c, c.part(r, r.Dx()+offset*5%64, offset), modes[0], 1)
	}
}

// TestRings compares the kernels with the oracle on sets of bright and of dark
// ring pixels; the long test takes all there are.
func TestRings(t *testing.T) {
	const tile, perRow = 7, 128
	sets := 1 << 14
	switch {
	case *long:
		sets = 1 << 16
	case quick():
		sets = 1 << 10
	}
	for _, light := range []byte{100 - 31, 100 + 31} {
		img := image.NewGray(image.Rect(0, 0, perRow*tile, sets/perRow*tile))
		for i := range img.Pix {
			img.Pix[i] = 100
		}
		for set := range sets {
			center := image.Pt(set%perRow*tile+3, set/perRow*tile+3)
			for n, d := range circle {
				// A multiplication by an odd number permutes the sets, so
				// that those of the shorter tests differ in all places.
				if set*40503>>n&1 == 1 {
					img.Pix[img.PixOffset(center.X+d.X, center.Y+d.Y)] = light
				}
			}
		}
		c := &canvas{name: fmt.Sprintf("rings of %d", light), img: img}
		requireDetects(t, c, img, modes[1], 30)
		requireDetects(t, c, img, modes[0], 31)
	}
}

// TestBoundaries compares the kernels with the oracle on rings whose pixels lie at
// the threshold, one beyond it, and at both ends of the range, for each threshold:
// arcs of nearly the length that is asked for, bright and dark.
func TestBoundaries(t *testing.T) {
	const tile, columns, rows = 7, 64, 3
	rng := rand.New(rand.NewPCG(24, 25))
	step := 1
	if quick() {
		step = 17
	}
	for threshold := 0; threshold < 255; threshold += step {
		img := image.NewGray(image.Rect(0, 0, columns*tile, rows*tile))
		for i := range columns * rows {
			center := image.Pt(i%columns*tile+3, i/columns*tile+3)
			c := []int{0, 255, threshold, 255 - threshold, threshold + 1, 254 - threshold, rng.IntN(256)}[rng.IntN(7)]
			img.SetGray(center.X, center.Y, color.Gray{Y: uint8(c)})
			sign := 1 - 2*rng.IntN(2)
			beyond := []int{c + sign*(threshold+1), c + sign*255}
			others := []int{c + sign*threshold, c, c - sign*threshold, c - sign*(threshold+1), c - sign*255}
			start, length := rng.IntN(16), 8+rng.IntN(6)
			for n, d := range circle {
				values := others
				if (n-start+16)%16 < length {
					values = beyond
				}
				v := max(0, min(values[rng.IntN(len(values))], 255))
				img.SetGray(center.X+d.X, center.Y+d.Y, color.Gray{Y: uint8(v)})
			}
		}
		c := &canvas{name: "boundaries", img: img}
		requireDetects(t, c, img, modes[threshold/step%3], uint8(threshold))
	}
}

// TestLarge compares the kernels with the oracle on images that are wider or
// higher than 16 bits count.
func TestLarge(t *testing.T) {
	sizes := []image.Point{{X: 70001, Y: 9}, {X: 9, Y: 70001}, {X: 16390, Y: 16}, {X: 2120, Y: 30}, {X: 4423, Y: 15}}
	if quick() {
		sizes = []image.Point{{X: 65560, Y: 7}, {X: 7, Y: 65560}, {X: 16390, Y: 9}}
	}
	for _, size := range sizes {
		min := image.Pt(-5, 1000)
		c := newCanvas(contents[0], image.Rectangle{Min: min, Max: min.Add(size)})
		requireDetects(t, c, c.img, modes[1], 3)
		requireDetects(t, c, c.img, fast.Options{NonmaxSuppression: true, Workers: 3}, 20)
	}
}

// tyingCanvas returns a canvas with many corners whose scores tie often.
func tyingCanvas(rng *rand.Rand, size image.Point) *canvas {
	fill := pick([][]byte{
		{0, 255},
		{0, 60, 120},
		{77, 77, 77, 77, 77, 77, 77, 78},
		{200, 200, 200, 200, 20, 20, 21},
	}[rng.IntN(4)]...)
	c := &canvas{name: "ties", img: image.NewGray(image.Rectangle{Max: size}.Sub(image.Pt(9, 4)))}
	fill(rng, c.img.Pix, c.img.Stride)
	return c
}

// sieves returns the Options of variants for the kernels that work in bands with
// scores of their own.
func sieves() []fast.Options {
	return slices.DeleteFunc(variants(), func(opts fast.Options) bool { return isBlock(opts.Kernel) })
}

// requireSieves is requireDetects for the sieve kernels in all modes.
func requireSieves(t *testing.T, c *canvas, img *image.Gray, threshold uint8) {
	t.Helper()
	for _, mode := range modes[:3] {
		var want []fast.Corner
		wantArc := 0
		for _, opts := range sieves() {
			opts = in(opts, mode, threshold)
			if opts.ArcLength != wantArc {
				want, wantArc = c.want(img.Rect, opts), opts.ArcLength
			}
			got := detector(t, opts).Detect(img)
			requireCorners(t, want, got, "%s, bounds %v, stride %d, %+v", c.name, img.Rect, img.Stride, opts)
		}
	}
}

// TestSeams compares the sieve kernels with the oracle where the rows are worked
// in bands, or in several runs each, and where blocks do not fit: scores are
// carried from band to band, and both ends of a row differ.
func TestSeams(t *testing.T) {
	var sizes []image.Point
	// Around the widths at which an image has room for a block.
	for _, w := range []int{7, 8, 21, 22, 23, 35, 37, 38, 39, 67, 69, 70, 71, 99, 131, 134} {
		for _, h := range []int{7, 8, 9, 13, 40} {
			sizes = append(sizes, image.Pt(w, h))
		}
	}
	// Several bands: one of them may have a row only, and so may the last.
	sizes = append(sizes, image.Pt(200, 300), image.Pt(7, 700), image.Pt(69, 240), image.Pt(37, 420),
		image.Pt(22, 1032), image.Pt(70, 264), image.Pt(39, 520), image.Pt(5000, 15), image.Pt(9000, 10))
	// Rows of several runs.
	sizes = append(sizes, image.Pt(16384, 8), image.Pt(16387, 7), image.Pt(16388, 9), image.Pt(16400, 8), image.Pt(32780, 8))
	rng := rand.New(rand.NewPCG(12, 13))
	for i, size := range sizes {
		if quick() && i%4 != 0 {
			continue
		}
		c := tyingCanvas(rng, size)
		requireSieves(t, c, c.img, []uint8{0, 0, 1, 25, 254}[rng.IntN(5)])
	}
}

// TestWholeBlocks compares the kernels with the oracle where the rows, with
// their padding, are as long as whole blocks: then there is no gap between them.
func TestWholeBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	c := tyingCanvas(rng, image.Pt(256, 30))
	step := 3
	if quick() {
		step = 6
	}
	for _, stride := range []int{32, 48, 64, 96, 128, 192, 256} {
		for w := max(stride-63, 7); w <= stride; w++ {
			for h := 7; h <= 13; h += step {
				r := image.Rectangle{Min: c.img.Rect.Min, Max: c.img.Rect.Min.Add(image.Pt(w, h))}
				requireSieves(t, c, c.part(r, stride, rng.IntN(64)), uint8(rng.IntN(2)*30))
			}
		}
	}
}

// TestMixed lets detectors of all modes and kernels take turns on images of
// different sizes: they work in the same memory.
func TestMixed(t *testing.T) {
	sizes := []image.Point{{X: 200, Y: 120}, {X: 9, Y: 40}, {X: 70, Y: 9}, {X: 131, Y: 33}, {X: 640, Y: 28}, {X: 23, Y: 300}, {X: 16400, Y: 8}, {X: 69, Y: 20}, {X: 1500, Y: 9}}
	type input struct {
		*canvas
		wants map[fast.Options][]fast.Corner
	}
	rng := rand.New(rand.NewPCG(16, 17))
	var inputs []input
	for _, size := range sizes {
		c := tyingCanvas(rng, size)
		inputs = append(inputs, input{c, map[fast.Options][]fast.Corner{}})
	}
	var detectors []fast.Options
	for _, opts := range sieves() {
		if opts.ArcLength != 10 && opts.ArcLength != 12 {
			continue
		}
		for _, mode := range modes[:3] {
			detectors = append(detectors, in(opts, mode, 10))
		}
	}
	rounds := 10000
	if quick() {
		rounds = 1000
	}
	for range rounds {
		input, opts := inputs[rng.IntN(len(inputs))], detectors[rng.IntN(len(detectors))]
		if input.img.Rect.Dx() > 10000 && rng.IntN(4) > 0 {
			continue
		}
		kernel := opts.Kernel
		opts.Kernel = fast.Auto
		want, ok := input.wants[opts]
		if !ok {
			want = input.want(input.img.Rect, opts)
			input.wants[opts] = want
		}
		opts.Kernel = kernel
		requireCorners(t, want, detector(t, opts).Detect(input.img), "bounds %v, %+v", input.img.Rect, opts)
	}
}

// TestFarBounds checks that coordinates reach to both ends of 32 bits.
func TestFarBounds(t *testing.T) {
	c := newCanvas(contents[0], image.Rect(0, 0, 300, 40))
	size := c.img.Rect.Max
	for _, min := range []image.Point{
		{X: math.MinInt32, Y: math.MinInt32},
		{X: math.MaxInt32 - size.X, Y: math.MaxInt32 - size.Y},
		{X: math.MinInt32, Y: math.MaxInt32 - size.Y},
	} {
		img := *c.img
		img.Rect = img.Rect.Add(min)
		for _, opts := range variants() {
			want := c.want(c.img.Rect, opts)
			require.NotEmpty(t, want)
			for i := range want {
				want[i].X += int32(min.X)
				want[i].Y += int32(min.Y)
			}
			requireCorners(t, want, detector(t, opts).Detect(&img), "bounds %v, %+v", img.Rect, opts)
		}
	}
}

// TestOverlappingRows checks images whose rows share pixels, down to a stride of
// 0, which the image package allows.
func TestOverlappingRows(t *testing.T) {
	step := 1
	if quick() {
		step = 3
	}
	for stride := 0; stride <= 100; stride += step {
		img := &image.Gray{
			Pix:    noise(rand.New(rand.NewPCG(6, 7)), 24*stride+101),
			Stride: stride,
			Rect:   image.Rect(-2, -1, 99, 24),
		}
		c := &canvas{name: "random", img: img}
		requireDetects(t, c, img, modes[1], 10)
	}
}

// TestWorkers checks that any number of goroutines finds the same corners in
// the same order.
func TestWorkers(t *testing.T) {
	// Large enough for two workers, or many of the Scalar kernel.
	img := photo("seeding_1920x1080")
	for _, opts := range variants() {
		if quick() && opts.ArcLength != 10 {
			continue
		}
		for _, mode := range modes[:3] {
			opts := in(opts, mode, 15)
			want := detector(t, opts).Detect(img)
			for _, workers := range []int{-1, 2, 1000} {
				opts.Workers = workers
				requireCorners(t, want, detector(t, opts).Detect(img), "%+v", opts)
			}
		}
	}
}

// TestScoreAt compares the scores of single pixels with the oracle.
func TestScoreAt(t *testing.T) {
	size := image.Pt(24, 17)
	for i, c := range canvases() {
		at := canvasRect.Min.Add(image.Pt(31*i, i))
		r := image.Rectangle{Min: at, Max: at.Add(size)}
		for _, img := range []*image.Gray{c.img.SubImage(r).(*image.Gray), c.part(r, size.X, 5)} {
			for arc := 9; arc <= 12; arc++ {
				for _, threshold := range []uint8{0, 25, 254, 255} {
					// The modes of scores make no difference.
					opts := in(fast.Options{ArcLength: arc}, modes[i%len(modes)], threshold)
					requireScores(t, c.want(r, in(opts, modes[1], threshold)), detector(t, opts), img)
				}
			}
		}
	}
	for _, size := range []image.Point{{X: 6, Y: 30}, {X: 30, Y: 6}, {X: 7, Y: 7}, {X: 1, Y: 1}} {
		c := newCanvas(contents[0], image.Rectangle{Min: image.Pt(-3, -3), Max: size.Sub(image.Pt(3, 3))})
		for _, opts := range variants() {
			requireScores(t, c.want(c.img.Rect, in(opts, modes[1], 0)), detector(t, opts), c.img)
		}
	}
}

// requireScores fails the test unless d finds the scores of just these corners
// at the pixels in img and around it.
func requireScores(t *testing.T, want []fast.Corner, d *fast.Detector, img *image.Gray) {
	t.Helper()
	r := img.Rect.Inset(-5)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p := image.Pt(x, y)
			wantScore, wantOK := uint8(0), len(want) > 0 && want[0].Pt() == p
			if wantOK {
				wantScore = want[0].Score
				want = want[1:]
			}
			score, ok := d.ScoreAt(img, p)
			if score != wantScore || ok != wantOK {
				t.Fatalf("pixel %v of %v: got %d, %t, want %d, %t", p, img.Rect, score, ok, wantScore, wantOK)
			}
		}
	}
	require.Empty(t, want)
}

// TestScoreAtNowhere checks pixels that no image has, and images that have none.
func TestScoreAtNowhere(t *testing.T) {
	img := newCanvas(contents[0], image.Rect(-10, -10, 10, 10)).img
	d := detector(t, fast.Options{})
	for _, x := range []int{math.MinInt, math.MinInt32, -8, 7, math.MaxInt32, math.MaxInt} {
		for _, p := range []image.Point{{X: x}, {Y: x}, {X: x, Y: x}} {
			score, ok := d.ScoreAt(img, p)
			require.False(t, ok, "%v", p)
			require.Zero(t, score, "%v", p)
		}
	}
	// The width of these empty bounds overflows.
	inverted := image.Rectangle{Min: image.Pt(math.MaxInt, math.MaxInt), Max: image.Pt(math.MinInt+100, math.MinInt+100)}
	for _, img := range []*image.Gray{{}, {Rect: image.Rect(5, -5, 5, 100)}, {Rect: inverted}, {Rect: image.Rectangle{Min: image.Pt(math.MinInt, math.MinInt), Max: image.Pt(math.MinInt, math.MaxInt)}}, {Stride: -1}} {
		for _, p := range []image.Point{{X: 5, Y: 5}, img.Rect.Min.Add(image.Pt(5, 5)), {X: math.MaxInt, Y: math.MaxInt}, {X: math.MinInt, Y: math.MinInt}} {
			_, ok := d.ScoreAt(img, p)
			require.False(t, ok)
		}
		_, ok := d.ScoreAt(img, image.Pt(5, 5))
		require.False(t, ok)
	}
	for _, img := range []*image.Gray{
		{Pix: make([]byte, 99), Stride: 10, Rect: image.Rect(0, 0, 10, 10)},
		{Pix: make([]byte, 100), Stride: -10, Rect: image.Rect(0, 0, 10, 10)},
	} {
		requirePanic(t, func() { d.ScoreAt(img, image.Pt(5, 5)) }, "%v", img.Rect)
		requirePanic(t, func() { d.ScoreAt(img, image.Pt(-1, 5)) }, "%v", img.Rect)
	}
}

// TestConcurrent lets goroutines share Detectors.
func TestConcurrent(t *testing.T) {
	list := canvases()[:4]
	for _, opts := range variants() {
		if quick() && opts.ArcLength != 10 {
			continue
		}
		opts.Threshold, opts.NonmaxSuppression, opts.Workers = 10, true, 2
		d := detector(t, opts)
		var wants [][]fast.Corner
		for _, c := range list {
			wants = append(wants, c.want(c.img.Rect, opts))
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range list {
					i = (i + g) % len(list)
					if !slices.Equal(wants[i], d.Detect(list[i].img)) {
						t.Errorf("%s, %+v: wrong corners", list[i].name, opts)
					}
				}
			}()
		}
		wg.Wait()
	}
}

// TestThresholdLaw checks that the corners at a higher threshold are those with
// such a score at a lower one.
func TestThresholdLaw(t *testing.T) {
	img := photo("chelsea_451x300")
	for _, opts := range variants() {
		for _, mode := range modes[1:3] {
			all := detector(t, in(opts, mode, 7)).Detect(img)
			for threshold := uint8(8); threshold < 120; threshold += 13 {
				want := slices.DeleteFunc(slices.Clone(all), func(c fast.Corner) bool { return c.Score < threshold })
				require.NotEmpty(t, want)
				opts := in(opts, mode, threshold)
				requireCorners(t, want, detector(t, opts).Detect(img), "%+v", opts)
			}
		}
	}
}

// A golden is a line of testdata/golden.json.
type golden struct {
	Image     string
	Arc       int
	Threshold uint8
	Nonmax    bool
	Corners   int
	SHA256    string
}

func (g golden) options() fast.Options {
	return fast.Options{Threshold: g.Threshold, ArcLength: g.Arc, Score: true, NonmaxSuppression: g.Nonmax}
}

// goldens returns the lines of testdata/golden.json by image.
func goldens(t *testing.T) map[string][]golden {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var list []golden
	require.NoError(t, json.Unmarshal(data, &list))
	byImage := map[string][]golden{}
	for _, g := range list {
		byImage[g.Image] = append(byImage[g.Image], g)
	}
	require.Len(t, byImage, 11)
	return byImage
}

// digest returns the digest of corners that testdata/golden.json holds.
func digest(corners []fast.Corner) string {
	var lines []byte
	for _, c := range corners {
		lines = append(strconv.AppendInt(lines, int64(c.X), 10), ' ')
		lines = append(strconv.AppendInt(lines, int64(c.Y), 10), ' ')
		lines = append(strconv.AppendInt(lines, int64(c.Score), 10), '\n')
	}
	sum := sha256.Sum256(lines)
	return hex.EncodeToString(sum[:])
}

// TestGolden compares the kernels with what an independent implementation
// found in photos.
func TestGolden(t *testing.T) {
	for name, list := range goldens(t) {
		if quick() && name != "chelsea_451x300" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := photo(name)
			for _, g := range list {
				var want []fast.Corner // from the first kernel
				checked := false       // whether want has the digest
				for _, opts := range variants() {
					if opts.ArcLength != g.Arc {
						continue
					}
					k := opts.Kernel
					opts = g.options()
					opts.Kernel = k
					got := detector(t, opts).Detect(img)
					if !checked {
						require.Equal(t, g.Corners, len(got), "%+v", opts)
						require.Equal(t, g.SHA256, digest(got), "%+v", opts)
						want, checked = got, true
					}
					requireCorners(t, want, got, "%+v", opts)
				}
				require.True(t, checked)
			}
		})
	}
}

// TestGoldenOracle compares the oracle with the same digests.
func TestGoldenOracle(t *testing.T) {
	const name = "chelsea_451x300"
	c := &canvas{name: name, img: photo(name)}
	for _, g := range goldens(t)[name] {
		want := c.want(c.img.Rect, g.options())
		require.Len(t, want, g.Corners)
		require.Equal(t, g.SHA256, digest(want), "%+v", g)
	}
}

// TestAuto checks that the kernel of choice finds the corners of the oracle.
func TestAuto(t *testing.T) {
	for i, c := range canvases() {
		for arc := 9; arc <= 12; arc++ {
			opts := in(fast.Options{ArcLength: arc}, modes[i%len(modes)], 20)
			got := detector(t, opts).Detect(c.img)
			requireCorners(t, c.want(c.img.Rect, opts), got, "%s, %+v", c.name, opts)
		}
	}
}

// TestPackageLevel checks Detect and Append, which have no Detector.
func TestPackageLevel(t *testing.T) {
	for _, c := range canvases() {
		want := c.want(c.img.Rect, fast.Options{ArcLength: 10, Threshold: 25})
		requireCorners(t, want, fast.Detect(c.img, 25), "Detect, %s", c.name)
		first := fast.Corner{X: 1, Y: 2, Score: 3}
		got := fast.Append([]fast.Corner{first}, c.img, 25)
		requireCorners(t, append([]fast.Corner{first}, want...), got, "Append, %s", c.name)
	}
}

// TestAllocs checks that detection into a slice with room does not allocate.
func TestAllocs(t *testing.T) {
	if imagetest.RaceEnabled() {
		t.Skip("the race detector makes sync.Pool drop things")
	}
	c := newCanvas(contents[0], image.Rect(0, 0, 150, 40))
	dst := make([]fast.Corner, 0, 150*40)
	require.Zero(t, imagetest.Allocs(50, func() { fast.Append(dst, c.img, 10) }), "fast.Append")
	for _, opts := range variants() {
		for _, mode := range modes {
			opts := in(opts, mode, 10)
			d := detector(t, opts)
			require.Zero(t, imagetest.Allocs(5, func() { d.Append(dst, c.img) }), "%+v", opts)
		}
	}
}

// TestStackAllocs checks that memory for corners on the stack stays there.
func TestStackAllocs(t *testing.T) {
	if imagetest.RaceEnabled() {
		t.Skip("the race detector makes sync.Pool drop things")
	}
	c := newCanvas(contents[0], image.Rect(0, 0, 40, 30))
	for _, opts := range variants() {
		d := detector(t, in(opts, modes[2], 30))
		require.Zero(t, imagetest.Allocs(20, func() {
			var corners [40 * 30]fast.Corner
			if len(d.Append(corners[:0], c.img)) == 0 {
				t.Error("no corners")
			}
		}), "%+v", opts)
	}
}

// TestNothing checks images without corners, which need not have pixels.
func TestNothing(t *testing.T) {
	dst := []fast.Corner{{X: 1, Y: 2, Score: 3}, {X: 4, Y: 5, Score: 6}}
	images := []*image.Gray{
		{},
		{Rect: image.Rect(5, 5, 5, 100)},
		{Rect: image.Rectangle{Min: image.Pt(9, 9), Max: image.Pt(-9, -9)}, Stride: -1},
		image.NewGray(image.Rect(0, 0, 1, 1)),
		image.NewGray(image.Rect(-3, -3, 3, 300)),
		image.NewGray(image.Rect(-3, -3, 300, 3)),
		image.NewGray(image.Rect(-3, -3, 4, 4)),
		image.NewGray(image.Rect(0, 0, 300, 300)),
	}
	for _, opts := range variants() {
		for _, mode := range modes {
			d := detector(t, in(opts, mode, 0))
			for _, img := range images {
				require.Nil(t, d.Detect(img), "%v, %+v", img.Rect, opts)
				got := d.Append(dst[:1], img)
				require.Equal(t, dst[:1], got, "%v, %+v", img.Rect, opts)
				require.Same(t, &dst[0], &got[0])
				require.Equal(t, fast.Corner{X: 4, Y: 5, Score: 6}, dst[1])
			}
		}
	}
}

// TestMalformed checks that images that lack pixels panic.
func TestMalformed(t *testing.T) {
	pix := make([]byte, 1000)
	type malformed struct {
		name string
		img  image.Gray
	}
	tests := []malformed{
		{"no pixels", image.Gray{Stride: 10, Rect: image.Rect(0, 0, 10, 10)}},
		{"last row short", image.Gray{Pix: pix[:109], Stride: 10, Rect: image.Rect(0, 0, 10, 11)}},
		{"last row of padded rows short", image.Gray{Pix: pix[:329], Stride: 32, Rect: image.Rect(-4, 5, 6, 16)}},
		{"only row short", image.Gray{Pix: pix[:9], Stride: 10, Rect: image.Rect(0, 0, 10, 1)}},
		{"small and short", image.Gray{Pix: pix[:8], Stride: 3, Rect: image.Rect(0, 0, 3, 3)}},
		{"rows share pixels", image.Gray{Pix: pix[:59], Stride: 5, Rect: image.Rect(0, 0, 10, 11)}},
		{"negative stride", image.Gray{Pix: pix, Stride: -10, Rect: image.Rect(0, 0, 10, 10)}},
		{"stride that overflows", image.Gray{Pix: pix, Stride: math.MaxInt/8 + 1, Rect: image.Rect(0, 0, 10, 17)}},
		{"largest stride", image.Gray{Pix: pix, Stride: math.MaxInt, Rect: image.Rect(0, 0, 10, 10)}},
		{"huge bounds", image.Gray{Pix: pix, Stride: 10, Rect: image.Rect(0, 0, math.MaxInt32, math.MaxInt32)}},
	}
	if strconv.IntSize > 32 {
		limit := math.MaxInt32 // not a constant, which could overflow here
		past, before := limit+1, -limit-2
		for _, r := range []image.Rectangle{
			image.Rect(past-10, 0, past, 10),
			image.Rect(0, past-10, 10, past),
			image.Rect(before, 0, before+10, 10),
			image.Rect(0, before, 10, before+10),
			image.Rect(math.MinInt, math.MinInt, math.MaxInt, math.MaxInt),
		} {
			tests = append(tests, malformed{"beyond 32 bits", image.Gray{Pix: pix, Stride: 10, Rect: r}})
		}
	}
	for _, test := range tests {
		for _, opts := range variants() {
			d := detector(t, opts)
			requirePanic(t, func() { d.Detect(&test.img) }, "%s, %v, %+v", test.name, test.img.Rect, opts)
		}
		requirePanic(t, func() { fast.Append(nil, &test.img, 10) }, "%s, %v", test.name, test.img.Rect)
	}

	// One more pixel is enough.
	for _, img := range []image.Gray{
		{Pix: pix[:110], Stride: 10, Rect: image.Rect(0, 0, 10, 11)},
		{Pix: pix[:330], Stride: 32, Rect: image.Rect(-4, 5, 6, 16)},
		{Pix: pix[:60], Stride: 5, Rect: image.Rect(0, 0, 10, 11)},
		{Pix: pix[:10], Stride: math.MaxInt, Rect: image.Rect(0, 0, 10, 1)},
	} {
		require.NotPanics(t, func() { fast.Detect(&img, 10) }, "%v", img.Rect)
	}
}

// requirePanic fails the test unless f panics with a message of this package.
func requirePanic(t *testing.T, f func(), format string, args ...any) {
	t.Helper()
	defer func() {
		t.Helper()
		if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "fast: ") {
			t.Fatalf("%s: panic is %q", fmt.Sprintf(format, args...), text)
		}
	}()
	f()
}

// TestNew checks which options are refused, and that the error says which.
func TestNew(t *testing.T) {
	for _, arc := range []int{-1, 1, 8, 13, 16, math.MaxInt, math.MinInt} {
		for _, k := range append(fast.Kernels(), fast.Auto, 200) {
			_, err := fast.New(fast.Options{ArcLength: arc, Kernel: k})
			require.ErrorContains(t, err, fmt.Sprintf("fast: Options.ArcLength is %d, not 9 to 12", arc))
		}
	}
	for _, k := range []fast.Kernel{200, 255} {
		_, err := fast.New(fast.Options{Kernel: k})
		require.ErrorContains(t, err, fmt.Sprintf("fast: Options.Kernel is Kernel(%d), not one of auto, scalar, ", k))
	}
	for _, k := range allKernels() {
		for _, arc := range []int{0, 9, 10, 11, 12} {
			_, err := fast.New(fast.Options{Kernel: k, ArcLength: arc})
			switch {
			case k != fast.Auto && !slices.Contains(fast.Kernels(), k):
				require.EqualError(t, err, "fast: Options.Kernel is "+k.String()+", not one that this processor can run")
			case isBlock(k) && arc != 0 && arc != 10:
				require.EqualError(t, err, fmt.Sprintf("fast: Options.ArcLength is %d, not 10 with Options.Kernel %v", arc, k))
			default:
				require.NoError(t, err, "%v, arc length %d", k, arc)
			}
		}
	}
	for _, workers := range []int{math.MinInt, -1, 0, 1, math.MaxInt} {
		_, err := fast.New(fast.Options{Workers: workers})
		require.NoError(t, err, "%d workers", workers)
	}
}

// TestDetectorKernel checks that the Options of a Detector tell its kernel, the best one for
// Auto.
func TestDetectorKernel(t *testing.T) {
	for _, opts := range variants() {
		require.Equal(t, opts.Kernel, detector(t, opts).Options().Kernel)
	}
	var best fast.Kernel
	for _, k := range fast.Kernels() {
		if k == fast.Scalar || strings.HasSuffix(k.String(), "-sieve") {
			best = k
		}
	}
	for arc := 9; arc <= 12; arc++ {
		got := detector(t, fast.Options{ArcLength: arc}).Options().Kernel
		require.NotEqual(t, fast.Auto, got)
		require.Equal(t, best, got)
	}
}

// TestDefaultArc checks that the arc length is 10 unless the options say more.
func TestDefaultArc(t *testing.T) {
	c := newCanvas(contents[0], image.Rect(0, 0, 200, 50))
	want := c.want(c.img.Rect, fast.Options{ArcLength: 10, Threshold: 10})
	require.NotEqual(t, want, c.want(c.img.Rect, fast.Options{ArcLength: 9, Threshold: 10}))
	require.NotEqual(t, want, c.want(c.img.Rect, fast.Options{ArcLength: 11, Threshold: 10}))
	requireCorners(t, want, detector(t, fast.Options{Threshold: 10}).Detect(c.img), "no arc length")
}

// allKernels returns the kernels that have a name, whether this processor can
// run them or not.
func allKernels() []fast.Kernel {
	var list []fast.Kernel
	for k := fast.Auto; !strings.HasPrefix(k.String(), "Kernel("); k++ {
		list = append(list, k)
	}
	return list
}

// TestKernels checks the list of kernels and their names.
func TestKernels(t *testing.T) {
	runnable := fast.Kernels()
	require.Equal(t, fast.Scalar, runnable[0])
	require.True(t, slices.IsSorted(runnable))
	require.Equal(t, runnable, slices.Compact(slices.Clone(runnable)))

	all := allKernels()
	require.Contains(t, all, fast.AVX512Sieve)
	require.Subset(t, all, runnable)
	names := map[string]bool{}
	for _, k := range all {
		text, err := k.MarshalText()
		require.NoError(t, err)
		require.Equal(t, k.String(), string(text))
		require.False(t, names[k.String()], "two kernels are %v", k)
		names[k.String()] = true

		back := fast.Kernel(200)
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, k, back)
	}
	require.Equal(t, "auto", fast.Auto.String())
	require.Equal(t, "scalar", fast.Scalar.String())
	require.Equal(t, "avx512-16x4", fast.AVX512Block16x4.String())

	require.Equal(t, "Kernel(200)", fast.Kernel(200).String())
	_, err := fast.Kernel(200).MarshalText()
	require.ErrorContains(t, err, "fast: unknown Kernel 200")
	for _, text := range []string{"", "Scalar", "scalar ", "avx512", "Kernel(200)"} {
		k := fast.AVX2Block8x4
		require.ErrorContains(t, k.UnmarshalText([]byte(text)), fmt.Sprintf("fast: unknown Kernel %q, not one of auto, ", text))
		require.Equal(t, fast.AVX2Block8x4, k)
	}
	var decoded struct{ Kernel fast.Kernel }
	require.NoError(t, json.Unmarshal([]byte(`{"Kernel": "avx2-16x2"}`), &decoded))
	require.Equal(t, fast.AVX2Block16x2, decoded.Kernel)
}

// TestPt checks the conversion of a corner to a point.
func TestPt(t *testing.T) {
	require.Equal(t, image.Pt(math.MinInt32, 7), fast.Corner{X: math.MinInt32, Y: 7, Score: 9}.Pt())
}
