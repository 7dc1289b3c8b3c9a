// Package prints renders flat patterns of cells, such as fiducial markers, as a camera sees them, so
// that tests and measurements know where they are. A pixel is the mean of the scene, blurred by a lens,
// over its square.
package prints

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fastcorners/fast/geometry"
)

// A Pattern is a square of cells, from First to Last in both directions. Its coordinates are -1 to 1
// across the Cells cells from 0 on.
type Pattern struct {
	First, Last, Cells int
	White              func(x, y int) bool
}

// Corner returns the coordinates of the upper left corner of a cell.
func (p *Pattern) Corner(x, y int) geometry.Point {
	return geometry.Point{X: 2*float64(x)/float64(p.Cells) - 1, Y: 2*float64(y)/float64(p.Cells) - 1}
}

// Drawn returns the pattern of a drawing whose cells have a pixel each, and that extends by the given
// number of cells beyond the square from -1 to 1. The bounds of the drawing begin at 0, 0.
func Drawn(drawing *image.Gray, margin int) Pattern {
	n := drawing.Rect.Dx()
	return Pattern{
		First: -margin, Last: n - 1 - margin, Cells: n - 2*margin,
		White: func(x, y int) bool { return drawing.GrayAt(x+margin, y+margin).Y != 0 },
	}
}

// Chessboard returns a board with the given numbers of inner corners in a row and in a column, and a white
// margin around it that is a square wide. The square at 0, 0 is black.
func Chessboard(columns, rows int) Pattern {
	n := max(columns, rows) + 1
	return Pattern{
		First: -1, Last: n, Cells: n,
		White: func(x, y int) bool { return x < 0 || y < 0 || x > columns || y > rows || (x+y)%2 != 0 },
	}
}

// Ink is the brightness of black and of white cells.
type Ink struct{ Black, White float64 }

// A Cover hides the part of a pattern whose coordinates have A*u + B*v > C, by a gray.
type Cover struct{ A, B, C, Gray float64 }

// hides reports whether the cover hides u, v.
func (c *Cover) hides(u, v float64) bool { return c.A*u+c.B*v > c.C }

// gray returns the brightness at u, v, and whether that is in the pattern.
func (p *Pattern) gray(u, v float64, ink Ink, covers []Cover) (float64, bool) {
	step := 2 / float64(p.Cells)
	low := -1 + step*float64(p.First)
	i, j := int(math.Floor((u-low)/step)), int(math.Floor((v-low)/step))
	if i < 0 || j < 0 || i > p.Last-p.First || j > p.Last-p.First {
		return 0, false
	}
	for k := range covers {
		if covers[k].hides(u, v) {
			return covers[k].Gray, true
		}
	}
	if p.White(i+p.First, j+p.First) {
		return ink.White, true
	}
	return ink.Black, true
}

// fine is the number of subpixels along a side of a pixel. A lens blurs what is in front of the pixels, and
// subpixels are so small that their means can be blurred instead. A blur of the means of pixels would be
// another one: edges would become polygons.
const fine = 4

// A Scene is what a camera looks at.
type Scene struct {
	width, height int       // in pixels
	pix           []float64 // the means of subpixels
}

// NewScene returns a scene of one gray.
func NewScene(width, height int, gray float64) *Scene {
	return &Scene{width, height, slices.Repeat([]float64{gray}, width*fine*height*fine)}
}

// FromGray returns a scene of which each pixel is that of an image.
func FromGray(img *image.Gray) *Scene {
	s := NewScene(img.Rect.Dx(), img.Rect.Dy(), 0)
	for y := range s.height {
		first := s.row(y * fine)
		for x := range first {
			first[x] = float64(img.Pix[y*img.Stride+x/fine])
		}
		for i := 1; i < fine; i++ {
			copy(s.row(y*fine+i), first)
		}
	}
	return s
}

// row returns a row of subpixels.
func (s *Scene) row(y int) []float64 { return s.pix[y*s.width*fine:][:s.width*fine] }

