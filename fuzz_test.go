package fast_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast"
)

// FuzzKernels compares every kernel with the oracle, in one go and in parts, and
// in runs of any length. The pixels, with those between the rows, are data, again
// and again if it is short.
func FuzzKernels(f *testing.F) {
	f.Add(uint8(7), uint8(7), uint8(0), uint8(0), uint8(0), uint8(1), uint8(0), uint8(0), []byte{255, 0, 255})
	f.Add(uint8(70), uint8(9), uint8(0), uint8(1), uint8(25), uint8(1), uint8(1), uint8(5), []byte("The segment test looks at a ring of sixteen pixels."))
	f.Add(uint8(71), uint8(14), uint8(58), uint8(63), uint8(254), uint8(1), uint8(2), uint8(9), []byte{0, 255, 255, 255, 255, 0, 255, 255, 255, 255, 255})
	f.Add(uint8(200), uint8(15), uint8(5), uint8(17), uint8(1), uint8(0), uint8(2), uint8(64), []byte{9, 9, 9, 9, 9, 10, 9, 9, 8, 7, 9, 9, 9, 9, 11, 9, 9, 9, 9})
	f.Add(uint8(38), uint8(30), uint8(0), uint8(3), uint8(40), uint8(3), uint8(1), uint8(13), []byte{100, 30, 30, 30, 30, 160, 30, 30, 30, 30, 30, 31})
	f.Add(uint8(75), uint8(35), uint8(0), uint8(0), uint8(0), uint8(0), uint8(2+3*2+12*9), uint8(200), []byte{0, 60, 0, 0, 120, 0, 0, 0, 60, 0, 0, 0, 0, 60, 60, 0, 0})
	f.Fuzz(func(t *testing.T, w, h, slack, offset, threshold, arc, mode, room uint8, data []byte) {
		if room > 0 {
			useLanes(t, 128+8*int(room))
		}
		h %= 40
		stride := int(w) + int(slack)
		size := 0
		if w > 0 && h > 0 && len(data) > 0 {
			size = int(h-1)*stride + int(w)
		} else {
			w = 0
		}
		pix := make([]byte, int(offset)+size)[offset:]
		for i := range pix {
			pix[i] = data[i%len(data)]
		}
		img := &image.Gray{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, int(w), int(h)).Add(image.Pt(-20, 7))}
		opts := in(fast.Options{ArcLength: 9 + int(arc%4)}, modes[mode%3], threshold)
		opts.FirstOfEqual = arc&4 != 0
		workers := 1 + int(mode/3)%4
		want := newScoreMaps(img)[opts.ArcLength].corners(img.Rect, opts)
		for _, v := range variants() {
			if v.ArcLength != opts.ArcLength {
				continue
			}
			opts.Kernel = v.Kernel
			d := detector(t, opts)
			requireCorners(t, want, d.Detect(img), "bounds %v, stride %d, offset %d, room %d, %+v", img.Rect, stride, offset, room, opts)
			got := d.DetectInParts(img, workers, 1+int(mode/12))
			requireCorners(t, want, got, "parts, bounds %v, stride %d, offset %d, room %d, %+v", img.Rect, stride, offset, room, opts)
		}
	})
}
