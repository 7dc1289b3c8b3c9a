package overlay

import (
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/point"
	"github.com/stretchr/testify/require"
)

var (
	black = color.RGBA{A: 255}
	white = color.RGBA{255, 255, 255, 255}
	nan   = float32(math.NaN())
	inf   = float32(math.Inf(1))
)

// filled returns an image of one color.
func filled(r image.Rectangle, c color.Color) *image.RGBA {
	img := image.NewRGBA(r)
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

// drawn returns where an image has a color of the palette.
func drawn(img *image.RGBA) map[image.Point]color.RGBA {
	pixels := make(map[image.Point]color.RGBA)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			if c := img.RGBAAt(x, y); slices.Contains(warm[:], c) {
				pixels[image.Pt(x, y)] = c
			}
		}
	}
	return pixels
}

func TestCanvas(t *testing.T) {
	img := image.NewNRGBA(image.Rect(10, 20, 50, 60))
	img.SetNRGBA(28, 40, color.NRGBA{200, 100, 50, 255})
	img.SetNRGBA(29, 40, color.NRGBA{200, 100, 50, 51})
	canvas := Canvas(img)
	require.Equal(t, img.Rect, canvas.Rect)
	require.Equal(t, color.RGBA{200, 100, 50, 255}, canvas.RGBAAt(28, 40), "colors stay")
	require.Equal(t, color.RGBA{40, 20, 10, 255}, canvas.RGBAAt(29, 40))
	require.Equal(t, black, canvas.RGBAAt(20, 55))
	canvas.SetRGBA(28, 40, white)
	require.Equal(t, color.NRGBA{200, 100, 50, 255}, img.NRGBAAt(28, 40), "it is a copy")
	require.True(t, Canvas(image.NewGray(image.Rectangle{})).Rect.Empty())
}

func TestCorners(t *testing.T) {
	r := image.Rect(10, 20, 50, 60)
	list := []fast.Corner{{X: 40, Y: 50, Score: 90}, {X: 13, Y: 23, Score: 30}, {X: 14, Y: 45, Score: 31}}
	picture := filled(r, black)
	Corners(picture, list)
	for _, p := range []image.Point{{13, 23}, {17, 23}, {13, 27}} {
		require.Equal(t, warm[0], picture.At(p.X, p.Y), p)
	}
	for _, p := range []image.Point{{40, 50}, {33, 50}, {47, 50}, {40, 43}, {40, 57}} {
		require.Equal(t, warm[strongest], picture.At(p.X, p.Y), p)
	}
	require.Equal(t, black, picture.RGBAAt(42, 50), "between dot and ring")
	require.Equal(t, fast.Corner{X: 40, Y: 50, Score: 90}, list[0], "the list keeps its order")

	// Where they meet, the stronger one is seen, also when it comes first.
	picture = filled(r, black)
	Corners(picture, []fast.Corner{{X: 30, Y: 40, Score: 90}, {X: 30, Y: 40, Score: 30}})
	require.Equal(t, warm[strongest], picture.At(30, 40))
	picture = filled(r, black)
	Corners(picture, list[:1])
	require.Equal(t, warm[strongest], picture.At(40, 50), "only one")
	picture = filled(r, white)
	Corners[fast.Corner](picture, nil)
	require.Equal(t, filled(r, white), picture)
}

// Rims are dark, one pixel wide on both sides, not above other lines and nowhere
// darker than elsewhere.
func TestRims(t *testing.T) {
	picture := filled(image.Rect(0, 0, 60, 40), white)
	Corners(picture, []fast.Corner{{X: 20, Y: 20}, {X: 26, Y: 20}})
	for _, x := range []int{11, 35} {
		require.Equal(t, white, picture.RGBAAt(x, 20))
	}
	gray := picture.RGBAAt(12, 20)
	require.InDelta(t, 47, gray.R, 1)
	require.Equal(t, warm[strongest], picture.At(13, 20))
	for p := range drawn(picture) {
		for _, q := range []image.Point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			q = q.Add(p)
			if c := picture.At(q.X, q.Y); c != warm[strongest] {
				require.Equal(t, gray, c, q)
			}
		}
	}
}

