package batch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/vpi"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	filesystem.Register("failing", func(ctx context.Context) filesystem.Interface { return failing{memfs.New(ctx)} })
	ptest.Main(m)
}

const memory = 1 << 26

// photos are files of different sizes and colors.
var photos = []string{
	"../../../testdata/photos/chelsea_451x300.png",
	"../../../testdata/photos/camera_512x512.png",
	"../../../testdata/photos/life_640x480.png",
	"../../../testdata/photos/picos_1241x376.png",
	"../../../testdata/photos/coffee_600x400.png",
}

// gray decodes a file as programs of the library do.
func gray(t *testing.T, name string) *image.Gray {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	img, _, err := image.Decode(file)
	require.NoError(t, err)
	return fast.Gray(img)
}

// extracted returns the keypoints that package orb finds in a file.
func extracted(t *testing.T, name string, opts orb.Options) Keypoints {
	t.Helper()
	extractor, err := orb.New(opts)
	require.NoError(t, err)
	return extractedBy(t, name, extractor.Extract)
}

// extractedSIFT returns the keypoints that package sift finds in a file.
func extractedSIFT(t *testing.T, name string, opts sift.Options) SIFTKeypoints {
	t.Helper()
	extractor, err := sift.New(opts)
	require.NoError(t, err)
	return extractedBy(t, name, extractor.Extract)
}

func extractedBy[D descriptor](t *testing.T, name string, extract func(img, mask *image.Gray) ([]point.Keypoint, []D)) KeypointsOf[D] {
	t.Helper()
	img := gray(t, name)
	row := KeypointsOf[D]{Name: name, Width: int32(img.Rect.Dx()), Height: int32(img.Rect.Dy())}
	keypoints, descriptors := extract(img, nil)
	for i, k := range keypoints {
		row.Keypoints = append(row.Keypoints, KeypointOf[D]{
			X: k.X, Y: k.Y, Size: k.Size, Angle: k.Angle, Response: k.Response, Octave: k.Octave,
			Descriptor: descriptors[i],
		})
	}
	require.NotEmpty(t, row.Keypoints)
	return row
}

// run runs a pipeline.
func run(t *testing.T, build func(s beam.Scope) error) error {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	require.NoError(t, build(s))
	return ptest.Run(p)
}

// transform runs a pipeline that begins with images.
func transform(t *testing.T, names []string, build func(s beam.Scope, images beam.PCollection) error) {
	t.Helper()
	require.NoError(t, run(t, func(s beam.Scope) error {
		images, dead := Decode(s, beam.CreateList(s, names), memory)
		passert.Empty(s, dead)
		// Reshuffle has them go through Beam's coders.
		return build(s, beam.Reshuffle(s, images))
	}))
}

