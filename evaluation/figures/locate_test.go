package main

import (
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/stretchr/testify/require"
)

// TestLocateRecords checks that records are read as they were written, but for those of parts that
// are measured again.
func TestLocateRecords(t *testing.T) {
	written := &locateRun{session: new(session)}
	written.stamp.commit = "abc"
	c := &locateCase{size: image.Pt(640, 480), picture: onScreen, change: isCopy, template: image.NewGray(image.Rect(0, 0, 8, 9))}
	for _, part := range []string{"8x8", "worst"} {
		written.part = part
		written.add(c, inFind, "avx2", 1.25, .015)
	}
	file := filepath.Join(t.TempDir(), "locate.csv")
	require.NoError(t, os.WriteFile(file, written.csv(), 0o666))
	read := &locateRun{session: &session{parts: []string{"worst"}}}
	require.NoError(t, read.keep(file))
	require.Equal(t, written.records[:1], read.records)
	require.NoError(t, read.keep(file+"none"))
	require.Equal(t, locateRecord{"8x8", "8x9", "640x480", onScreen, isCopy, inFind, "avx2", 1.25, .015, "abc"}, read.records[0])

	_, err := compareLocate(&session{parts: []string{"worse"}}, nil)
	require.ErrorContains(t, err, `no part is called "worse"`)
}

// TestLocateCases checks that there are 18 cases of a size, and that templates are where they are
// said to be.
func TestLocateCases(t *testing.T) {
	photos, err := tree.Photos()
	require.NoError(t, err)
	s := &session{photos: photos}
	sizes := []image.Point{{120, 90}, {160, 120}, {200, 150}}
	cases, err := s.locateCases(image.Pt(16, 12), sizes, sizes[1])
	require.NoError(t, err)
	count := map[string]int{}
	for _, c := range cases {
		count[c.change]++
		require.Equal(t, c.size, c.scene.Rect.Size())
		require.Equal(t, image.Rect(0, 0, 16, 12), c.template.Rect)
		require.Greater(t, detail(c.template), 1.0)
		found := false
		for y := range c.size.Y - 11 {
			for x := range c.size.X - 15 {
				r := image.Rect(x, y, x+16, y+12)
				if c.scene.GrayAt(x, y) == c.template.GrayAt(0, 0) && string(copyOf(c.scene, r).Pix) == string(c.template.Pix) {
					found = true
				}
			}
		}
		require.Equal(t, c.change == isCopy, found, c.change)
	}
	require.Equal(t, map[string]int{isCopy: 6, changed: 6, isJPEG: 6, isAbsent: 2}, count)
}