// A spot is a point with any strength.
type spot struct {
	x, y     int
	strength float32
}

func (s spot) Pt() image.Point          { return image.Pt(s.x, s.y) }
func (s spot) Position() (x, y float32) { return float32(s.x), float32(s.y) }
func (s spot) Strength() float32        { return s.strength }

func TestStrengths(t *testing.T) {
	r := image.Rect(-50, -50, 50, 50)
	picture := filled(r, black)
	Corners(picture, []spot{{-30, -30, 1e-9}, {0, 0, 1.3e-6}, {30, 30, 5e-6}})
	require.Equal(t, warm[0], picture.At(-30, -30))
	require.Equal(t, warm[3], picture.At(0, 0), "a quarter of the strength, half of the colors")
	require.Equal(t, warm[strongest], picture.At(30, 30))

	// What is not finite does not change how the others are drawn, as far as it can be helped.
	for odd, levels := range map[float32][3]int{
		nan:  {0, 0, strongest},
		inf:  {strongest, 0, 0},
		-inf: {0, 0, strongest},
	} {
		picture = filled(r, black)
		Corners(picture, []spot{{-30, -30, odd}, {0, 0, 2}, {30, 30, 3}})
		require.Equal(t, warm[levels[0]], picture.At(-30, -30), "%v", odd)
		require.Equal(t, warm[levels[1]], picture.At(0, 0), "%v", odd)
		require.Equal(t, warm[levels[2]], picture.At(30, 30), "%v", odd)
	}
	for _, first := range []int{0, 1} {
		picture = filled(r, black)
		list := []spot{{-30, -30, nan}, {0, 0, 2}, {30, 30, 2}}
		Corners(picture, append(list[first:], list[:first]...))
		require.Equal(t, warm[0], picture.At(-30, -30))
		require.Equal(t, warm[strongest], picture.At(0, 0))
	}
	picture = filled(r, black)
	Corners(picture, []spot{{-30, -30, nan}, {30, 30, -nan}})
	require.Equal(t, warm[strongest], picture.At(-30, -30), "all are not numbers")
	require.Equal(t, warm[strongest], picture.At(30, 30), "all are not numbers")
}

func TestKeypoints(t *testing.T) {
	r := image.Rect(0, 0, 200, 100)
	picture := filled(r, white)
	list := []point.Keypoint{
		{X: 30, Y: 30, Size: 20, Angle: 0, Octave: 0},
		{X: 150, Y: 50, Size: 60, Angle: 90, Octave: 7},
	}
	Keypoints(picture, list)
	first, last := warm[0], warm[strongest]
	for _, p := range []image.Point{{40, 30}, {20, 30}, {30, 20}, {30, 40}, {30, 30}, {35, 30}, {39, 30}} {
		require.Equal(t, first, picture.At(p.X, p.Y), p)
	}
	for _, p := range []image.Point{{180, 50}, {120, 50}, {150, 20}, {150, 80}, {150, 50}, {150, 65}} {
		require.Equal(t, last, picture.At(p.X, p.Y), p)
	}
	for _, p := range []image.Point{{25, 30}, {30, 25}, {30, 35}, {165, 50}, {150, 35}} {
		require.Equal(t, white, picture.RGBAAt(p.X, p.Y), "no line there: %v", p)
	}
	for _, p := range []image.Point{{41, 30}, {35, 31}, {119, 50}, {121, 50}} {
		require.InDelta(t, 47, picture.RGBAAt(p.X, p.Y).R, 1, "a rim: %v", p)
	}
	require.Equal(t, float32(30), list[0].X, "the list keeps its order")

	// Those of package sift have their octave in one byte of a number.
	packed := filled(r, white)
	Keypoints(packed, []point.Keypoint{
		{X: 30, Y: 30, Size: 20, Angle: 0, Octave: 7<<16 | 3<<8 | 255}, // -1
		{X: 150, Y: 50, Size: 60, Angle: 90, Octave: 9<<16 | 1<<8 | 6},
	})
	require.Equal(t, picture, packed)

	// Small ones lie above large ones.
	for _, list := range [][]point.Keypoint{
		{{X: 50, Y: 50, Size: 40, Octave: 3, Angle: nan}, {X: 70, Y: 50, Size: 20, Octave: 1}},
		{{X: 70, Y: 50, Size: 20, Octave: 1}, {X: 50, Y: 50, Size: 40, Octave: 3, Angle: nan}},
	} {
		picture = filled(r, black)
		Keypoints(picture, list)
		require.Equal(t, first, picture.At(70, 50))
		require.Equal(t, last, picture.At(69, 56))
	}
}

