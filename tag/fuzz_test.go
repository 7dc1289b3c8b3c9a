package tag

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzDetect compares the bits, the components and the quads with those of the oracles, and what is found
// in an image with what is found in a part of another one.
func FuzzDetect(f *testing.F) {
	drawing := Family{Kind: Tag16h5}.Draw(3, 3)
	f.Add(drawing.Pix, uint8(drawing.Stride), uint8(16))
	f.Add(Family{Kind: Standard41h12, Inverted: true}.Draw(3, 2).Pix, uint8(18), uint8(2))
	f.Fuzz(func(t *testing.T, pix []byte, width, contrast uint8) {
		w := max(int(width), 1)
		h := min(len(pix)/w, 100)
		if h == 0 {
			return
		}
		img := &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
		d := oracleDetector(t, max(int(contrast), 2))
		requireOracle(t, newJob(d), img)
		want := d.Detect(img)
		img.Rect = img.Rect.Add(image.Pt(16, -8))
		got := d.Detect(img)
		require.Len(t, got, len(want))
		for i := range got {
			require.Equal(t, want[i].Corners[0].X+16, got[i].Corners[0].X)
		}
	})
}
