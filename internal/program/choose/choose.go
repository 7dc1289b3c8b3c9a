// Package choose finds corners for the commands, and chooses among them as their flags and jobs
// ask.
package choose

import (
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/vpi"
)

// A Search appends corners of an image to dst: those where the mask is not 0, or all without
// one.
type Search[C any] func(dst []C, img, mask *image.Gray) []C

// FAST returns a search for the corners of which the mask keeps some, of these strongest keeps
// as many of the strongest ones, and of these spread as many from everywhere in the image. 0
// keeps all.
func FAST(d *fast.Detector, strongest, spread int) Search[fast.Corner] {
	return func(dst []fast.Corner, img, mask *image.Gray) []fast.Corner {
		dst = fast.InMask(d.Append(dst, img), mask)
		if strongest > 0 {
			dst = fast.Strongest(dst, strongest)
		}
		if spread > 0 {
			dst = fast.Spread(dst, img.Rect, spread)
		}
		return dst
	}
}

// VPI returns a search for the corners that the mask keeps. If strongest is not 0, the first
// ones are as many of these; the options of d should have the strongest corners come first.
func VPI(d *vpi.Detector, strongest int) Search[vpi.Corner] {
	return func(dst []vpi.Corner, img, mask *image.Gray) []vpi.Corner {
		dst = fast.InMask(d.Append(dst, img), mask)
		if strongest > 0 {
			dst = dst[:min(strongest, len(dst))]
		}
		return dst
	}
}
