package fast_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// circle lists the ring pixels 1 to 16, row by row of the definition.
var circle = [16]image.Point{
	{X: 0, Y: -3},
	{X: 1, Y: -3},
	{X: 2, Y: -2},
	{X: 3, Y: -1},
	{X: 3, Y: 0},
	{X: 3, Y: 1},
	{X: 2, Y: 2},
	{X: 1, Y: 3},
	{X: 0, Y: 3},
	{X: -1, Y: 3},
	{X: -2, Y: 2},
	{X: -3, Y: 1},
	{X: -3, Y: 0},
	{X: -3, Y: -1},
	{X: -2, Y: -2},
	{X: -1, Y: -3},
}

// segmentTest is the definition: whether some arc of the ring around p is
// brighter than p by more than threshold, pixel for pixel, or darker.
func segmentTest(img *image.Gray, p image.Point, threshold, arc int) bool {
	center := int(img.GrayAt(p.X, p.Y).Y)
	for start := range circle {
		brighter, darker := true, true
		for i := 0; i < arc && (brighter || darker); i++ {
			at := p.Add(circle[(start+i)%len(circle)])
			q := int(img.GrayAt(at.X, at.Y).Y)
			brighter = brighter && q > center+threshold
			darker = darker && q < center-threshold
		}
		if brighter || darker {
			return true
		}
	}
	return false
}

// contrasts returns, by arc length, the greatest difference that some arc around p
// keeps: the maximum over the arcs, and over brighter and darker, of the smallest
// difference on the arc. It is 0 when there is no such arc.
func contrasts(img *image.Gray, p image.Point) (best [13]int) {
	at := img.PixOffset(p.X, p.Y)
	var diffs [32]int // the ring twice, in which no arc wraps
	for i, d := range circle {
		diffs[i] = int(img.Pix[at+d.Y*img.Stride+d.X]) - int(img.Pix[at])
		diffs[i+len(circle)] = diffs[i]
	}
	for start := range circle {
		least, greatest := 255, -255
		for arc := 1; arc < len(best); arc++ {
			diff := diffs[start+arc-1]
			least, greatest = min(least, diff), max(greatest, diff)
			if least <= 0 && greatest >= 0 {
				break // neither brighter nor darker, nor is any longer arc
			}
			best[arc] = max(best[arc], least, -greatest)
		}
	}
	return best
}

// A scoreMap holds the score of each pixel of an image for one arc length, and
// -1 where the pixel is no corner at any threshold or has no whole ring.
type scoreMap struct {
	rect   image.Rectangle
	scores []int16
}

// newScoreMaps returns the maps of img by arc length.
func newScoreMaps(img *image.Gray) (maps [13]*scoreMap) {
	r := img.Rect
	for arc := 9; arc <= 12; arc++ {
		maps[arc] = &scoreMap{r, slices.Repeat([]int16{-1}, r.Dx()*r.Dy())}
	}
	inside := interior(r)
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		for x := inside.Min.X; x < inside.Max.X; x++ {
			best := contrasts(img, image.Pt(x, y))
			for arc := 9; arc <= 12; arc++ {
				maps[arc].scores[(y-r.Min.Y)*r.Dx()+x-r.Min.X] = int16(best[arc] - 1)
			}
		}
	}
	return maps
}

// interior returns the pixels of r that are not nearer than 3 to its edges.
func interior(r image.Rectangle) image.Rectangle {
	if r.Dx() < 7 || r.Dy() < 7 {
		return image.Rectangle{}
	}
	return r.Inset(3)
}

func (m *scoreMap) at(x, y int) int {
	return int(m.scores[(y-m.rect.Min.Y)*m.rect.Dx()+x-m.rect.Min.X])
}

