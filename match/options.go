package match

import (
	"cmp"
	"fmt"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options specify which matches a Matcher finds and how. The zero value finds the nearest train
// descriptor of each query descriptor.
type Options struct {
	// CrossCheck keeps only matches of two descriptors that are each other's nearest ones. Among
	// query descriptors at the same distance, too, the one with the lowest index is considered the
	// nearest. Both directions are searched at once. KNearest and Within do not apply it.
	CrossCheck bool
	// Ratio keeps only matches whose distance is less than Ratio times that of the second nearest
	// train descriptor (D. Lowe, "Distinctive image features from scale-invariant keypoints", IJCV
	// 60, 2004). It is 0 to 1, typically 0.7 to 0.8; 0, the default, means no such test. It applies
	// to the distances of vectors, not to their squares, which are compared by Ratio*Ratio in
	// float64. If there is only one train descriptor, no match of Match passes, while a match of
	// Near does. KNearest and Within do not apply it.
	Ratio float64
	// MaxDistance is the largest Distance of a Match: for vectors, 62,500 keeps those that are up to
	// 250 apart. All methods apply it. 0, the default, means no limit, and a negative number means
	// 0: then only equal descriptors match.
	MaxDistance int
	// Hamming2 makes the distance the number of two-bit cells that differ, not the number of bits.
	// Each byte of a descriptor holds four cells; bits 0 and 1 are the first. It is meant for ORB
	// descriptors whose tests compare three or four points (WTA_K of 3 or 4 in OpenCV), since the
	// result of such a test is a two-bit number. It must be false unless the descriptors are of type
	// Descriptor or Descriptor32.
	Hamming2 bool
	// Length is the number of bytes of a descriptor if sets are of type []byte or []uint64, 1 to
	// MaxLength. Each word counts as 8 bytes. 0 means 64. It must be 0 for the other types.
	Length int
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// setDefaults puts numbers in place of the defaults and of the negative numbers that stand for
// others.
func (o *Options) setDefaults(k *kind) {
	maxDistance := k.maxDistance
	if k.metric == flat {
		o.Length = cmp.Or(o.Length, 64)
		maxDistance = 8 * o.Length
	}
	o.MaxDistance = min(max(cmp.Or(o.MaxDistance, maxDistance), 0), maxDistance)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range, or that descriptors of
// kind k do not have. All have their defaults.
func (o *Options) check(k *kind) error {
	fields := option.Fields{Package: "match", Type: "Options"}
	switch {
	case !(o.Ratio >= 0 && o.Ratio <= 1): // NaN is neither
		return fields.OutOfRange("Ratio", o.Ratio, "0 to 1")
	case o.Hamming2 && k.metric != hamming && k.metric != hamming32:
		return fields.OutOfRange("Hamming2", o.Hamming2, "false for "+k.name)
	case o.Length != 0 && k.metric != flat:
		return fields.OutOfRange("Length", o.Length, "0 for "+k.name)
	case k.metric == flat && (o.Length < k.element || o.Length > MaxLength || o.Length%k.element != 0):
		want := fmt.Sprintf("%d to %d", k.element, MaxLength)
		if k.element > 1 {
			want = fmt.Sprintf("a multiple of %d from %s", k.element, want)
		}
		return fields.OutOfRange("Length", o.Length, want+" for "+k.name)
	}
	return nil
}
