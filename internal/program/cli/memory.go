package cli

import (
	"errors"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"
)

// A ByteSize is an amount of memory, in bytes. It is a flag.Value.
type ByteSize int64

// Units of memory.
const (
	KiB ByteSize = 1 << (10 * (1 + iota))
	MiB
	GiB
)

// A unit is one of memory.
type unit struct {
	name string
	size ByteSize
}

// units are those that are written, the largest first.
var units = []unit{{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}, {"B", 1}}

// endings are those that are read, in lower case, each before the endings of it.
var endings = []unit{
	{"gib", GiB}, {"mib", MiB}, {"kib", KiB}, {"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3}, {"g", GiB}, {"m", MiB}, {"k", KiB}, {"b", 1},
}

func (b ByteSize) String() string {
	for _, u := range units {
		if b >= u.size {
			n := math.Round(1000*float64(b)/float64(u.size)) / 1000
			return strconv.FormatFloat(n, 'f', -1, 64) + " " + u.name
		}
	}
	return "0 B"
}

// Set takes a number of bytes, or of units: powers of two as in 2GiB or 2g, or of ten as in 2GB.
func (b *ByteSize) Set(text string) error {
	number, factor := strings.ToLower(text), ByteSize(1)
	for _, u := range endings {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = rest, u.size
			break
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if v *= float64(factor); err != nil || !(v >= 1 && v < math.MaxInt64) { // NaN is not
		return errors.New("want an amount of memory, such as 500MiB or 2GiB")
	}
	*b = ByteSize(v)
	return nil
}

// Memory returns the memory of an image with the given size and bytes per pixel, or the
// largest ByteSize if it is larger.
func Memory(size image.Point, bytes int64) ByteSize {
	pixels := int64(size.X) * int64(size.Y) // each has 32 bits at most
	if pixels > math.MaxInt64/bytes {
		return math.MaxInt64
	}
	return ByteSize(pixels * bytes)
}

// CheckMemory returns an error if an image of the given size needs more memory than limit.
func CheckMemory(size image.Point, need, limit ByteSize) error {
	if need > limit {
		return fmt.Errorf("%d x %d pixels need %v of memory, more than %v (-memory)", size.X, size.Y, need, limit)
	}
	return nil
}