// corners returns what detection with opts must find in the part r of the
// image. It looks at opts for all but the arc length, which is the map's.
func (m *scoreMap) corners(r image.Rectangle, opts fast.Options) []fast.Corner {
	inside := interior(r)
	isCorner := func(x, y int) bool {
		return image.Pt(x, y).In(inside) && m.at(x, y) >= int(opts.Threshold)
	}
	isMaximum := func(x, y int) bool {
		for ny := y - 1; ny <= y+1; ny++ {
			for nx := x - 1; nx <= x+1; nx++ {
				if nx == x && ny == y || !isCorner(nx, ny) {
					continue
				}
				later := ny > y || ny == y && nx > x
				equal := m.at(nx, ny) == m.at(x, y) && !(opts.FirstOfEqual && later)
				if equal || m.at(nx, ny) > m.at(x, y) {
					return false
				}
			}
		}
		return true
	}
	var corners []fast.Corner
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		for x := inside.Min.X; x < inside.Max.X; x++ {
			if !isCorner(x, y) || opts.NonmaxSuppression && !isMaximum(x, y) {
				continue
			}
			c := fast.Corner{X: int32(x), Y: int32(y)}
			if opts.Score || opts.NonmaxSuppression {
				c.Score = uint8(m.at(x, y))
			}
			corners = append(corners, c)
		}
	}
	return corners
}

// TestOracle checks that the two definitions of a score agree: the largest
// threshold that passes the segment test, and the contrast less one.
func TestOracle(t *testing.T) {
	for _, c := range canvases() {
		for arc := 9; arc <= 12; arc++ {
			m := c.scores(arc)
			inside := interior(c.img.Rect)
			rng := rand.New(rand.NewPCG(1, uint64(arc)))
			for range 40 {
				p := inside.Min.Add(image.Pt(rng.IntN(inside.Dx()), rng.IntN(inside.Dy())))
				want := 255
				for want >= 0 && !segmentTest(c.img, p, want, arc) {
					want--
				}
				require.Equal(t, want, m.at(p.X, p.Y), "%s, pixel %v, arc %d", c.name, p, arc)
			}
		}
	}
}

// A canvas is an image whose parts are the inputs of tests, with what the
// oracle says about it.
type canvas struct {
	name string
	img  *image.Gray
	maps [13]*scoreMap // by arc length, when they are needed
}

// scores returns the scores of c for an arc length.
func (c *canvas) scores(arc int) *scoreMap {
	if c.maps[arc] == nil {
		c.maps = newScoreMaps(c.img)
	}
	return c.maps[arc]
}

// want returns the corners of the part r of c.
func (c *canvas) want(r image.Rectangle, opts fast.Options) []fast.Corner {
	return c.scores(opts.ArcLength).corners(r, opts)
}

// part returns the part r of c as an image with its own pixels, which start at
// an offset into a larger slice. What belongs to no pixel, between the rows
// and around the image, is noise.
func (c *canvas) part(r image.Rectangle, stride, offset int) *image.Gray {
	size := 0
	if !r.Empty() {
		size = (r.Dy()-1)*stride + r.Dx()
	}
	pix := noise(rand.New(rand.NewPCG(uint64(stride), uint64(offset))), offset+size+64)
	img := &image.Gray{Pix: pix[offset : offset+size], Stride: stride, Rect: r}
	copyPixels(img, c.img)
	return img
}

// copyPixels sets the pixels of dst to those of src.
func copyPixels(dst, src *image.Gray) {
	r := dst.Rect
	for y := r.Min.Y; y < r.Max.Y && r.Dx() > 0; y++ {
		copy(dst.Pix[dst.PixOffset(r.Min.X, y):][:r.Dx()], src.Pix[src.PixOffset(r.Min.X, y):])
	}
}

// A content fills images with pixels.
type content struct {
	name string
	fill func(rng *rand.Rand, pix []byte, stride int)
}