// Place draws a pattern where t maps its coordinates to pixels, whose centers are integers. The whole
// pattern must be in front of the camera. Along x the means are exact, and along y they are those of the
// given number of lines in each row of subpixels.
func (s *Scene) Place(p Pattern, t geometry.Transform, ink Ink, covers []Cover, lines int) {
	for i := range 3 { // to subpixels
		t[i] = fine*t[i] + (fine-1)/2.*t[6+i]
		t[3+i] = fine*t[3+i] + (fine-1)/2.*t[6+i]
	}
	inverse, ok := t.Inverse()
	if !ok {
		panic("prints: the transform has no inverse")
	}
	step := 2 / float64(p.Cells)
	low, high := -1+step*float64(p.First), -1+step*float64(p.Last+1)
	box := bounds(t, low, high).Intersect(image.Rect(0, 0, s.width*fine, s.height*fine))
	if box.Empty() {
		return
	}
	l := line{left: float64(box.Min.X) - .5, right: float64(box.Max.X) - .5}
	sum, share := make([]float64, box.Dx()), make([]float64, box.Dx())
	for y := box.Min.Y; y < box.Max.Y; y++ {
		clear(sum)
		clear(share)
		for k := range lines {
			l.set(&inverse, float64(y)-.5+(float64(k)+.5)/float64(lines))
			for i := range p.Last - p.First + 2 {
				at := low + step*float64(i)
				l.cut(1, 0, at)
				l.cut(0, 1, at)
			}
			for _, c := range covers {
				l.cut(c.A, c.B, c.C)
			}
			l.each(func(from, to, u, v float64) {
				gray, ok := p.gray(u, v, ink, covers)
				if !ok {
					return
				}
				for x := int(math.Floor(from + .5)); x < box.Max.X && float64(x)-.5 < to; x++ {
					part := (min(to, float64(x)+.5) - max(from, float64(x)-.5)) / float64(lines)
					sum[x-box.Min.X] += part * gray
					share[x-box.Min.X] += part
				}
			})
		}
		row := s.row(y)[box.Min.X:box.Max.X]
		for i := range row {
			row[i] = row[i]*(1-share[i]) + sum[i]
		}
	}
}

// PlaceBent draws a pattern as Place does, but through a lens: straighten sets its first argument to where t has
// what is seen at the pixels of its second one, such as the method Undistort of a camera. Subpixels are the means
// of n by n places in them.
func (s *Scene) PlaceBent(p Pattern, t geometry.Transform, ink Ink, covers []Cover, n int, straighten func(dst, src []geometry.Point)) {
	inverse, ok := t.Inverse()
	if !ok {
		panic("prints: the transform has no inverse")
	}
	// At the corners of pixels, and between these in proportion.
	columns := s.width + 1
	corners := make([]geometry.Point, 0, columns*(s.height+1))
	for y := range s.height + 1 {
		for x := range columns {
			corners = append(corners, geometry.Point{X: float64(x) - .5, Y: float64(y) - .5})
		}
	}
	straighten(corners, corners)
	at := func(x, y float64) geometry.Point {
		i, j := int(x), int(y)
		fx, fy := x-float64(i), y-float64(j)
		c := corners[j*columns+i:]
		mean := func(a, b, c, d float64) float64 { return (1-fy)*((1-fx)*a+fx*b) + fy*((1-fx)*c+fx*d) }
		return inverse.Apply(geometry.Point{
			X: mean(c[0].X, c[1].X, c[columns].X, c[columns+1].X),
			Y: mean(c[0].Y, c[1].Y, c[columns].Y, c[columns+1].Y),
		})
	}
	step := 1 / float64(n*fine)
	for y := range s.height * fine {
		row := s.row(y)
		for x := range row {
			sum, share := 0.0, 0.0
			for k := range n * n {
				q := at(float64(x)/fine+(float64(k%n)+.5)*step, float64(y)/fine+(float64(k/n)+.5)*step)
				if gray, ok := p.gray(q.X, q.Y, ink, covers); ok {
					sum += gray
					share++
				}
			}
			row[x] = (sum + row[x]*(float64(n*n)-share)) / float64(n*n)
		}
	}
}

