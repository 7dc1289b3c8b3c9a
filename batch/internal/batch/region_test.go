package batch

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// writeMask writes a mask for an image of the given size: not transparent in the middle.
func writeMask(t *testing.T, name string, size image.Point) (mask *image.Gray) {
	t.Helper()
	rect := image.Rectangle{Max: size}
	inner := rect.Inset(size.Y / 6)
	img := image.NewNRGBA(rect)
	draw.Draw(img, inner, image.NewUniform(color.NRGBA{A: 3}), image.Point{}, draw.Src) // black, but not transparent
	file, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, img))
	require.NoError(t, file.Close())
	mask = image.NewGray(rect)
	draw.Draw(mask, inner, image.White, image.Point{}, draw.Src)
	return mask
}

// Features are those of the region, and images without it are dead letters.
func TestRegion(t *testing.T) {
	dir := t.TempDir()
	img := gray(t, photos[1])
	for name, source := range map[string]string{"a.png": photos[1], "small.png": photos[0], "large.png": photos[2]} {
		file, err := os.ReadFile(source)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), file, 0o666))
	}
	maskFile := filepath.Join(t.TempDir(), "mask.png")
	mask := writeMask(t, maskFile, img.Rect.Size())
	roi := image.Rect(50, 100, 350, 400)
	part, partMask := img.SubImage(roi).(*image.Gray), mask.SubImage(roi).(*image.Gray)
	outOfMask := DeadLetter{filepath.Join(dir, "small.png"), "451 x 300 pixels, but the mask " + maskFile + " has 512 x 512"}
	for name, test := range map[string]struct {
		region    Region
		img, mask *image.Gray
		dead      []DeadLetter
	}{
		"roi":  {Region{ROI: roi}, part, nil, []DeadLetter{{filepath.Join(dir, "small.png"), "the region 50,100,300,300 is not within its 451 x 300 pixels"}}},
		"mask": {Region{Mask: maskFile}, img, mask, []DeadLetter{outOfMask, {filepath.Join(dir, "large.png"), "640 x 480 pixels, but the mask " + maskFile + " has 512 x 512"}}},
		"both": {Region{roi, maskFile}, part, partMask, []DeadLetter{outOfMask, {filepath.Join(dir, "large.png"), "640 x 480 pixels, but the mask " + maskFile + " has 512 x 512"}}},
	} {
		for _, d := range []Detector{
			{FAST: &fast.Options{Threshold: 40, Score: true}, Strongest: 100}, {Harris: new(harris.Options)}, {LoCoCo: new(lococo.Options)}, {VPI: new(vpi.Options), Strongest: 100},
		} {
			find, err := d.finder()
			require.NoError(t, err)
			want := find(test.img, test.mask)
			require.NotEmpty(t, want)
			for _, c := range want {
				at := image.Pt(int(c.X), int(c.Y))
				require.True(t, at.In(test.img.Rect))
				require.True(t, test.mask == nil || test.mask.GrayAt(at.X, at.Y).Y > 0)
			}
			if testing.Short() && d.VPI == nil {
				continue
			}
			output := t.TempDir()
			job := FeaturesJob{Layout: Layout{output, 1, 1}, Input: dir + "/*", Memory: memory, Region: test.region, Detector: d}
			require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
			require.Equal(t, want, table[Corners](t, output, FeaturesTable)[0].Corners, name)
			require.ElementsMatch(t, test.dead, table[DeadLetter](t, output, DeadTable))
		}
		extractor, err := orb.New(orb.Options{})
		require.NoError(t, err)
		keypoints, _ := extractor.Extract(test.img, test.mask)
		require.NotEmpty(t, keypoints)
		output := t.TempDir()
		job := FeaturesJob{Layout: Layout{output, 1, 1}, Input: dir + "/a.png", Memory: memory, Region: test.region, ORB: new(orb.Options)}
		require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
		rows := table[Keypoints](t, output, FeaturesTable)
		require.Equal(t, []int32{512, 512}, []int32{rows[0].Width, rows[0].Height})
		require.Len(t, rows[0].Keypoints, len(keypoints))
		for i, k := range rows[0].Keypoints {
			require.Equal(t, []float32{keypoints[i].X, keypoints[i].Y}, []float32{k.X, k.Y})
		}
	}
}

// Another region, or another mask under the same name, makes everything new.
func TestRegionUpdate(t *testing.T) {
	a := newAlbum(t, 1)
	a.write(0, 60)
	a.job.Region.Mask = filepath.Join(t.TempDir(), "mask.png")
	build := func() []string {
		t.Helper()
		a.said = nil
		require.NoError(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }))
		return a.said
	}
	writeMask(t, a.job.Region.Mask, image.Pt(60, 20))
	require.Empty(t, build())
	require.Equal(t, a.job.Region.Mask, a.manifest().Selection.Mask)
	require.NoError(t, os.Rename(a.job.Region.Mask, a.job.Region.Mask+"2"))
	a.job.Region.Mask += "2"
	require.Empty(t, build())
	const why = "another region is searched, or other corners are kept"
	file, err := os.Create(a.job.Region.Mask)
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, image.NewGray(image.Rect(0, 0, 60, 20))))
	require.NoError(t, file.Close())
	require.Equal(t, []string{why}, build())
	a.job.Region = Region{ROI: image.Rect(1, 2, 20, 20)}
	require.Equal(t, []string{why}, build())
	require.Equal(t, "1,2,19,18", a.manifest().Selection.ROI)
	a.job.Detector.Strongest = 7
	require.Equal(t, []string{why}, build())
	require.Empty(t, build())
}