// contents are the synthetic contents; photos come on top of them.
var contents = []content{
	{"random", func(rng *rand.Rand, pix []byte, stride int) { copy(pix, noise(rng, len(pix))) }},
	{"binary", pick(0, 255)},
	{"few white", pick(0, 0, 0, 0, 0, 0, 0, 255)},
	{"few black", pick(255, 255, 255, 255, 255, 255, 255, 0)},
	{"flat", pick(77)},
	// Differences of exactly 25 and 26: the comparisons are strict.
	{"bright step", pick(100, 125, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126)},
	{"dark step", pick(100, 75, 74, 74, 74, 74, 74, 74, 74, 74, 74, 74, 74, 74)},
	// Differences of exactly 0 and 1, at the ends of the range.
	{"black step", pick(1, 0, 0, 0, 0, 0, 0, 0, 0)},
	{"white step", pick(254, 255, 255, 255, 255, 255, 255, 255, 255)},
	{"checkerboard", func(_ *rand.Rand, pix []byte, stride int) {
		for i := range pix {
			if (i/stride/5+i%stride/5)%2 == 1 {
				pix[i] = 200
			}
		}
	}},
	{"dots", func(rng *rand.Rand, pix []byte, stride int) {
		for range len(pix) / 150 {
			pix[rng.IntN(len(pix))] = byte(rng.Uint32())
		}
	}},
	// Ramps wrap from 255 to 0, and a saturating sum ends there.
	{"ramps", func(_ *rand.Rand, pix []byte, stride int) {
		for i := range pix {
			pix[i] = byte(i%stride*11 + i/stride*7)
		}
	}},
	cones,
}

// cones is the content with the most corners known: with arcs of 9 at threshold 0
// more than four of five pixels.
var cones = content{"cones", func(_ *rand.Rand, pix []byte, stride int) {
	const period = 14
	for i := range pix {
		dx, dy := i%stride%period-period/2, i/stride%period-period/2
		pix[i] = byte(255 - 8*math.Hypot(float64(dx), float64(dy)))
	}
}}

// pick returns a fill of values drawn at random.
func pick(values ...byte) func(rng *rand.Rand, pix []byte, stride int) {
	return func(rng *rand.Rand, pix []byte, stride int) {
		for i := range pix {
			pix[i] = values[rng.IntN(len(values))]
		}
	}
}

// noise returns n random bytes.
func noise(rng *rand.Rand, n int) []byte {
	pix := make([]byte, n)
	for i := range pix {
		pix[i] = byte(rng.Uint32())
	}
	return pix
}

// newCanvas returns a canvas of one of the contents.
func newCanvas(c content, r image.Rectangle) *canvas {
	img := image.NewGray(r)
	c.fill(rand.New(rand.NewPCG(2, 3)), img.Pix, img.Stride)
	return &canvas{name: c.name, img: img}
}

// canvasRect is the bounds of the canvases: coordinates are negative, zero and
// positive, and the stride is no multiple of any vector.
var canvasRect = image.Rect(-41, -9, 1117, 42)

// canvases returns one canvas of each content and parts of photos.
var canvases = sync.OnceValue(func() []*canvas {
	var list []*canvas
	for _, c := range contents {
		list = append(list, newCanvas(c, canvasRect))
	}
	for _, name := range []string{"picos_1280x720", "seeding_1920x1080"} {
		img := image.NewGray(canvasRect)
		photo := *photo(name)
		photo.Rect = photo.Rect.Add(canvasRect.Min).Sub(image.Pt(50, 300))
		copyPixels(img, &photo)
		list = append(list, &canvas{name: name, img: img})
	}
	return list
})

// requireCorners fails the test unless got is want, which is the oracle's.
func requireCorners(t testing.TB, want, got []fast.Corner, format string, args ...any) {
	t.Helper()
	if slices.Equal(want, got) {
		return
	}
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	at := func(list []fast.Corner) string {
		if i < len(list) {
			return fmt.Sprint(list[i])
		}
		return "the end"
	}
	t.Fatalf("%s:\ngot %d corners, want %d; number %d is %v, want %v",
		fmt.Sprintf(format, args...), len(got), len(want), i, at(got), at(want))
}