// table reads the rows of a table that a manifest names, in the order of their names.
func table[R Row](t *testing.T, output, name string) []R {
	t.Helper()
	ctx := t.Context()
	m, err := ReadManifest(ctx, output)
	require.NoError(t, err)
	files, ok := m.Tables[name]
	require.True(t, ok, name)
	fs, err := openStorage(ctx, output)
	require.NoError(t, err)
	defer fs.Close()
	var rows []R
	for _, f := range files {
		file, err := filesystem.Read(ctx, fs, output+"/"+f.Path)
		require.NoError(t, err)
		require.Len(t, file, int(f.Bytes))
		list, err := parquet.Read[R](bytes.NewReader(file), f.Bytes)
		require.NoError(t, err)
		require.Len(t, list, int(f.Rows))
		for _, row := range list {
			require.Equal(t, int(f.Shard), shardOf(row.shardName(), m.Shards))
		}
		rows = append(rows, list...)
	}
	slices.SortFunc(rows, func(a, b R) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return rows
}

func TestDetect(t *testing.T) {
	fastOptions := fast.Options{Threshold: 30, ArcLength: 9, NonmaxSuppression: true, Score: true}
	harrisOptions := harris.Options{Measure: harris.Harris, MaxCorners: 200, MinDistance: 5}
	lococoOptions := lococo.Options{KernelSizes: []int{7}, MaxCorners: 100, Subpixel: true}
	for name, test := range map[string]struct {
		detector Detector
		find     func(img *image.Gray) []Corner
	}{
		"fast": {Detector{FAST: &fastOptions}, func(img *image.Gray) (corners []Corner) {
			d, err := fast.New(fastOptions)
			require.NoError(t, err)
			for _, c := range d.Detect(img) {
				corners = append(corners, Corner{X: c.X, Y: c.Y, Response: float32(c.Score)})
			}
			return corners
		}},
		"fast without scores": {Detector{FAST: &fast.Options{Threshold: 60}}, func(img *image.Gray) (corners []Corner) {
			d, err := fast.New(fast.Options{Threshold: 60, Score: true})
			require.NoError(t, err)
			for _, c := range d.Detect(img) {
				corners = append(corners, Corner{X: c.X, Y: c.Y, Response: float32(c.Score)})
			}
			return corners
		}},
		"harris": {Detector{Harris: &harrisOptions}, func(img *image.Gray) (corners []Corner) {
			d, err := harris.New(harrisOptions)
			require.NoError(t, err)
			for _, c := range d.Detect(img, nil) {
				corners = append(corners, Corner{X: c.X, Y: c.Y, Response: c.Response})
			}
			return corners
		}},
		"lococo": {Detector{LoCoCo: &lococoOptions}, func(img *image.Gray) (corners []Corner) {
			d, err := lococo.New(lococoOptions)
			require.NoError(t, err)
			for _, c := range d.Detect(img, nil) {
				corners = append(corners, Corner{c.X, c.Y, c.Response, c.DX, c.DY, c.KernelSize})
			}
			return corners
		}},
		"strongest of fast, spread": {Detector{FAST: &fastOptions, Strongest: 200, Spread: 50}, func(img *image.Gray) (corners []Corner) {
			d, err := fast.New(fastOptions)
			require.NoError(t, err)
			kept := fast.Spread(fast.Strongest(d.Detect(img), 200), img.Rect, 50)
			require.Len(t, kept, 50)
			for _, c := range kept {
				corners = append(corners, Corner{X: c.X, Y: c.Y, Response: float32(c.Score)})
			}
			return corners
		}},
		"strongest of vpi": {Detector{VPI: &vpi.Options{CircleRadius: 2}, Strongest: 60}, func(img *image.Gray) (corners []Corner) {
			d, err := vpi.New(vpi.Options{CircleRadius: 2, Strongest: true, MaxCorners: 60})
			require.NoError(t, err)
			for _, c := range d.Detect(img) {
				corners = append(corners, Corner{X: c.X, Y: c.Y, Response: float32(c.Score)})
			}
			require.Len(t, corners, 60)
			return corners
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var want []Corners
			for _, name := range photos {
				img := gray(t, name)
				corners := test.find(img)
				require.NotEmpty(t, corners)
				want = append(want, Corners{name, int32(img.Rect.Dx()), int32(img.Rect.Dy()), corners})
			}
			transform(t, photos, func(s beam.Scope, images beam.PCollection) error {
				found, err := Detect(s, images, test.detector)
				passert.EqualsList(s, beam.Reshuffle(s, found), want)
				return err
			})
		})
	}
}

func TestExtract(t *testing.T) {
	opts := orb.Options{Features: 200}
	testExtract(t, func(name string) Keypoints { return extracted(t, name, opts) },
		func(s beam.Scope, images beam.PCollection) (beam.PCollection, error) { return Extract(s, images, opts) })
	wide := sift.Wide()
	wide.Features = 300
	testExtract(t, func(name string) SIFTKeypoints { return extractedSIFT(t, name, wide) },
		func(s beam.Scope, images beam.PCollection) (beam.PCollection, error) {
			return ExtractSIFT(s, images, wide)
		})
}

// testExtract compares what a transform finds in photos with what a function does.
func testExtract[R Row](t *testing.T, extracted func(name string) R, extract func(s beam.Scope, images beam.PCollection) (beam.PCollection, error)) {
	t.Helper()
	var want []R
	for _, name := range photos {
		want = append(want, extracted(name))
	}
	transform(t, photos, func(s beam.Scope, images beam.PCollection) error {
		found, err := extract(s, images)
		if err == nil {
			passert.EqualsList(s, beam.Reshuffle(s, found), want)
		}
		return err
	})
}

// writeMarkers writes an image of four markers, which begin at 10, 10, and returns its name.
func writeMarkers(t *testing.T, dir string) string {
	t.Helper()
	sheet := tag.Sheet{Family: tag.Family{Kind: tag.ArUco4x4}, First: 20, Columns: 2, Rows: 2, Side: 1}.Draw(8)
	img := image.NewGray(image.Rectangle{Max: sheet.Rect.Size().Add(image.Pt(20, 20))})
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, sheet.Rect.Add(image.Pt(10, 10)), sheet, image.Point{}, draw.Src)
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, img))
	name := filepath.Join(dir, "markers.png")
	require.NoError(t, os.WriteFile(name, file.Bytes(), 0o666))
	return name
}

// tagsOf returns the row of markers that package tag has found in an image.
func tagsOf(name string, img *image.Gray, found []tag.Tag) Tags {
	row := Tags{name, int32(img.Rect.Dx()), int32(img.Rect.Dy()), []Tag{}}
	for _, m := range found {
		c := m.Corners
		row.Tags = append(row.Tags, Tag{
			Family: m.Family.Kind.String(), ID: int32(m.ID), X0: c[0].X, Y0: c[0].Y, X1: c[1].X, Y1: c[1].Y, X2: c[2].X, Y2: c[2].Y, X3: c[3].X, Y3: c[3].Y,
			Corrected: int32(m.Corrected), Noise: m.Noise, Misfit: m.Misfit, Hidden: m.Hidden,
		})
	}
	return row
}

