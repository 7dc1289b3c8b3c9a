package tag_test

import (
	"image"
	"image/draw"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// onPaper returns a drawing of a marker in the middle of paper of the color around it, in gray, and
// where its quad begins and ends.
func onPaper(f tag.Family, id, cell int) (img *image.Gray, begin, end float64) {
	marker := f.Draw(id, cell)
	side := marker.Rect.Dx()
	img = image.NewGray(image.Rect(0, 0, side+60, side+60))
	paper := image.White
	if f.Inverted {
		paper = image.Black
	}
	draw.Draw(img, img.Rect, paper, image.Point{}, draw.Src)
	draw.Draw(img, marker.Rect.Add(image.Pt(30, 30)), marker, image.Point{}, draw.Src)
	for i, v := range img.Pix {
		img.Pix[i] = 40 + v/255*170
	}
	first, _ := extent(f.Kind)
	edge := float64(30-first*cell) - 0.5
	return img, edge, float64(img.Rect.Dx()-1) - edge
}

// TestKinds finds drawings of all kinds of markers, inverted ones, and those with wide borders.
func TestKinds(t *testing.T) {
	var families []tag.Family
	for _, kind := range kinds {
		families = append(families, tag.Family{Kind: kind, Border: 1}, tag.Family{Kind: kind, Border: 1, Inverted: true})
		if begin, _ := extent(kind); begin == -1 {
			families = append(families, tag.Family{Kind: kind, Border: 2}, tag.Family{Kind: kind, Border: 3, Inverted: true})
		}
	}
	for _, f := range families {
		detector, err := tag.New(tag.Options{Families: []tag.Family{f}})
		require.NoError(t, err)
		other := f
		other.Inverted = !f.Inverted
		without, err := tag.New(tag.Options{Families: []tag.Family{other}})
		require.NoError(t, err)
		for _, id := range []int{0, 7, f.Len() - 1} {
			img, begin, end := onPaper(f, id, 7)
			tags := detector.Detect(img)
			require.Len(t, tags, 1, "%+v %d", f, id)
			require.Equal(t, id, tags[0].ID, "%+v", f)
			require.Equal(t, f, tags[0].Family)
			require.Zero(t, tags[0].Corrected)
			require.False(t, tags[0].Hidden, "%+v %d", f, id)
			if f.Kind == tag.ArUcoOriginal && id == 1023 {
				continue // looks the same upside down
			}
			for i, want := range [4]geometry.Point{{X: begin, Y: begin}, {X: end, Y: begin}, {X: end, Y: end}, {X: begin, Y: end}} {
				require.InDelta(t, want.X, tags[0].Corners[i].X, 0.05, "%+v %d", f, id)
				require.InDelta(t, want.Y, tags[0].Corners[i].Y, 0.05, "%+v %d", f, id)
			}
			require.Empty(t, without.Detect(img), "%+v %d", f, id)
		}
	}
}
