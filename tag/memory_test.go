package tag

import (
	"image"
	"image/draw"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// TestMemory checks how many bytes a Detector keeps after frames of 1920x1080 pixels: photos, and smaller
// ones side by side, which have more runs and components.
func TestMemory(t *testing.T) {
	imagetest.SkipRace(t)
	d := newDetector(t, Options{})
	keeps := func(img *image.Gray) int {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		j := newJob(d)
		j.begin(raster.NewPlane("tag", img))
		j.findBits()
		j.findQuads()
		j.append(nil, image.Point{})
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(j)
		return int(after.HeapAlloc) - int(before.HeapAlloc)
	}
	for _, photo := range imagetest.Frames(t, 1920, 1080, 8) {
		require.Less(t, keeps(photo), 3_500_000)
	}
	tiled := image.NewGray(image.Rect(0, 0, 1920, 1080))
	for i, photo := range imagetest.Frames(t, 640, 480, 9) {
		draw.Draw(tiled, photo.Rect.Add(image.Pt(i%3*640, i/3*480)), photo, image.Point{}, draw.Src)
	}
	require.Less(t, keeps(tiled), 4_100_000)
}