func TestDetectTags(t *testing.T) {
	opts := tag.Options{Families: []tag.Family{{Kind: tag.ArUco4x4, Codes: 50}, {}}}
	d, err := tag.New(opts)
	require.NoError(t, err)
	dir := t.TempDir()
	name := writeMarkers(t, dir)
	img := gray(t, name)
	want := tagsOf(name, img, d.Detect(img))
	require.Len(t, want.Tags, 4)
	none := gray(t, photos[0])
	transform(t, []string{name, photos[0]}, func(s beam.Scope, images beam.PCollection) error {
		found, err := DetectTags(s, images, opts)
		if err == nil {
			passert.EqualsList(s, beam.Reshuffle(s, found), []Tags{want, tagsOf(photos[0], none, nil)})
		}
		return err
	})

	// The whole job, in a region and with a mask, where a marker is kept if its center is.
	output := t.TempDir()
	job := FeaturesJob{Layout: Layout{output, 1, 1}, Input: name, Memory: memory, Tag: &opts}
	build := func() []Tag {
		t.Helper()
		require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
		rows := table[Tags](t, output, FeaturesTable)
		require.Len(t, rows, 1)
		return rows[0].Tags
	}
	require.Equal(t, want.Tags, build())
	m, err := ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.Equal(t, "tag", m.Method)
	require.JSONEq(t, `{"Families":[{"Kind":"aruco4x4","Codes":50,"Border":1,"Inverted":false},{"Kind":"tag36h11","Codes":0,"Border":1,"Inverted":false}],
		"MinContrast":16,"MaxCorrected":0,"Samples":800,"Workers":0}`, string(m.Options))
	_, err = Verify(t.Context(), output, 1)
	require.NoError(t, err)
	job.Region.ROI = image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()/2+4)
	d, err = tag.New(opts)
	require.NoError(t, err)
	upper := tagsOf(name, img, d.Detect(img.SubImage(job.Region.ROI).(*image.Gray)))
	require.Len(t, upper.Tags, 2)
	require.Equal(t, upper.Tags, build())
	job.Region = Region{Mask: filepath.Join(dir, "mask")}
	mask := image.NewGray(img.Rect)
	at := image.Pt(int(want.Tags[3].X0+want.Tags[3].X2)/2, int(want.Tags[3].Y0+want.Tags[3].Y2)/2)
	draw.Draw(mask, image.Rectangle{at, at}.Inset(-3), image.White, image.Point{}, draw.Src)
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, mask))
	require.NoError(t, os.WriteFile(job.Region.Mask, file.Bytes(), 0o666))
	require.Equal(t, want.Tags[3:], build())

	_, err = resolve(&tag.Options{Samples: 1})
	require.ErrorContains(t, err, "Samples")
	for _, other := range []FeaturesJob{{ORB: new(orb.Options)}, {SIFT: new(sift.Options)}, {Detector: Detector{FAST: new(fast.Options)}}} {
		other.Tag = new(tag.Options)
		require.EqualError(t, other.CheckMethod(), "batch: both Tag and another method")
	}
	require.ErrorContains(t, FeaturesJob{Tag: &tag.Options{Samples: 1}}.CheckMethod(), "Samples")
}

// The pyramid of SIFT counts as memory, that of the region which is searched.
func TestSIFTMemory(t *testing.T) {
	for _, test := range []struct {
		opts  sift.Options
		bytes int64
	}{
		{sift.Options{}, 128}, {sift.Options{NoDoubling: true}, 32}, {sift.Options{Layers: 5}, 171},
	} {
		require.Equal(t, test.bytes, siftBytes(test.opts))
	}
	output := t.TempDir()
	job := FeaturesJob{Layout: Layout{output, 1, 1}, Input: photos[1], Memory: 100 * 512 * 512, SIFT: new(sift.Options), MaxDead: "0"}
	build := func(s beam.Scope) error { return job.Build(t.Context(), s) }
	require.ErrorContains(t, run(t, build), "none of 1 images could be read")
	job.Region.ROI = image.Rect(100, 100, 300, 300)
	require.NoError(t, run(t, build))
	require.Len(t, table[SIFTKeypoints](t, output, FeaturesTable), 1)
}

// A JPEG image keeps its stride when it is not as wide as its blocks.
func TestDecodeStride(t *testing.T) {
	img := image.NewYCbCr(image.Rect(0, 0, 37, 29), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = byte(i * i)
	}
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, img, nil))
	name := filepath.Join(t.TempDir(), "a.jpg")
	require.NoError(t, os.WriteFile(name, file.Bytes(), 0o666))
	want := gray(t, name)
	require.Greater(t, want.Stride, 37)
	transform(t, []string{name}, func(s beam.Scope, images beam.PCollection) error {
		passert.Equals(s, images, Image{name, 37, 29, int32(want.Stride), want.Pix})
		return nil
	})
}

