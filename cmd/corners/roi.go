package main

import (
	"errors"
	"fmt"
	"image"
	"strconv"
	"strings"
)

// A roi is a region of interest, or empty for the whole image. As a flag it is written as
// its upper left pixel and its size: X,Y,W,H.
type roi struct {
	image.Rectangle
}

func (r *roi) String() string {
	if r.Empty() {
		return ""
	}
	return fmt.Sprintf("%d,%d,%d,%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy())
}

func (r *roi) Set(text string) error {
	var v [4]int
	fields := strings.Split(text, ",")
	for i, field := range fields {
		n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 31)
		if err != nil || len(fields) != len(v) {
			return errors.New("want four numbers, X,Y,W,H")
		}
		v[i] = int(n)
	}
	if v[0] < 0 || v[1] < 0 || v[2] < 1 || v[3] < 1 {
		return errors.New("want X and Y of 0 or more, and W and H of 1 or more")
	}
	r.Rectangle = image.Rect(v[0], v[1], v[0]+v[2], v[1]+v[3])
	return nil
}

// cut returns the region of an image and of its mask, which may be nil. It fails when the
// region is not within the image.
func (r *roi) cut(img *image.Gray, mask *image.Alpha) (*image.Gray, *image.Alpha, error) {
	if r.Empty() {
		return img, mask, nil
	}
	if !r.In(img.Rect) {
		return nil, nil, fmt.Errorf("the region %v is not within its %d x %d pixels", r, img.Rect.Dx(), img.Rect.Dy())
	}
	if mask != nil {
		mask = mask.SubImage(r.Rectangle).(*image.Alpha)
	}
	return img.SubImage(r.Rectangle).(*image.Gray), mask, nil
}

// fill adds what the region is to an object in JSON.
func (r *roi) fill(o *jsonObject) {
	o.add("x", r.Min.X)
	o.add("y", r.Min.Y)
	o.add("width", r.Dx())
	o.add("height", r.Dy())
}
