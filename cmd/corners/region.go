package main

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

// A roi is the region of interest.
type roi struct {
	cli.Region
}

// fill adds the region to an object in JSON.
func (r *roi) fill(o *report.Object) {
	o.Add("x", r.Min.X)
	o.Add("y", r.Min.Y)
	o.Add("width", r.Dx())
	o.Add("height", r.Dy())
}

// region returns the part of an image that is searched, and the same part of the mask, or
// nil. It fails when the mask has another size, or when the region is not within the image.
func (c *config) region(img *image.Gray) (part, mask *image.Gray, err error) {
	size := img.Rect.Size()
	if c.mask != nil {
		mask = c.mask.Gray
		if own := mask.Rect.Size(); own != size {
			return nil, nil, fmt.Errorf("%d x %d pixels, but the mask %s has %d x %d",
				size.X, size.Y, report.Printable(c.mask.Name), own.X, own.Y)
		}
	}
	if c.roi.Empty() {
		return img, mask, nil
	}
	if !c.roi.In(img.Rect) {
		return nil, nil, fmt.Errorf("the region %v is not within its %d x %d pixels", &c.roi, size.X, size.Y)
	}
	if mask != nil {
		mask = mask.SubImage(c.roi.Rectangle).(*image.Gray)
	}
	return img.SubImage(c.roi.Rectangle).(*image.Gray), mask, nil
}