// What cannot be decoded fails nothing, and what comes after it is decoded.
func TestDeadLetters(t *testing.T) {
	image.RegisterFormat("panics", "panics!", func(io.Reader) (image.Image, error) { panic("out of luck") },
		func(io.Reader) (image.Config, error) {
			return image.Config{ColorModel: color.GrayModel, Width: 1, Height: 1}, nil
		})
	dir := t.TempDir()
	var whole, bomb bytes.Buffer
	require.NoError(t, png.Encode(&whole, gray(t, photos[0])))
	require.NoError(t, png.Encode(&bomb, image.NewGray(image.Rect(0, 0, 10000, 10000))))
	require.Less(t, bomb.Len(), 1<<20)
	for name, data := range map[string][]byte{
		"text.jpg":   []byte("not an image"),
		"empty.jpg":  nil,
		"cut.png":    whole.Bytes()[:whole.Len()/2],
		"bomb.png":   bomb.Bytes(),
		"large.pgm":  make([]byte, memory),
		"panics.jpg": []byte("panics!"),
		"whole.png":  whole.Bytes(),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir.jpg"), 0o777))
	var names []string
	var want []DeadLetter
	for _, d := range []DeadLetter{
		{"text.jpg", "not an image, or of a format that is not read"},
		{"empty.jpg", "not an image, or of a format that is not read"},
		{"cut.png", "cannot be decoded (png: invalid format: not enough pixel data)"},
		{"bomb.png", fmt.Sprintf("10000 x 10000 pixels need %v of memory, more than 64 MiB (-memory)", cli.ByteSize(5e8+bomb.Len()))},
		{"large.pgm", "it has 64 MiB or more, which is all the memory (-memory)"},
		{"panics.jpg", "cannot be decoded (panic: out of luck)"},
		{"dir.jpg", "is a directory"},
		{"missing.jpg", "no such file or directory"},
	} {
		d.Name = filepath.Join(dir, d.Name)
		names = append(names, d.Name)
		want = append(want, d)
	}
	good := filepath.Join(dir, "whole.png")
	require.NoError(t, run(t, func(s beam.Scope) error {
		images, dead := Decode(s, beam.CreateList(s, append(names, good)), memory)
		passert.EqualsList(s, beam.Reshuffle(s, dead), want)
		passert.Count(s, images, "images", 1)
		return nil
	}))

	// In files they are by their names, and the manifest has both tables.
	output := filepath.Join(dir, "out")
	require.NoError(t, run(t, func(s beam.Scope) error {
		return FeaturesJob{Layout: Layout{output, 3, 2}, Input: filepath.Join(dir, "*.*g*"), Memory: memory, ORB: new(orb.Options)}.Build(t.Context(), s)
	}))
	want = slices.DeleteFunc(want, func(d DeadLetter) bool { return strings.HasSuffix(d.Name, "missing.jpg") })
	require.ElementsMatch(t, want, table[DeadLetter](t, output, DeadTable))
	require.Len(t, table[Keypoints](t, output, FeaturesTable), 1)
}

// What is too large for a method is a dead letter, by its header alone.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		job    FeaturesJob
		size   string
		reason string
	}{
		{FeaturesJob{SIFT: new(sift.Options)}, "65537 1", "65537 x 1 pixels, but method sift takes sides of up to 65536"},
		{FeaturesJob{ORB: &orb.Options{FirstLevel: 3, ScaleFactor: 2}}, "5000 5000", "5000 x 5000 pixels, but method orb takes up to 16775538 of them"},
		{FeaturesJob{Detector: Detector{Harris: new(harris.Options)}}, "131072 65536", "131072 x 65536 pixels, but method shi-tomasi takes up to 4294967296 of them"},
		{FeaturesJob{Detector: Detector{LoCoCo: new(lococo.Options)}}, "65536 32768", "65536 x 32768 pixels, but method lococo takes up to 2147483647 of them"},
		{FeaturesJob{Detector: Detector{VPI: new(vpi.Options)}}, "65536 32768", "65536 x 32768 pixels, but method vpi takes up to 2147483647 of them"},
		{FeaturesJob{Tag: new(tag.Options)}, "65536 32768", "65536 x 32768 pixels, but method tag takes up to 2147483647 of them"},
		{FeaturesJob{Detector: Detector{FAST: new(fast.Options)}}, "65536 32768", "cannot be decoded (netpbm: unexpected EOF: 0 of 2147483648 bytes of pixels)"},
		{FeaturesJob{SIFT: new(sift.Options), Region: Region{ROI: image.Rect(9, 0, 99, 1)}}, "65537 1", "cannot be decoded (netpbm: unexpected EOF: 0 of 65537 bytes of pixels)"},
	} {
		job := c.job
		job.Layout, job.Input, job.Memory = Layout{dir, 1, 1}, dir+"/*", 1<<50
		p, err := job.plan(t.Context())
		require.NoError(t, err)
		fn := p.decoding
		fn.Setup()
		slot, err := fn.gate.enter(t.Context())
		require.NoError(t, err)
		slot.file.Reset()
		slot.file.WriteString("P5 " + c.size + " 255\n")
		_, err = fn.decode(t.Context(), slot, "a.pgm")
		require.EqualError(t, err, c.reason)
		slot.leave()
	}
}

// The rows are the same for any number of shards and branches, on any file system.
func TestFeaturesJob(t *testing.T) {
	opts := orb.Options{Features: 100}
	names, err := filepath.Glob("../../../testdata/photos/*.png")
	require.NoError(t, err)
	var want []Keypoints
	for _, name := range names {
		want = append(want, extracted(t, name, opts))
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		memfs.Write("memfs://in/"+filepath.Base(name), file)
	}
	for _, layout := range []Layout{{"", 1, 1}, {"", 16, 1}, {"", 5, 2}, {"", 3, 3}, {"", 2, 3}} {
		t.Run(fmt.Sprintf("shards=%d/branches=%d", layout.Shards, layout.Branches), func(t *testing.T) {
			layout.Output = filepath.Join(t.TempDir(), "a", "b")
			job := FeaturesJob{Layout: layout, Input: "../../../testdata/photos/*.png", Memory: memory, ORB: &opts}
			require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
			require.ElementsMatch(t, want, table[Keypoints](t, layout.Output, FeaturesTable))
			require.Empty(t, table[DeadLetter](t, layout.Output, DeadTable))
			m, err := ReadManifest(t.Context(), layout.Output)
			require.NoError(t, err)
			shards := make(map[int64]bool)
			for _, f := range m.Tables[FeaturesTable] {
				require.False(t, shards[f.Shard], "two files for a shard")
				shards[f.Shard] = true
			}
		})
	}
	t.Run("memfs", func(t *testing.T) {
		layout := Layout{"memfs://out", 4, 2}
		job := FeaturesJob{Layout: layout, Input: "memfs://in/*.png", Memory: memory, ORB: &opts}
		require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
		rows := table[Keypoints](t, layout.Output, FeaturesTable)
		for i := range rows {
			rows[i].Name = "../../../testdata/photos/" + filepath.Base(rows[i].Name)
		}
		require.ElementsMatch(t, want, rows)
	})
}

