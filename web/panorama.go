//go:build js && wasm && !boards

package main

import (
	"image"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/warp"
)

// mostPanorama is the largest number of pixels of a panorama.
const mostPanorama = 16e6

// A panoramaFinder finds matches, and moves the second picture to where it is in the plane of the
// first one, in colors.
type panoramaFinder struct {
	*matchFinder
	warper *warp.Warper
	moved  image.NRGBA // the second picture; it is empty if it has no place
}

func newPanoramaFinder(o options) (finder, error) {
	m, err := newMatchFinder(o)
	if err != nil {
		return nil, err
	}
	w, err := warp.New(warp.Options{})
	if err != nil {
		return nil, err
	}
	return &panoramaFinder{matchFinder: m, warper: w}, nil
}

func (f *panoramaFinder) find(pictures *[slots]picture) {
	f.matchFinder.find(pictures)
	f.moved.Rect = f.place(pictures[0].gray.Rect, pictures[1].gray.Rect)
	if f.moved.Rect.Empty() {
		return
	}
	n := 4 * f.moved.Rect.Dx() * f.moved.Rect.Dy()
	if cap(f.moved.Pix) < n {
		f.moved.Pix = make([]byte, n)
	}
	f.moved.Pix, f.moved.Stride = f.moved.Pix[:n], 4*f.moved.Rect.Dx()
	f.warper.NRGBA(&f.moved, &pictures[1].colors, warp.Of(f.agreed.fit.Transform))
}

// place returns where the second picture is in the plane of the first one, or nothing if that is
// not known or too large.
func (f *panoramaFinder) place(first, second image.Rectangle) image.Rectangle {
	if !f.agreed.found {
		return image.Rectangle{}
	}
	back, ok := f.agreed.fit.Transform.Inverse()
	if !ok {
		return image.Rectangle{}
	}
	place, ok := back.Bounds(second)
	if all := place.Union(first); !ok || float64(all.Dx())*float64(all.Dy()) > mostPanorama {
		return image.Rectangle{}
	}
	return place
}

// describe adds the picture, if there is one.
func (f *panoramaFinder) describe(result map[string]any) {
	f.matchFinder.describe(result)
	if r := f.moved.Rect; !r.Empty() {
		result["picture"] = map[string]any{
			"address": address(f.moved.Pix), "x": r.Min.X, "y": r.Min.Y, "width": r.Dx(), "height": r.Dy(),
		}
	}
}

// A homography is what matches agree with.
type homography struct {
	estimator *geometry.Estimator
	a, b      []geometry.Point
	distances []float64
	fit       geometry.Fit
	found     bool
}

func newHomography() (*homography, error) {
	e, err := geometry.New(geometry.Options{})
	if err != nil {
		return nil, err
	}
	return &homography{estimator: e}, nil
}

// find finds it, if there is one.
func (h *homography) find(a, b []orb.Keypoint, matches []match.Match) {
	h.a, h.b, h.distances = geometry.AppendPairs(h.a[:0], h.b[:0], h.distances[:0], a, b, matches)
	var err error
	h.fit, err = h.estimator.Estimate(h.a, h.b, h.distances, nil)
	h.found = err == nil
}