// The circle and the line of a keypoint are where distances say.
func TestKeypointShape(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		k := point.Keypoint{
			X:     50 + 20*random.Float32(),
			Y:     40 + 20*random.Float32(),
			Size:  10 + 80*random.Float32(),
			Angle: 360 * random.Float32(),
		}
		picture := filled(image.Rect(0, 0, 120, 90), black)
		Keypoints(picture, []point.Keypoint{k})
		pixels := drawn(picture)
		sin, cos := math.Sincos(float64(k.Angle) / 180 * math.Pi)
		for y := range 90 {
			for x := range 120 {
				dx, dy := float64(x)-float64(k.X), float64(y)-float64(k.Y)
				distance, radius := math.Hypot(dx, dy), float64(k.Size)/2
				along, across := dx*cos+dy*sin, math.Abs(dy*cos-dx*sin)
				fromRing := math.Abs(distance - radius)
				onLine := along > 1 && along < radius-1 && across < 0.49
				nearLine := along > -1 && along < radius+1 && across < 0.51
				_, ok := pixels[image.Pt(x, y)]
				switch {
				case fromRing < 0.49 && along > 0 && across < 2:
					// The line, or its rim above the circle.
				case distance < 1.49, fromRing < 0.49, onLine:
					require.True(t, ok, "%+v %d,%d", k, x, y)
				case distance > 1.51 && fromRing > 0.51 && !nearLine:
					require.False(t, ok, "%+v %d,%d", k, x, y)
				}
			}
		}
	}
}

func TestOddKeypoints(t *testing.T) {
	r := image.Rect(0, 0, 60, 60)
	at := func(change func(k *point.Keypoint)) map[image.Point]color.RGBA {
		k := point.Keypoint{X: 30, Y: 30, Size: 20, Angle: 45}
		change(&k)
		picture := filled(r, white)
		Keypoints(picture, []point.Keypoint{k, {X: 5, Y: nan, Size: 10, Octave: k.Octave}})
		return drawn(picture)
	}
	whole := at(func(*point.Keypoint) {})
	dot := at(func(k *point.Keypoint) { k.Size = 0 })
	require.Len(t, dot, 9)
	ring := at(func(k *point.Keypoint) { k.Angle = nan })
	require.Contains(t, ring, image.Pt(40, 30))
	require.Contains(t, whole, image.Pt(34, 34))
	require.NotContains(t, ring, image.Pt(34, 34))
	require.Equal(t, ring, at(func(k *point.Keypoint) { k.Angle = -inf }))
	require.Equal(t, whole, at(func(k *point.Keypoint) { k.Angle = 45 - 720 }))
	for _, size := range []float32{-30, 1e-30, nan, inf, -inf} {
		require.Equal(t, dot, at(func(k *point.Keypoint) { k.Size = size }), size)
	}
	for _, v := range []float32{nan, inf, -inf} {
		require.Empty(t, at(func(k *point.Keypoint) { k.X = v }), v)
		require.Empty(t, at(func(k *point.Keypoint) { k.Y = v }), v)
	}
	for _, octave := range []int32{-5, 100, -128, 127, math.MinInt32, math.MaxInt32} {
		require.Equal(t, whole, at(func(k *point.Keypoint) { k.Octave = octave }), octave)
	}
	picture := filled(r, white)
	Keypoints(picture, []point.Keypoint{{X: 10, Y: 10, Octave: -128}, {X: 50, Y: 50, Octave: 127}})
	require.Equal(t, warm[0], picture.At(10, 10))
	require.Equal(t, warm[strongest], picture.At(50, 50))

	// The largest ones are drawn first, and what has no size last.
	sizes := []float32{inf, 20, 10, 0, -5, -inf, nan}
	for i, size := range sizes {
		for _, smaller := range sizes[i+1:] {
			large, small := point.Keypoint{X: 30, Y: 30, Size: size}, point.Keypoint{X: 30, Y: 30, Size: smaller, Octave: 1}
			for _, list := range [][]point.Keypoint{{large, small}, {small, large}} {
				picture := filled(r, white)
				Keypoints(picture, list)
				require.Equal(t, warm[strongest], picture.At(30, 30), "%v before %v", size, smaller)
			}
		}
	}

	picture = filled(r, white)
	zero := float32(math.Copysign(0, -1))
	Keypoints(picture, []point.Keypoint{{X: 30, Y: 30, Size: zero}, {X: 30, Y: 30, Octave: 1}})
	require.Equal(t, warm[strongest], picture.At(30, 30), "of equal sizes the last one")

	// Huge and far away: only what is in the image takes time.
	const far = math.MaxFloat32 / 2
	require.Len(t, at(func(k *point.Keypoint) { k.Size = far }), len(dot)+28, "the dot and the line")
	require.Empty(t, at(func(k *point.Keypoint) { k.X, k.Y, k.Size = far, -far, 3 }))
	edge := at(func(k *point.Keypoint) { k.X, k.Size, k.Angle = 1e6, 2e6-20, nan })
	require.Len(t, edge, 60, "as good as straight")
	require.Contains(t, edge, image.Pt(10, 59))
}