// registerMeeting has a format of images, of which two are decoded only at the same time. Files
// begin with its name.
func registerMeeting(name string) {
	arrived, both := new(atomic.Int32), make(chan struct{})
	image.RegisterFormat(name, name, func(io.Reader) (image.Image, error) {
		if arrived.Add(1) == 2 {
			close(both)
		}
		select {
		case <-both:
			return image.NewGray(image.Rect(0, 0, 9, 9)), nil
		case <-time.After(time.Minute):
			return nil, errors.New("nobody else came")
		}
	}, func(io.Reader) (image.Config, error) {
		return image.Config{ColorModel: color.GrayModel, Width: 9, Height: 9}, nil
	})
}

// Branches run side by side: two images are decoded at the same time.
func TestBranches(t *testing.T) {
	registerMeeting("meeting")
	dir := t.TempDir()
	for shard := range 2 {
		// A name in each branch.
		name := filepath.Join(dir, "a")
		for shardOf(name, 2) != shard {
			name += "a"
		}
		require.NoError(t, os.WriteFile(name, []byte("meeting"), 0o666))
	}
	output := t.TempDir()
	require.NoError(t, run(t, func(s beam.Scope) error {
		return FeaturesJob{Layout: Layout{output, 2, 2}, Input: filepath.Join(dir, "*"), Memory: memory, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
	}))
	require.Len(t, table[Corners](t, output, FeaturesTable), 2)
}

// Files are written in parts of limited memory, and say what they are.
func TestParquet(t *testing.T) {
	rows := make([]Keypoints, 3)
	for i := range rows {
		rows[i] = Keypoints{fmt.Sprint(i), 7, 8, make([]Keypoint, 200_000)}
		for k := range rows[i].Keypoints {
			rows[i].Keypoints[k] = Keypoint{float32(k), float32(i), 31, 90, 0.5, 3, match.Descriptor{byte(k), 31: byte(i)}}
		}
	}
	f, err := createFile[Keypoints](t.Context(), Table{"memfs://parquet", "run", "features", 9, map[string]string{"method": "orb"}}, 3)
	require.NoError(t, err)
	require.Regexp(t, `^run/features-00003-of-00009-[A-Z2-7]{26}\.parquet$`, f.Path)
	for _, row := range rows {
		require.NoError(t, f.write(row))
	}
	require.NoError(t, f.end())
	require.NoError(t, f.close())
	data, err := filesystem.Read(t.Context(), memfs.New(t.Context()), "memfs://parquet/"+f.Path)
	require.NoError(t, err)
	file, err := parquet.OpenFile(bytes.NewReader(data), f.Bytes)
	require.NoError(t, err)
	require.Len(t, file.RowGroups(), 2)
	method, _ := file.Lookup("method")
	require.Equal(t, "orb", method)
	require.Equal(t, `message Keypoints {
	required binary name (STRING);
	required int32 width (INT(32,true));
	required int32 height (INT(32,true));
	required group keypoints (LIST) {
		repeated group list {
			required group element {
				required float x;
				required float y;
				required float size;
				required float angle;
				required float response;
				required int32 octave (INT(32,true));
				required fixed_len_byte_array(32) descriptor;
			}
		}
	}
}`, file.Schema().String())
	require.Equal(t, strings.Replace(file.Schema().String(), "(32) descriptor", "(128) descriptor", 1), schemaOf[SIFTKeypoints]().String())
	read, err := parquet.Read[Keypoints](bytes.NewReader(data), f.Bytes)
	require.NoError(t, err)
	require.Equal(t, rows, read)
}

// A second run replaces the first one, and one that fails leaves it as it is.
func TestReplace(t *testing.T) {
	job := func(output, input string) error {
		return run(t, func(s beam.Scope) error {
			return FeaturesJob{Layout: Layout{output, 4, 2}, Input: input, Memory: memory, Detector: Detector{FAST: &fast.Options{Threshold: 80}}}.Build(t.Context(), s)
		})
	}
	const output = "failing://replace"
	for _, name := range photos {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		memfs.Write("failing://photos/"+filepath.Base(name), file)
	}
	require.NoError(t, job(output, "failing://photos/c*.png"))
	first, err := ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.Len(t, table[Corners](t, output, FeaturesTable), 3)

	for name, fails := range map[string]string{
		"a file":       "features-00003",
		"the manifest": "manifest.json",
	} {
		failingName.Store(&fails)
		require.ErrorContains(t, job(output, "failing://photos/*.png"), "the disk is full", name)
		failingName.Store(nil)
		after, err := ReadManifest(t.Context(), output)
		require.NoError(t, err)
		require.Equal(t, first, after, name)
	}
	require.ErrorContains(t, job(output, "failing://photos/*.jpg"), "failing://photos/*.jpg: no file matches")
	require.Len(t, table[Corners](t, output, FeaturesTable), 3)

	require.NoError(t, job(output, "failing://photos/*.png"))
	second, err := ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.NotEqual(t, first.Run, second.Run)
	require.Len(t, table[Corners](t, output, FeaturesTable), len(photos))
}

// Where rows are missing nothing is committed, for a runner may go on after a failure.
func TestCommit(t *testing.T) {
	commit := func(rows []File, total ...string) error {
		return run(t, func(s beam.Scope) error {
			Commit(s, beam.CreateList(s, rows), beam.ParDo(s, wholeNumber, beam.CreateList(s, append(total, "end"))), "memfs://commit", Manifest{Run: "run"})
			return nil
		})
	}
	files := []File{{Table: "a", Path: "1", Rows: 2}, {Table: "b", Path: "2", Rows: 3}}
	require.ErrorContains(t, commit(files, "6"), "batch: 5 rows, want 6")
	require.ErrorContains(t, commit(files), "batch: the number of rows is missing")
	_, err := ReadManifest(t.Context(), "memfs://commit")
	require.ErrorContains(t, err, "memfs://commit/manifest.json: file does not exist")
	require.NoError(t, commit(files, "5"))
	m, err := ReadManifest(t.Context(), "memfs://commit")
	require.NoError(t, err)
	require.Equal(t, map[string][]File{"a": {{Path: "1", Rows: 2}}, "b": {{Path: "2", Rows: 3}}}, m.Tables)
}

// wholeNumber emits a number, and nothing for other text.
func wholeNumber(text string, emit func(int)) {
	if n, err := strconv.Atoi(text); err == nil {
		emit(n)
	}
}

func init() { beam.RegisterDoFn(wholeNumber) }

// failing is memfs, except that files whose name has some text in it cannot be written.
type failing struct{ filesystem.Interface }

var failingName atomic.Pointer[string]

func (f failing) List(ctx context.Context, glob string) ([]string, error) {
	names, err := f.Interface.List(ctx, memName(glob))
	for i, name := range names {
		names[i] = "failing://" + strings.TrimPrefix(name, "memfs://failing://")
	}
	return names, err
}

func (f failing) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	return f.Interface.OpenRead(ctx, memName(name))
}

