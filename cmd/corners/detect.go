package main

import (
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/fastcorners/fast"
)

// A result is what was found in an image.
type result struct {
	name       string
	size       image.Point
	opts       fast.Options // with the kernel that did the work
	corners    []fast.Corner
	nsPerPixel float64 // measured for the table only
	picture    string  // path of the picture, or empty
}

// process finds the corners of an input and draws its picture.
func process(cfg config, in input) (result, error) {
	img, err := in.load()
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", in.name, err)
	}
	gray := fast.Gray(img)
	cfg.opts.Kernel = cfg.detector.Kernel()
	res := result{
		name:    in.name,
		size:    gray.Rect.Size(),
		opts:    cfg.opts,
		corners: cfg.detector.Detect(gray),
		picture: in.picture,
	}
	if cfg.format == formatTable {
		res.nsPerPixel = measure(cfg.detector, gray)
	}
	if res.picture != "" {
		if err := writePNG(res.picture, drawCorners(img, res.corners)); err != nil {
			return result{}, fmt.Errorf("%s: %w", res.picture, reason(err))
		}
	}
	return res, nil
}

// measure returns the median time in nanoseconds per pixel that d takes for
// img. One run of a small image is too short for the clock: it takes up to a
// hundred, but no more than about ten milliseconds.
func measure(d *fast.Detector, img *image.Gray) float64 {
	var corners []fast.Corner
	var times []time.Duration
	for start := time.Now(); len(times) < 100 && time.Since(start) < 10*time.Millisecond; {
		t := time.Now()
		corners = d.Append(corners[:0], img)
		times = append(times, time.Since(t))
	}
	slices.Sort(times)
	pixels := max(1, img.Rect.Dx()*img.Rect.Dy())
	return float64(times[len(times)/2].Nanoseconds()) / float64(pixels)
}