// bounds returns the pixels of a square of the pattern's coordinates from low to high.
func bounds(t geometry.Transform, low, high float64) image.Rectangle {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, c := range [4]geometry.Point{{X: low, Y: low}, {X: high, Y: low}, {X: high, Y: high}, {X: low, Y: high}} {
		p := t.Apply(c)
		x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
	}
	return image.Rect(int(math.Floor(x0))-1, int(math.Floor(y0))-1, int(math.Ceil(x1))+2, int(math.Ceil(y1))+2)
}

// A line is a horizontal one through the image, and where it is cut. Along it, u is
// (rise[0]*x + start[0]) / (rise[2]*x + start[2]), and v alike.
type line struct {
	left, right float64
	rise, start [3]float64
	cuts        []float64
}

// set begins the line at y, from left to right.
func (l *line) set(inverse *geometry.Transform, y float64) {
	for i := range 3 {
		l.rise[i], l.start[i] = inverse[3*i], inverse[3*i+1]*y+inverse[3*i+2]
	}
	l.cuts = append(l.cuts[:0], l.left, l.right)
}

// cut cuts the line where a*u + b*v = c.
func (l *line) cut(a, b, c float64) {
	rise := a*l.rise[0] + b*l.rise[1] - c*l.rise[2]
	x := -(a*l.start[0] + b*l.start[1] - c*l.start[2]) / rise
	if x > l.left && x < l.right { // not where rise is 0
		l.cuts = append(l.cuts, x)
	}
}

// each calls f for each part between cuts, with u and v of its middle.
func (l *line) each(f func(from, to, u, v float64)) {
	slices.Sort(l.cuts)
	for i, to := range l.cuts[1:] {
		from := l.cuts[i]
		x := (from + to) / 2
		w := l.rise[2]*x + l.start[2]
		f(from, to, (l.rise[0]*x+l.start[0])/w, (l.rise[1]*x+l.start[1])/w)
	}
}

// Pixels are what the pixels of a camera see, not rounded yet.
type Pixels struct {
	width, height int
	pix           []float64
}

// Pixels returns what pixels see through a lens that blurs by a Gaussian with the given standard deviation in
// pixels, or not if it is 0. At its edges, the scene is mirrored.
func (s *Scene) Pixels(blur float64) *Pixels {
	weights := pixel(blur)
	beside := (len(weights) - fine) / 2
	mirror := func(i, size int) int {
		for i < 0 || i >= size {
			i = max(-1-i, min(i, 2*size-1-i))
		}
		return i
	}
	p := &Pixels{s.width, s.height, make([]float64, 0, s.width*s.height)}
	row := make([]float64, s.width*fine+2*beside) // of subpixels that are as high as pixels
	inner := row[beside:][:s.width*fine]
	for y := range s.height {
		clear(inner)
		for i, w := range weights {
			for x, v := range s.row(mirror(y*fine+i-beside, s.height*fine)) {
				inner[x] += w * v
			}
		}
		for i := range beside {
			row[i] = inner[mirror(i-beside, len(inner))]
			row[beside+len(inner)+i] = inner[mirror(len(inner)+i, len(inner))]
		}
		for x := range s.width {
			sum := 0.0
			for i, v := range row[x*fine:][:len(weights)] {
				sum += weights[i] * v
			}
			p.pix = append(p.pix, sum)
		}
	}
	return p
}

// pixel returns the weights of subpixels in the mean of a pixel after a blur: as many before those of the
// pixel as behind them.
func pixel(blur float64) []float64 {
	sigma := blur * fine
	n := int(math.Ceil(4 * sigma))
	weights := make([]float64, 2*n+fine)
	total := 0.0
	for i := range 2*n + 1 {
		w := 1.0
		if n > 0 {
			x := float64(i - n)
			w = math.Exp(-x * x / (2 * sigma * sigma))
		}
		for k := range fine {
			weights[i+k] += w
		}
		total += fine * w
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights
}

// Gray returns the image with noise of that standard deviation, rounded.
func (p *Pixels) Gray(noise float64, rng *rand.Rand) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, p.width, p.height))
	for i, v := range p.pix {
		if noise > 0 {
			v += noise * rng.NormFloat64()
		}
		img.Pix[i] = uint8(min(max(math.Round(v), 0), 255))
	}
	return img
}