func (f failing) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	w, err := f.Interface.OpenWrite(ctx, memName(name))
	if text := failingName.Load(); text != nil && strings.Contains(name, *text) {
		return fullDisk{}, nil
	}
	return w, err
}

func (f failing) Rename(ctx context.Context, from, to string) error {
	return f.Interface.(filesystem.Renamer).Rename(ctx, memName(from), memName(to))
}

func memName(name string) string { return "memfs://" + name }

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("the disk is full") }
func (fullDisk) Close() error              { return nil }

// Pairs go through Beam's coders, too, and images without keypoints have no matches.
func TestMatch(t *testing.T) {
	pair := Pair{Descriptors{"a", make([]byte, 3*32)}, Descriptors{"b", make([]byte, 2*32)}}
	pair.Query.Bits[32] = 0b111
	pair.Query.Bits[64] = 0b1
	pair.Train.Bits[0] = 0b110
	empty := Descriptors{"c", nil}
	require.NoError(t, run(t, func(s beam.Scope) error {
		pairs := beam.Create(s, pair, Pair{pair.Query, empty}, Pair{empty, pair.Train})
		found, err := Match(s, beam.Reshuffle(s, pairs), match.Options{})
		passert.Equals(s, beam.Reshuffle(s, found),
			Matches{"a", "b", []DescriptorMatch{{0, 1, 0}, {1, 0, 1}, {2, 1, 1}}},
			Matches{"a", "c", []DescriptorMatch{}},
			Matches{"c", "b", []DescriptorMatch{}})
		return err
	}))
}

func TestMatchesJob(t *testing.T) {
	options := match.Options{CrossCheck: true, MaxDistance: 70}
	matcher, err := match.New[match.Descriptor](options)
	require.NoError(t, err)
	opts := orb.Options{Features: 150}
	testMatchesJob(t, FeaturesJob{Input: "../../../testdata/photos/*.png", ORB: &opts}, options, DescriptorFormat{32, "hamming"}, matcher.Match,
		func(name string) (Keypoints, []match.Descriptor) { return described(extracted(t, name, opts)) })
}

func TestMatchesJobSIFT(t *testing.T) {
	options := match.Options{CrossCheck: true, Ratio: 0.9, MaxDistance: 90_000}
	matcher, err := match.New[match.Vector](match.Options{CrossCheck: true, Ratio: 0.9, MaxDistance: 90_000})
	require.NoError(t, err)
	opts := sift.Options{Features: 100}
	testMatchesJob(t, FeaturesJob{Input: "../../../testdata/photos/[c-p]*.png", SIFT: &opts}, options, DescriptorFormat{128, "l2"}, matcher.Match,
		func(name string) (SIFTKeypoints, []match.Vector) { return described(extractedSIFT(t, name, opts)) })
}

