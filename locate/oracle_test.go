package locate_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/fastcorners/fast/locate"
	"github.com/stretchr/testify/require"
)

// A picture is pixels of one channel or of three.
type picture struct {
	w, h int
	pix  [][]int64 // by rows, of each channel
}

// at returns a pixel.
func (p *picture) at(c, x, y int) int64 { return p.pix[c][y*p.w+x] }

// grayPicture returns the pixels of an image.
func grayPicture(img *image.Gray) *picture {
	p := &picture{w: img.Rect.Dx(), h: img.Rect.Dy(), pix: make([][]int64, 1)}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			p.pix[0] = append(p.pix[0], int64(img.GrayAt(x, y).Y))
		}
	}
	return p
}

// colorPicture returns the pixels of an image.
func colorPicture(img *image.RGBA) *picture {
	p := &picture{w: img.Rect.Dx(), h: img.Rect.Dy(), pix: make([][]int64, 3)}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			v := img.RGBAAt(x, y)
			for c, v := range []uint8{v.R, v.G, v.B} {
				p.pix[c] = append(p.pix[c], int64(v))
			}
		}
	}
	return p
}

// scores returns the scores of all places by the definition, the number of places in a row, and of
// rows. The mask may be nil.
func scores(scene, template *picture, mask []bool, similarity locate.Similarity) (list []float64, w, h int) {
	w, h = scene.w-template.w+1, scene.h-template.h+1
	if w <= 0 || h <= 0 {
		return nil, 0, 0
	}
	channels := len(scene.pix)
	for y := range h {
		for x := range w {
			var numerator, left, right, difference, n int64
			for c := range channels {
				var d, s1, s2, t1, t2 int64
				n = 0
				for j := range template.h {
					for i := range template.w {
						if mask != nil && !mask[j*template.w+i] {
							continue
						}
						a, b := template.at(c, i, j), scene.at(c, x+i, y+j)
						n++
						d += a * b
						s1 += b
						s2 += b * b
						t1 += a
						t2 += a * a
					}
				}
				switch similarity {
				case locate.Correlation:
					numerator += n*d - t1*s1
					left += n*t2 - t1*t1
					right += n*s2 - s1*s1
				case locate.Cosine:
					numerator += d
					left += t2
					right += s2
				case locate.Difference:
					difference += t2 + s2 - 2*d
				}
			}
			score := 0.0
			if similarity == locate.Difference {
				score = 1 - float64(difference)/float64(65025*n*int64(channels))
			} else if left != 0 && right != 0 {
				score = float64(numerator) / math.Sqrt(float64(left)*float64(right))
			}
			list = append(list, math.Max(-1, math.Min(score, 1)))
		}
	}
	return list, w, h
}

// An oracle finds matches in scores by their definition.
type oracle struct {
	scores []float64
	w, h   int // of places
	tw, th int // of the template
	origin image.Point
}

// match returns the match at place i.
func (o *oracle) match(i int) locate.Match {
	x, y := i%o.w, i/o.w
	shift := func(inside bool, step int) float64 {
		if !inside {
			return 0
		}
		u, v := o.scores[i]-o.scores[i-step], o.scores[i]-o.scores[i+step]
		if u < 0 || v < 0 || u+v == 0 {
			return 0
		}
		return (u - v) / (2 * (u + v))
	}
	return locate.Match{
		X: o.origin.X + x, Y: o.origin.Y + y, Score: o.scores[i],
		DX: shift(x > 0 && x < o.w-1, 1), DY: shift(y > 0 && y < o.h-1, o.w),
	}
}

// find returns what Find does.
func (o *oracle) find(minScore float64) (locate.Match, bool) {
	best := -1
	for i, v := range o.scores {
		if best < 0 || v > o.scores[best] {
			best = i
		}
	}
	if best < 0 || o.scores[best] < minScore {
		return locate.Match{}, false
	}
	return o.match(best), true
}

// findAll returns what FindAll does.
func (o *oracle) findAll(minScore, overlap float64, most int) []locate.Match {
	var order []int
	for i, v := range o.scores {
		if v >= minScore {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case o.scores[a] > o.scores[b]:
			return -1
		case o.scores[a] < o.scores[b]:
			return 1
		}
		return 0
	})
	var kept []int
next:
	for _, i := range order {
		for _, k := range kept {
			r := image.Rect(0, 0, o.tw, o.th)
			common := r.Add(image.Pt(i%o.w, i/o.w)).Intersect(r.Add(image.Pt(k%o.w, k/o.w)))
			if !common.Empty() && float64(common.Dx()*common.Dy()) > overlap*float64(o.tw*o.th) {
				continue next
			}
		}
		if kept = append(kept, i); len(kept) == most {
			break
		}
	}
	var matches []locate.Match
	for _, i := range kept {
		matches = append(matches, o.match(i))
	}
	return matches
}

// An instance is a scene, a template and a mask, as images.
type instance struct {
	scene, template *image.Gray
	// In color these are used instead.
	colorScene, colorTemplate *image.RGBA
	mask                      *image.Gray
}

// make returns what package locate makes of them.
func (in *instance) make(t testing.TB) (*locate.Scene, *locate.Template) {
	t.Helper()
	if in.colorScene != nil {
		template, err := locate.NewColorTemplate(in.colorTemplate, in.mask)
		require.NoError(t, err)
		return locate.NewColorScene(in.colorScene), template
	}
	template, err := locate.NewTemplate(in.template, in.mask)
	require.NoError(t, err)
	return locate.NewScene(in.scene), template
}

// oracle returns the oracle of a similarity.
func (in *instance) oracle(s locate.Similarity) *oracle {
	var scene, template *picture
	var origin image.Point
	if in.colorScene != nil {
		scene, template, origin = colorPicture(in.colorScene), colorPicture(in.colorTemplate), in.colorScene.Rect.Min
	} else {
		scene, template, origin = grayPicture(in.scene), grayPicture(in.template), in.scene.Rect.Min
	}
	var mask []bool
	if in.mask != nil {
		for _, v := range grayPicture(in.mask).pix[0] {
			mask = append(mask, v != 0)
		}
	}
	o := &oracle{tw: template.w, th: template.h, origin: origin}
	o.scores, o.w, o.h = scores(scene, template, mask, s)
	return o
}

// colors returns a picture in color: red is img, green the same mirrored, blue upside down.
func colors(img *image.Gray) *image.RGBA {
	r := img.Rect
	dst := image.NewRGBA(r)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			dst.SetRGBA(x, y, color.RGBA{
				img.GrayAt(x, y).Y,
				img.GrayAt(r.Min.X+r.Max.X-1-x, y).Y,
				img.GrayAt(x, r.Min.Y+r.Max.Y-1-y).Y,
				255,
			})
		}
	}
	return dst
}
