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
	if cfg.mask != nil {
		if err := cfg.mask.fits(gray.Rect.Size()); err != nil {
			return result{}, fmt.Errorf("%s: %w", in.name, err)
		}
	}
	res := result{
		name:    in.name,
		size:    gray.Rect.Size(),
		opts:    cfg.opts,
		corners: choose(cfg, cfg.detector.Detect(gray), gray.Rect),
		picture: in.picture,
	}
	if cfg.format == formatTable {
		res.nsPerPixel = measure(cfg.asked, gray)
	}
	if res.picture != "" {
		if err := writePNG(res.picture, drawCorners(img, res.corners)); err != nil {
			return result{}, fmt.Errorf("%s: %w", res.picture, reason(err))
		}
	}
	return res, nil
}

// choose returns those of the corners in bounds that the mask, -strongest and
// -spread leave, in this order.
func choose(cfg config, corners []fast.Corner, bounds image.Rectangle) []fast.Corner {
	if cfg.mask != nil {
		corners = fast.InMask(corners, cfg.mask.at(bounds.Min))
	}
	if cfg.strongest > 0 {
		corners = fast.Strongest(corners, cfg.strongest)
	}
	if cfg.spread > 0 {
		corners = fast.Spread(corners, bounds, cfg.spread)
	}
	return corners
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