// described returns keypoints, and their descriptors.
func described[D descriptor](row KeypointsOf[D]) (_ KeypointsOf[D], descriptors []D) {
	for _, k := range row.Keypoints {
		descriptors = append(descriptors, k.Descriptor)
	}
	return row, descriptors
}

// testMatchesJob compares the features that a job finds, and their matches, with those of functions.
func testMatchesJob[R Row, D descriptor](t *testing.T, job FeaturesJob, options match.Options, format DescriptorFormat,
	find func(query, train []D) []match.Match, extracted func(name string) (R, []D),
) {
	t.Helper()
	features := t.TempDir()
	job.Layout, job.Memory = Layout{features, 3, 1}, 1<<28
	require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
	verified, err := Verify(t.Context(), features, 1)
	require.NoError(t, err)
	require.Empty(t, verified.Problems)
	names, err := filepath.Glob(job.Input)
	require.NoError(t, err)
	var rows []R
	descriptors := make(map[string][]D)
	for _, name := range names {
		row, list := extracted(name)
		rows = append(rows, row)
		descriptors[name] = list
	}
	require.ElementsMatch(t, rows, table[R](t, features, FeaturesTable))
	matches := func(query, train string) Matches {
		row := Matches{Query: query, Train: train, Matches: []DescriptorMatch{}}
		for _, m := range find(descriptors[query], descriptors[train]) {
			row.Matches = append(row.Matches, DescriptorMatch(m))
		}
		return row
	}

	// All pairs of a shard.
	var want []Matches
	for i, query := range names {
		for _, train := range names[i+1:] {
			if shardOf(query, 3) == shardOf(train, 3) {
				want = append(want, matches(query, train))
			}
		}
	}
	require.NotEmpty(t, want)
	output := t.TempDir()
	for branches := 1; branches <= 3; branches++ {
		require.NoError(t, run(t, func(s beam.Scope) error {
			return MatchesJob{Layout: Layout{output, 1, branches}, Features: features, Options: options}.Build(t.Context(), s)
		}))
		require.ElementsMatch(t, want, table[Matches](t, output, MatchesTable))
	}
	m, err := ReadManifest(t.Context(), features)
	require.NoError(t, err)
	require.Equal(t, format, m.Descriptor)
	m, err = ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.Equal(t, format, m.Descriptor)

	// Pairs by name, in both directions and with itself.
	pairs := filepath.Join(t.TempDir(), "pairs.csv")
	text := ""
	want = nil
	for _, p := range [][2]int{{0, 1}, {1, 0}, {2, 2}, {0, 3}, {4, 0}, {0, 1}} {
		query, train := names[p[0]], names[p[1]]
		text += fmt.Sprintf("%q,%s\n", query, train)
		want = append(want, matches(query, train))
	}
	text += names[0] + ",who\nwho," + names[0] + "\nwhat,who\n"
	dead := []DeadLetter{
		{"who", fmt.Sprintf("no features of this image for the pair %q, %q", names[0], "who")},
		{"who", fmt.Sprintf("no features of this image for the pair %q, %q", "who", names[0])},
		{"what", fmt.Sprintf("no features of this image for the pair %q, %q", "what", "who")},
	}
	require.NoError(t, os.WriteFile(pairs, []byte(text), 0o666))
	for branches := 1; branches <= 3; branches++ {
		require.NoError(t, run(t, func(s beam.Scope) error {
			return MatchesJob{Layout: Layout{output, 2, branches}, Features: features, Pairs: pairs, Options: options}.Build(t.Context(), s)
		}))
		require.ElementsMatch(t, want, table[Matches](t, output, MatchesTable))
		require.ElementsMatch(t, dead, table[DeadLetter](t, output, DeadTable))
	}
}

