package main

import (
	"fmt"
	"image"
	"maps"
	"math"
	"slices"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/point"
)

// mostCorners is how many corners are looked for in each photo and each view, by the size of
// kernels. Large ones do not find many.
var mostCorners = map[int]int{9: 300, 31: 100}

const (
	// repeatedWithin is how far from where it belongs a corner may be, in pixels of the
	// view.
	repeatedWithin = 1.5
	// repeatedMargin is how many pixels at the edges have no corners, so that all detectors
	// look for them in the same part of the image.
	repeatedMargin = 32
)

// A cornerFinder finds corners, the strongest first.
type cornerFinder struct {
	name   string
	kernel int // finders of the same are compared
	find   func(img, mask *image.Gray) []image.Point
}

// cornerFinders returns the detectors that are compared. They find any corner, however
// weak it is, but only the best.
func cornerFinders() ([]cornerFinder, error) {
	const quality = 1e-9
	var list []cornerFinder
	for _, f := range []struct {
		kernel int
		name   string
		opts   harris.Options
	}{
		{9, "separable Harris 9x9", harris.Separable9()},
		{9, "Harris with Sobel 3x3", sobel()},
		{31, "separable Harris 31x31", harris.Separable31()},
	} {
		if len(list) == 0 || list[len(list)-1].kernel != f.kernel {
			d, err := lococo.New(lococo.Options{KernelSizes: []int{f.kernel}, Quality: quality, MaxCorners: mostCorners[f.kernel]})
			if err != nil {
				return nil, err
			}
			list = append(list, cornerFinder{fmt.Sprintf("LoCoCo %dx%[1]d", f.kernel), f.kernel, func(img, mask *image.Gray) []image.Point {
				return places(d.Detect(img, mask))
			}})
		}
		f.opts.Quality, f.opts.MaxCorners = quality, mostCorners[f.kernel]
		d, err := harris.New(f.opts)
		if err != nil {
			return nil, err
		}
		list = append(list, cornerFinder{f.name, f.kernel, func(img, mask *image.Gray) []image.Point {
			return places(d.Detect(img, mask))
		}})
	}
	return list, nil
}

// places returns where the corners are.
func places[C point.Positioned](corners []C) []image.Point {
	var points []image.Point
	for _, c := range corners {
		points = append(points, c.Pt())
	}
	return points
}

// findEqually has all finders look for corners in a photo and a view, with their masks, and
// returns, by finder, equal numbers of them for those of the same kernel.
func findEqually(finders []cornerFinder, photo, photoMask, view, viewMask *image.Gray) (from, to [][]image.Point) {
	n := maps.Clone(mostCorners)
	for _, f := range finders {
		from, to = append(from, f.find(photo, photoMask)), append(to, f.find(view, viewMask))
		n[f.kernel] = min(n[f.kernel], len(from[len(from)-1]), len(to[len(to)-1]))
	}
	for i, f := range finders {
		from[i], to[i] = from[i][:n[f.kernel]], to[i][:n[f.kernel]]
	}
	return from, to
}

// inner returns a mask for all of an image of this size but its margin.
func inner(size image.Point) *image.Gray {
	mask := image.NewGray(image.Rectangle{Max: size})
	r := mask.Rect.Inset(repeatedMargin)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			mask.Pix[mask.PixOffset(x, y)] = 255
		}
	}
	return mask
}

// A repetition counts how many corners there are in photos, how many of them may be found
// again in views, and how many are.
type repetition struct{ corners, visible, repeated int }

// add counts the corners of a photo and those of its view, which has this mask and shows
// the photo's points where plane maps them.
func (r *repetition) add(from, to []image.Point, plane geometry.Transform, mask *image.Gray) {
	r.corners += len(from)
	for _, c := range from {
		p := plane.Apply(geometry.Point{X: float64(c.X), Y: float64(c.Y)})
		if mask.GrayAt(int(math.Round(p.X)), int(math.Round(p.Y))).Y == 0 {
			continue
		}
		r.visible++
		if slices.ContainsFunc(to, func(c image.Point) bool {
			return math.Hypot(float64(c.X)-p.X, float64(c.Y)-p.Y) <= repeatedWithin
		}) {
			r.repeated++
		}
	}
}

// repeatability tells how many corners of photos are found again in views.
func repeatability(s *session) (map[string][]byte, error) {
	finders, err := cornerFinders()
	if err != nil {
		return nil, err
	}
	withChange := changes()[1:]
	views, photos := eachView(s, withChange, len(finders), func(counts []repetition, v view, photo *image.Gray) {
		img, plane := v.of(photo)
		mask := inner(img.Rect.Size())
		from, to := findEqually(finders, photo, inner(photo.Rect.Size()), img, mask)
		for i := range finders {
			counts[i].add(from[i], to[i], plane, mask)
		}
	})
	header := []string{"change"}
	for i, f := range finders {
		if i == 0 || f.kernel != finders[i-1].kernel {
			header = append(header, "corners")
		}
		header = append(header, f.name)
	}
	rows := make([][]string, len(views)+1)
	for i, v := range views {
		rows[i] = []string{v.name}
	}
	rows[len(views)] = []string{"mean"}
	for j, f := range finders {
		first := j == 0 || f.kernel != finders[j-1].kernel
		sum := 0.
		for i, v := range views {
			r := v.counts[j]
			if first {
				rows[i] = append(rows[i], fmt.Sprintf("%.0f", float64(r.corners)/float64(photos)))
			}
			share := 100 * float64(r.repeated) / float64(r.visible)
			rows[i] = append(rows[i], fmt.Sprintf("%.1f", share))
			sum += share
		}
		if first {
			rows[len(views)] = append(rows[len(views)], "")
		}
		rows[len(views)] = append(rows[len(views)], fmt.Sprintf("%.1f", sum/float64(len(views))))
	}
	return map[string][]byte{
		"repeatability.md": s.page("Corners found again", measure.UsualClock(),
			fmt.Sprintf("Which share of the corners of %d photos, in percent, is found again after a change. There are as many corners of "+
				"each detector as of the others with the same kernels, the strongest of a photo and of its view: %d, or with 31x31 %d, or "+
				"fewer if one of them finds fewer; the means are in the table. A corner is found again when one of the view is at "+
				"most %v pixels of the view from where it belongs. Those that belong outside of the view, or within %d pixels of its edges, do "+
				"not count: no detector looks for corners there.",
				photos, mostCorners[9], mostCorners[31], repeatedWithin, repeatedMargin),
			"All have suppression within 4 pixels in both directions, and no corners in fractions of pixels. Kernels and windows have the same "+
				"size. Separable Harris is what the papers on LoCoCo compare it with, with the derivatives of Gaussians; Harris with Sobel has "+
				"gradients and windows of 3 by 3 pixels.",
			table(1, header, rows),
			"These are changes by computation, with bilinear interpolation: no other light, no occlusion, no depth, no blur, no lens. A "+
				"rotated or tilted view is as large as the photo, and shows the photo in a mirror where it goes beyond the photo's edges."),
	}, nil
}
