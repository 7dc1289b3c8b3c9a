package sift

import (
	"cmp"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// A ranked is a keypoint and its number in the order of detection.
type ranked struct {
	Keypoint
	number int32
}

// compare orders keypoints as OpenCV does: by x and y, then the largest first, then by the
// angle, the response and the octave.
func (a *ranked) compare(b *ranked) int {
	if a.X != b.X {
		return cmp.Compare(a.X, b.X)
	}
	return cmp.Or(
		cmp.Compare(a.Y, b.Y),
		cmp.Compare(b.Size, a.Size),
		cmp.Compare(a.Angle, b.Angle),
		cmp.Compare(b.Response, a.Response),
		cmp.Compare(b.Octave, a.Octave),
	)
}

// sameAs reports whether a is taken for b.
func (a *ranked) sameAs(b *ranked) bool {
	return a.X == b.X && a.Y == b.Y && a.Size == b.Size && a.Angle == b.Angle
}

// sortUnique orders keypoints, and leaves the first one of those that are the same.
func sortUnique(list []ranked) []ranked {
	slices.SortFunc(list, func(a, b ranked) int { return a.compare(&b) })
	return slices.CompactFunc(list, func(a, b ranked) bool { return a.sameAs(&b) })
}

// strongest leaves n keypoints with the best responses, and those that have the same response
// as the last of them.
func strongest(list []ranked, n int, memory *[]float32) []ranked {
	if n == 0 || n >= len(list) {
		return list
	}
	responses := raster.Resize(*memory, len(list))
	*memory = responses
	for i := range list {
		responses[i] = list[i].Response
	}
	slices.Sort(responses)
	least := responses[len(responses)-n]
	return slices.DeleteFunc(list, func(k ranked) bool { return k.Response < least })
}
