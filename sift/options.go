package sift

import (
	"cmp"
	"fmt"
	"math"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options specify which keypoints an Extractor finds, and how it describes them. The zero value has
// the defaults of OpenCV.
type Options struct {
	// Features is the number of keypoints wanted: those with the largest responses, and all others
	// with the same response as the last of them. A mask is applied afterward. Features is not
	// negative; 0, the default, means all.
	Features int
	// Layers is the number of layers of an octave in which keypoints are found, 1 to 11, at
	// most as many as Sigma allows. 0 means 3.
	Layers int
	// Contrast is the minimum response of a keypoint times Layers, 0 to 1. 0 means 0.04, and a
	// negative number means 0.
	Contrast float64
	// Edge is the largest ratio of the curvatures of a keypoint across and along an edge: more than
	// 1, even when rounded to float32, and at most 1,000,000. 0 means 10.
	Edge float64
	// Sigma is the standard deviation of the Gaussian that blurs the first layer of the first
	// octave, in pixels of that octave, up to 8. It must be large enough for all filters to have at
	// least seven taps: about 1.15 with the default number of Layers, and less with fewer Layers
	// and NoDoubling. 0 means 1.6.
	Sigma float64
	// NoDoubling begins the first octave with the image itself, not the image at twice its size.
	// There are fewer keypoints, especially small ones, and Extract takes a quarter of the memory
	// and time. It has no counterpart in cv::SIFT.
	NoDoubling bool
	// Upright sets all angles to 0, for images that are not rotated. Each extremum then gives one
	// keypoint. It has no counterpart in cv::SIFT.
	Upright bool
	// Root converts descriptors to RootSIFT, as the function Root does.
	Root bool
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// Wide returns Options for pairs of images from viewpoints that are far apart: more keypoints, up
// to 8000 except for equal responses, with lower contrast, and RootSIFT.
func Wide() Options {
	return Options{Features: 8000, Contrast: 0.01, Root: true}
}

// Limits of the options.
const (
	maxFeatures = 1_000_000_000
	maxEdge     = 1_000_000
	maxSigma    = 8
	minTaps     = 7 // OpenCV has other sums for filters with fewer taps
)

// setDefaults replaces the fields that stand for other values by these.
func (o *Options) setDefaults() {
	o.Layers = cmp.Or(o.Layers, 3)
	o.Contrast = cmp.Or(o.Contrast, 0.04)
	if o.Contrast < 0 && !math.IsInf(o.Contrast, -1) {
		o.Contrast = 0
	}
	o.Edge = cmp.Or(o.Edge, 10)
	o.Sigma = cmp.Or(o.Sigma, 1.6)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	fields := option.Fields{Package: "sift", Type: "Options"}
	switch {
	case o.Features < 0 || o.Features > maxFeatures:
		return fields.OutOfRange("Features", o.Features, fmt.Sprintf("0 to %d", maxFeatures))
	case o.Layers < 1 || o.Layers > maxLayers:
		return fields.OutOfRange("Layers", o.Layers, fmt.Sprintf("1 to %d", maxLayers))
	case !(o.Contrast >= 0 && o.Contrast <= 1): // NaN is neither
		return fields.OutOfRange("Contrast", o.Contrast, "up to 1")
	case !(float32(o.Edge) > 1 && o.Edge <= maxEdge):
		return fields.OutOfRange("Edge", o.Edge, fmt.Sprintf("more than 1 as a float32, up to %d", maxEdge))
	case !(o.Sigma > 0 && o.Sigma <= maxSigma):
		return fields.OutOfRange("Sigma", o.Sigma, fmt.Sprintf("more than 0, up to %d", maxSigma))
	case taps(baseSigma(o.Sigma, !o.NoDoubling)) < minTaps || taps(layerSigma(o.Sigma, o.Layers, 1)) < minTaps:
		return fields.OutOfRange("Sigma", o.Sigma,
			fmt.Sprintf("enough for filters of %d taps with Options.Layers %d and NoDoubling %t", minTaps, o.Layers, o.NoDoubling))
	}
	return nil
}
