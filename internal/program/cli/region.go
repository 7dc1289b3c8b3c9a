package cli

import (
	"errors"
	"fmt"
	"image"
	"strconv"
	"strings"
)

// A Region is a region of interest, or empty for the whole image. As a flag it is written as
// its upper left pixel and its size: X,Y,W,H.
type Region struct {
	image.Rectangle
}

func (r *Region) String() string {
	if r.Empty() {
		return ""
	}
	return fmt.Sprintf("%d,%d,%d,%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy())
}

func (r *Region) Set(text string) error {
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