func TestErrors(t *testing.T) {
	corners := t.TempDir()
	good := FeaturesJob{Layout: Layout{corners, 1, 1}, Input: photos[0], Memory: memory, Detector: Detector{FAST: new(fast.Options)}}
	require.NoError(t, run(t, func(s beam.Scope) error { return good.Build(t.Context(), s) }))
	for want, change := range map[string]func(*FeaturesJob){
		"batch: no Output":                                   func(j *FeaturesJob) { j.Output = "" },
		"batch: no Input":                                    func(j *FeaturesJob) { j.Input = "" },
		"batch: 0 Shards: want 1 or more":                    func(j *FeaturesJob) { j.Shards = 0 },
		"batch: -1 Branches: want 1 or more":                 func(j *FeaturesJob) { j.Branches = -1 },
		"batch: 0 bytes of Memory: want 1 or more":           func(j *FeaturesJob) { j.Memory = 0 },
		"batch: both ORB and a Detector":                     func(j *FeaturesJob) { j.ORB = new(orb.Options) },
		"batch: both SIFT and a Detector":                    func(j *FeaturesJob) { j.SIFT = new(sift.Options) },
		"batch: both ORB and SIFT":                           func(j *FeaturesJob) { j.ORB, j.SIFT = new(orb.Options), new(sift.Options) },
		"batch: a Detector needs the options of one package": func(j *FeaturesJob) { j.Detector = Detector{} },
		"batch: a Detector with Strongest 5: want 0 or, for FAST and VPI, more": func(j *FeaturesJob) {
			j.Detector = Detector{Harris: new(harris.Options), Strongest: 5}
		},
		"batch: a Detector with Spread 5: want 0 or, for FAST, more": func(j *FeaturesJob) {
			j.Detector = Detector{VPI: new(vpi.Options), Spread: 5}
		},
		"batch: the region (-1,0)-(5,5) begins outside of images": func(j *FeaturesJob) { j.Region.ROI = image.Rect(-1, 0, 5, 5) },
		"nothing.png: no such file or directory":                  func(j *FeaturesJob) { j.Region.Mask = corners + "/nothing.png" },
		"manifest.json: not an image":                             func(j *FeaturesJob) { j.Region.Mask = corners + "/manifest.json" },
		"vpi: ":                                                   func(j *FeaturesJob) { j.Detector = Detector{VPI: &vpi.Options{CircleRadius: 4}} },
		"fast: ":                                                  func(j *FeaturesJob) { j.Detector.FAST = &fast.Options{ArcLength: 13} },
		"harris: ":                                                func(j *FeaturesJob) { j.Detector = Detector{Harris: &harris.Options{BlockSize: 99}} },
		"lococo: ":                                                func(j *FeaturesJob) { j.Detector = Detector{LoCoCo: &lococo.Options{KernelSizes: []int{4}}} },
		"orb: ":                                                   func(j *FeaturesJob) { j.Detector, j.ORB = Detector{}, &orb.Options{Levels: -1} },
		"sift: ":                                                  func(j *FeaturesJob) { j.Detector, j.SIFT = Detector{}, &sift.Options{Layers: 12} },
		`file system scheme "ftp" not registered for "ftp://a/b"`: func(j *FeaturesJob) { j.Input = "ftp://a/b" },
	} {
		job := good
		change(&job)
		_, s := beam.NewPipelineWithRoot()
		require.ErrorContains(t, job.Build(t.Context(), s), want)
	}

	features := t.TempDir()
	good = FeaturesJob{Layout: Layout{features, 1, 1}, Input: photos[0], Memory: memory, ORB: new(orb.Options)}
	require.NoError(t, run(t, func(s beam.Scope) error { return good.Build(t.Context(), s) }))
	dir := t.TempDir()
	build := func(features, pairs string, options match.Options) error {
		_, s := beam.NewPipelineWithRoot()
		return MatchesJob{Layout: Layout{dir, 1, 1}, Features: features, Pairs: pairs, Options: options}.Build(t.Context(), s)
	}
	require.ErrorContains(t, build(dir, "", match.Options{}), dir+"/manifest.json: no such file or directory")
	require.ErrorContains(t, build(corners, "", match.Options{}), corners+": features of method fast, want those of orb")
	require.ErrorContains(t, build(features, "", match.Options{Ratio: 2}), "match: ")
	require.ErrorContains(t, build(features, filepath.Join(dir, "none.csv"), match.Options{}), "none.csv: no such file or directory")
	for text, want := range map[string]string{
		"a,b\nc\n":        "pairs.csv:2: 1 names, want two",
		"a,b\n\n\na,b,c":  "pairs.csv:4: 3 names, want two",
		"":                "pairs.csv: no pairs",
		"a,\n":            "pairs.csv:1: an empty name",
		"a,b\n\"a,b\nc,d": "pairs.csv:3: extraneous or missing \" in quoted-field",
	} {
		pairs := filepath.Join(dir, "pairs.csv")
		require.NoError(t, os.WriteFile(pairs, []byte(text), 0o666))
		require.ErrorContains(t, build(features, pairs, match.Options{}), want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ManifestName), []byte(`{"version": 2}`), 0o666))
	_, err := ReadManifest(t.Context(), dir)
	require.ErrorContains(t, err, "manifest.json: version 2, of which nothing is known here")
}

// TestOptionNames checks that the options of a manifest name the values of enumerations.
func TestOptionNames(t *testing.T) {
	manifest, err := Layout{Shards: 1}.run("", methodHarris, &harris.Options{Measure: harris.Harris}, "")
	require.NoError(t, err)
	require.Contains(t, string(manifest.Options), `"Measure":"harris"`)
	require.Contains(t, string(manifest.Options), `"Gradient":"sobel3"`)
}

// TestPoints checks that rows can be chosen from and estimated with as what they were made of.
func TestPoints(t *testing.T) {
	for _, test := range []struct{ row, of point.Strong }{
		{Keypoint{X: 2.5, Y: -2.5, Response: 7}, point.Keypoint{X: 2.5, Y: -2.5, Response: 7}},
		{Corner{X: 3, Y: -4, DX: 0.25, DY: -0.5, Response: 7}, lococo.Corner{X: 3, Y: -4, DX: 0.25, DY: -0.5, Response: 7}},
	} {
		require.Equal(t, test.of.Pt(), test.row.Pt())
		x, y := test.row.Position()
		wantX, wantY := test.of.Position()
		require.Equal(t, []float32{wantX, wantY}, []float32{x, y})
		require.Equal(t, test.of.Strength(), test.row.Strength())
	}
}
