// Package tagtest checks kinds of markers, for the tests of package tag and of the module tag/large,
// which has some of the kinds.
package tagtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// extent returns where the drawing of markers of a kind begins and ends, in cells.
func extent(kind tag.Kind) (begin, end int) {
	switch kind {
	case tag.Tag36h11, tag.ArUco6x6, tag.ArUcoMIP36h12, tag.Tag36h10:
		return -1, 9
	case tag.Tag25h9, tag.ArUco5x5, tag.ArUcoOriginal:
		return -1, 8
	case tag.Tag16h5, tag.ArUco4x4:
		return -1, 7
	case tag.ArUco7x7:
		return -1, 10
	case tag.Standard52h13, tag.Custom48h12:
		return -2, 8
	case tag.Circle49h12:
		return -3, 8
	}
	return -2, 7
}

// cells returns the cells of a marker, by rows.
func cells(f tag.Family, id, begin, end int) []byte {
	var all []byte
	for y := begin; y < end; y++ {
		for x := begin; x < end; x++ {
			white := byte(0)
			if f.White(id, x, y) {
				white = 1
			}
			all = append(all, white)
		}
	}
	return all
}

// RequireDrawings fails the test unless there are n markers of a kind whose cells have the given
// SHA-256: those of all markers, by rows, a byte each that is 1 where it is white.
func RequireDrawings(t testing.TB, kind tag.Kind, n int, hash string) {
	t.Helper()
	f := tag.Family{Kind: kind}
	require.Equal(t, n, f.Len(), kind)
	sum := sha256.New()
	for id := range n {
		pixels := f.Draw(id, 1).Pix
		for i := range pixels {
			pixels[i] /= 255
		}
		if id < 20 {
			begin, end := extent(kind)
			require.Equal(t, cells(f, id, begin, end), pixels, "%v %d", kind, id)
		}
		sum.Write(pixels)
	}
	require.Equal(t, hash, hex.EncodeToString(sum.Sum(nil)), kind)
}

// RequireKind fails the test unless markers of a kind look as White says, and are found where they
// are drawn.
func RequireKind(t testing.TB, kind tag.Kind) {
	t.Helper()
	requireWhite(t, kind)
	requireDraw(t, kind)
	requireFound(t, kind)
}

// requireWhite checks the cells around drawings of a kind, wider borders and inverted markers.
func requireWhite(t testing.TB, kind tag.Kind) {
	t.Helper()
	begin, end := extent(kind)
	f, inverted := tag.Family{Kind: kind}, tag.Family{Kind: kind, Inverted: true}
	for y := begin - 2; y < end+2; y++ {
		for x := begin - 2; x < end+2; x++ {
			if min(x, y) < begin || max(x, y) >= end {
				require.True(t, f.White(3, x, y), "%v %d,%d", kind, x, y)
			}
			require.NotEqual(t, f.White(3, x, y), inverted.White(3, x, y), "%v %d,%d", kind, x, y)
		}
	}
	if begin != -1 {
		return
	}
	wide := tag.Family{Kind: kind, Border: 3}
	for y := begin; y < end+4; y++ {
		for x := begin; x < end+4; x++ {
			white := f.White(3, x-2, y-2)
			if depth := min(x, y, end+2-x, end+2-y); depth < 3 {
				white = depth < 0
			}
			require.Equal(t, white, wide.White(3, x, y), "%v %d,%d", kind, x, y)
		}
	}
}

// requireDraw compares drawings of a kind of markers, also those in SVG files, with White.
func requireDraw(t testing.TB, kind tag.Kind) {
	t.Helper()
	begin, end := extent(kind)
	for _, inverted := range []bool{false, true} {
		f := tag.Family{Kind: kind, Codes: 12, Inverted: inverted}
		img := f.Draw(11, 3)
		require.Equal(t, image.Rect(0, 0, 3*(end-begin), 3*(end-begin)), img.Rect)
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				require.Equal(t, f.White(11, x/3+begin, y/3+begin), img.GrayAt(x, y).Y == 255)
				require.Contains(t, []uint8{0, 255}, img.GrayAt(x, y).Y)
			}
		}
		quad := float64(end + begin) // cells
		require.Equal(t, img, Paint(t, f.SVG(11, 1.25*quad), 3/1.25), kind)
	}
}

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

// requireFound finds drawings of a kind of markers, inverted ones, and those with wide borders.
func requireFound(t testing.TB, kind tag.Kind) {
	t.Helper()
	families := []tag.Family{{Kind: kind, Border: 1}, {Kind: kind, Border: 1, Inverted: true}}
	if begin, _ := extent(kind); begin == -1 {
		families = append(families, tag.Family{Kind: kind, Border: 2}, tag.Family{Kind: kind, Border: 3, Inverted: true})
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

// Paint draws an SVG file with the given number of pixels per millimeter. All edges have to be
// between pixels.
func Paint(t testing.TB, file []byte, scale float64) *image.Gray {
	var svg struct {
		Width  string `xml:"width,attr"`
		Height string `xml:"height,attr"`
		Box    string `xml:"viewBox,attr"`
		Rects  []struct {
			X      float64 `xml:"x,attr"`
			Y      float64 `xml:"y,attr"`
			Width  float64 `xml:"width,attr"`
			Height float64 `xml:"height,attr"`
			Fill   string  `xml:"fill,attr"`
		} `xml:"rect"`
		Paths []struct {
			Transform string `xml:"transform,attr"`
			D         string `xml:"d,attr"`
		} `xml:"path"`
	}
	require.NoError(t, xml.Unmarshal(file, &svg))
	require.Equal(t, "0 0 "+strings.TrimSuffix(svg.Width, "mm")+" "+strings.TrimSuffix(svg.Height, "mm"), svg.Box)
	pixels := func(v float64) int {
		n := int(v*scale + 0.5)
		require.InDelta(t, v*scale, n, 1e-4)
		return n
	}
	var width, height float64
	_, err := fmt.Sscanf(svg.Box, "0 0 %f %f", &width, &height)
	require.NoError(t, err)
	img := image.NewGray(image.Rect(0, 0, pixels(width), pixels(height)))
	fill := func(x, y, w, h float64, c color.Color) {
		r := image.Rect(pixels(x), pixels(y), pixels(x+w), pixels(y+h))
		require.True(t, r.In(img.Rect))
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	for _, r := range svg.Rects {
		c := color.Black
		if r.Fill == "#fff" {
			c = color.White
		}
		fill(r.X, r.Y, r.Width, r.Height, c)
	}
	for _, p := range svg.Paths {
		var x, y, cell float64
		_, err := fmt.Sscanf(p.Transform, "translate(%f %f) scale(%f)", &x, &y, &cell)
		require.NoError(t, err)
		for _, piece := range strings.SplitAfter(p.D, "z") {
			var column, row, n, back float64
			if piece == "" {
				continue
			}
			_, err := fmt.Sscanf(piece, "M%f %fh%fv1h-%fz", &column, &row, &n, &back)
			require.NoError(t, err)
			require.Equal(t, n, back)
			fill(x+column*cell, y+row*cell, n*cell, cell, color.Black)
		}
	}
	return img
}