// Nothing is drawn outside of a SubImage, and nothing changes inside.
func TestSubImages(t *testing.T) {
	r := image.Rect(-40, -30, 60, 50)
	inner := image.Rect(-10, 0, 33, 28)
	var corners []fast.Corner
	var kps []point.Keypoint
	random := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		x, y := random.IntN(120)-50, random.IntN(100)-40
		corners = append(corners, fast.Corner{X: int32(x), Y: int32(y), Score: uint8(random.IntN(256))})
		kps = append(kps, point.Keypoint{X: float32(x), Y: float32(y), Size: 40 * random.Float32(), Angle: 360 * random.Float32(), Octave: random.Int32N(4)})
	}
	all := filled(r, color.RGBA{10, 200, 90, 255})
	part, alone := Canvas(all), Canvas(all.SubImage(inner))
	shapes := func(dst draw.Image) {
		Corners(dst, corners)
		Keypoints(dst, kps)
	}
	shapes(part.SubImage(inner).(*image.RGBA))
	shapes(alone)
	before := Canvas(all)
	shapes(all)
	require.Equal(t, all.Rect, part.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			want := before.At(x, y)
			if image.Pt(x, y).In(inner) {
				want = all.At(x, y)
				require.Equal(t, want, alone.At(x, y))
			}
			require.Equal(t, want, part.At(x, y))
		}
	}

	// Any image will do.
	other := image.NewNRGBA(r)
	draw.Draw(other, r, before, r.Min, draw.Src)
	shapes(other)
	require.Equal(t, all, Canvas(other))
	shapes(image.NewRGBA(image.Rectangle{}))
}

// Opaque images of any type are copied as others are drawn on black.
func TestOpaqueCanvas(t *testing.T) {
	r := image.Rect(-3, 2, 30, 40)
	random := rand.New(rand.NewPCG(7, 8))
	for _, img := range []draw.Image{image.NewNRGBA(r), image.NewRGBA(r), image.NewRGBA64(r), image.NewGray(r), image.NewCMYK(r)} {
		want := image.NewRGBA(r)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				img.Set(x, y, color.RGBA{uint8(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32()), 255})
				want.Set(x, y, img.At(x, y))
			}
		}
		require.Equal(t, want, Canvas(img), "%T", img)
	}
}

