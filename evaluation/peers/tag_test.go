package peers

import (
	"fmt"
	"image"
	"image/draw"
	"testing"

	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// TestMarkers checks that the peers find drawings of markers where package tag finds them.
func TestMarkers(t *testing.T) {
	p := openPeers(t)
	for _, kind := range []tag.Kind{tag.Tag36h11, tag.Tag25h9, tag.Tag16h5, tag.Standard41h12, tag.ArUco4x4, tag.ArUco5x5, tag.ArUco6x6, tag.ArUco7x7} {
		family := tag.Family{Kind: kind}
		d := Must(tag.New(tag.Options{Families: []tag.Family{family}}))
		for id := range 5 {
			drawing := family.Draw(id, 9)
			img := image.NewGray(drawing.Rect.Inset(-30))
			draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
			draw.Draw(img, drawing.Rect, drawing, image.Point{}, draw.Src)
			tags := d.Detect(img)
			require.Len(t, tags, 1)
			require.Equal(t, id, tags[0].ID)
			for _, f := range p.MarkerFinders() {
				if !f.Finds(kind) {
					continue
				}
				t.Run(fmt.Sprintf("%v/%v/%d", f, kind, id), func(t *testing.T) {
					found := p.Markers(f, kind, img)
					require.Len(t, found, 1)
					require.Equal(t, id, found[0].ID)
					for i, c := range found[0].Corners {
						// Their images begin at 0, 0.
						require.InDelta(t, tags[0].Corners[i].X-float64(img.Rect.Min.X), c.X, 1)
						require.InDelta(t, tags[0].Corners[i].Y-float64(img.Rect.Min.Y), c.Y, 1)
					}
				})
			}
		}
	}
}