// luminance returns the relative luminance of a color as WCAG, the guidelines for readable
// web pages, define it.
func luminance(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// On any ground, the line or its rim contrasts as WCAG asks of graphics: 3 to 1.
func TestVisibleOnAnyGround(t *testing.T) {
	contrast := func(a, b color.RGBA) float64 {
		l, m := luminance(a), luminance(b)
		return (max(l, m) + 0.05) / (min(l, m) + 0.05)
	}
	grounds := slices.Clone(warm[:])
	for v := range 256 {
		grounds = append(grounds, color.RGBA{uint8(v), uint8(v), uint8(v), 255})
	}
	for _, ground := range grounds {
		picture := filled(image.Rect(0, 0, 60, 60), ground)
		Corners(picture, []fast.Corner{{X: 20, Y: 30, Score: 1}, {X: 50, Y: 30, Score: 9}})
		line, outer, inner := picture.RGBAAt(24, 30), picture.RGBAAt(25, 30), picture.RGBAAt(23, 30)
		require.Equal(t, warm[0], line)
		require.Equal(t, outer, inner)
		require.GreaterOrEqual(t, max(contrast(line, ground), contrast(outer, ground)), 3.0, "%v", ground)
	}
}

// In a large image lines are wider.
func TestLargeImage(t *testing.T) {
	for width, want := range map[int]int{1499: 9, 1500: 17, 3000: 27} {
		picture := filled(image.Rect(0, 0, width, 60), black)
		Corners(picture, []fast.Corner{{X: 30, Y: 30, Score: 2}, {X: 100, Y: 30, Score: 1}})
		leftmost := 100
		for p := range drawn(picture.SubImage(image.Rect(60, 0, 140, 60)).(*image.RGBA)) {
			leftmost = min(leftmost, p.X)
		}
		require.Equal(t, want, 2*(100-leftmost)+1, width)
	}
}

func TestSideBySide(t *testing.T) {
	a := filled(image.Rect(100, 200, 150, 230), color.RGBA{1, 2, 3, 255})
	b := filled(image.Rect(-7, -8, 33, 52), color.RGBA{4, 5, 6, 255})
	picture, shift := SideBySide(a, b)
	require.Equal(t, image.Rect(100, 200, 190, 260), picture.Rect)
	require.Equal(t, color.RGBA{1, 2, 3, 255}, picture.RGBAAt(100, 229))
	require.Equal(t, color.RGBA{1, 2, 3, 255}, picture.RGBAAt(149, 200))
	require.Equal(t, color.RGBA{4, 5, 6, 255}, picture.RGBAAt(150, 200))
	require.Equal(t, color.RGBA{4, 5, 6, 255}, picture.RGBAAt(189, 259))
	require.Equal(t, black, picture.RGBAAt(100, 259))
	require.Equal(t, image.Pt(150, 200), image.Pt(-7, -8).Add(shift))

	picture, _ = SideBySide(b, a)
	require.Equal(t, image.Rect(-7, -8, 83, 52), picture.Rect)
	require.Equal(t, color.RGBA{1, 2, 3, 255}, picture.RGBAAt(82, 21))
	require.Equal(t, black, picture.RGBAAt(82, 22))

	picture, _ = SideBySide(image.NewGray(image.Rectangle{}), b)
	require.Equal(t, image.Rect(0, 0, 40, 60), picture.Rect)
}

func TestMatches(t *testing.T) {
	a := filled(image.Rect(100, 200, 150, 230), color.RGBA{1, 2, 3, 255})
	b := filled(image.Rect(-7, -8, 33, 52), color.RGBA{4, 5, 6, 255})
	kpsA := []point.Keypoint{{X: 110, Y: 210}, {X: 140, Y: 220}, {X: nan}}
	kpsB := []point.Keypoint{{X: 3, Y: 2}, {X: 13, Y: 42}, {Y: -inf}}
	draw := func(matches []match.Match, pens ...Pen) *image.RGBA {
		picture, shift := SideBySide(a, b)
		Matches(picture, kpsA, kpsB, shift, matches, pens...)
		return picture
	}
	both := []match.Match{{Query: 0, Train: 0}, {Query: 1, Train: 1}}
	picture := draw(both)
	for _, x := range []int{107, 110, 130, 150, 160, 163} {
		require.Equal(t, warm[0], picture.At(x, 210), x)
	}
	for _, p := range []image.Point{{140, 220}, {155, 235}, {170, 250}, {170, 253}, {140, 217}} {
		require.Equal(t, warm[1], picture.At(p.X, p.Y), p)
	}
	require.Equal(t, white, draw(both, Pen{Color: white}).At(155, 235))

	require.Empty(t, drawn(draw(nil)))
	ring := 16
	require.Len(t, drawn(draw([]match.Match{{Query: 0, Train: 2}, {Query: 2, Train: 1}})), 2*ring)
	for _, m := range []match.Match{{Query: 3}, {Train: 3}, {Query: -1}, {Train: -1}} {
		require.PanicsWithValue(t,
			fmt.Sprintf("overlay: match %+v of 3 and 3 points", m),
			func() { draw([]match.Match{m}) })
	}

	// In one image.
	picture = filled(image.Rect(0, 0, 60, 30), black)
	Matches(picture, []fast.Corner{{X: 10, Y: 15}}, []point.Keypoint{{X: 50, Y: 15}}, image.Point{}, []match.Match{{}})
	for _, x := range []int{7, 10, 30, 50, 53} {
		require.Equal(t, warm[0], picture.At(x, 15), x)
	}
}

// What is nil is refused before anything else.
func TestNil(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 9, 9))
	for _, f := range []func(){
		func() { Canvas(nil) },
		func() { SideBySide(nil, img) },
		func() { SideBySide(img, nil) },
	} {
		require.PanicsWithValue(t, "overlay: nil image", f)
	}
	for _, f := range []func(){
		func() { Corners[fast.Corner](nil, nil) },
		func() { Keypoints(nil, nil) },
		func() { Matches[point.Keypoint, point.Keypoint](nil, nil, nil, image.Point{}, nil) },
	} {
		require.PanicsWithValue(t, "overlay: nil destination", f)
	}
}

// All pixels are the same on every platform. The sum is what amd64 gives.
func TestSamePixels(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var kps []point.Keypoint
	var matches []match.Match
	for i := range int32(300) {
		number := func(n int) float32 { return float32(random.IntN(n*64)) / 64 }
		kps = append(kps, point.Keypoint{X: number(320), Y: number(240), Size: number(100), Angle: number(360), Octave: i % 5})
		matches = append(matches, match.Match{Query: i, Train: random.Int32N(i + 1)})
	}
	picture := filled(image.Rect(0, 0, 320, 240), color.Gray{200})
	Keypoints(picture, kps)
	picture, shift := SideBySide(picture, picture)
	Matches(picture, kps, kps, shift, matches)
	sum := sha256.Sum256(picture.Pix)
	require.Equal(t, "3fcfe2b928dcf1c3", fmt.Sprintf("%x", sum[:8]))
}

// In a gray image, stronger corners and keypoints of later octaves are brighter.
func TestGrayImages(t *testing.T) {
	r := image.Rect(0, 0, 200, 50)
	for _, dst := range []draw.Image{image.NewGray(r), image.NewGray16(r)} {
		at := func(i int) image.Point { return image.Pt(20+20*i, 20) }
		var corners []fast.Corner
		var kps []point.Keypoint
		for i := range len(palette{}) {
			corners = append(corners, fast.Corner{X: int32(at(i).X), Y: int32(at(i).Y), Score: uint8(10 + i*i)})
			kps = append(kps, point.Keypoint{X: float32(at(i).X), Y: float32(at(i).Y), Size: 9, Octave: int32(i)})
		}
		for _, shapes := range []func(){func() { Corners(dst, corners) }, func() { Keypoints(dst, kps) }} {
			draw.Draw(dst, r, image.Black, image.Point{}, draw.Src)
			shapes()
			previous := uint8(0x80)
			for i := range len(palette{}) {
				v := color.GrayModel.Convert(dst.At(at(i).X, at(i).Y)).(color.Gray).Y
				require.Greater(t, v, previous, "%T, %d", dst, i)
				previous = v
			}
			require.Equal(t, uint8(0xff), previous)
		}
	}
}
