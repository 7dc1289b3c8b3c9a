package orb_test

import (
	"cmp"
	"image"
	"math"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// everything is more features than there are.
const everything = 1 << 20

// A scene is an image to test options with.
type scene struct {
	name      string
	img, mask *image.Gray
}

func scenes(t *testing.T) []scene {
	var list []scene
	for _, name := range []string{"chelsea_451x300", "camera_512x512", "life_640x480"} {
		img := imagetest.Photo(t, name)
		part := img.SubImage(image.Rect(33, 20, 343, 290)).(*image.Gray)
		list = append(list, scene{name, img, nil}, scene{name + ", masked", img, imagetest.Disc(img.Rect)}, scene{name + ", part", part, nil})
		if testing.Short() {
			break
		}
	}
	return list
}

// levelSize returns the size of a level by a scale factor of 1.2, and its scale.
func levelSize(bounds image.Rectangle, level int32) (size image.Point, scale float32) {
	scale = float32(math.Pow(float64(float32(1.2)), float64(level)))
	side := func(n int) int { return int(math.RoundToEven(float64(float32(n) * (1 / scale)))) }
	return image.Pt(side(bounds.Dx()), side(bounds.Dy())), scale
}

// insideEdge returns the part of a level without its edge of 31 pixels.
func insideEdge(bounds image.Rectangle, level int32) image.Rectangle {
	size, _ := levelSize(bounds, level)
	return image.Rectangle{Max: size}.Inset(31)
}

// pixel returns the pixel of its level that a keypoint was found at.
func pixel(bounds image.Rectangle, k orb.Keypoint) image.Point {
	_, scale := levelSize(bounds, k.Octave)
	at := func(v float32, low int) int { return int(math.Round(float64(v-float32(low)) / float64(scale))) }
	return image.Pt(at(k.X, bounds.Min.X), at(k.Y, bounds.Min.Y))
}

// levelCorners returns the FAST corners of each level that an extractor with these
// options starts from, in raster order.
func levelCorners(t *testing.T, s scene, opts orb.Options) [8][]fast.Corner {
	opts.Features, opts.ScoreType = everything, orb.FASTScore
	var corners [8][]fast.Corner
	for _, k := range extractor(t, opts).Detect(s.img, s.mask) {
		p := pixel(s.img.Rect, k)
		corners[k.Octave] = append(corners[k.Octave], fast.Corner{X: int32(p.X), Y: int32(p.Y), Score: uint8(k.Response)})
	}
	for _, list := range corners {
		slices.SortFunc(list, func(a, b fast.Corner) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	}
	return corners
}

// TestLowThreshold compares the corners with those of two detections.
func TestLowThreshold(t *testing.T) {
	for _, s := range scenes(t) {
		const high, low = 60, 9
		got := levelCorners(t, s, orb.Options{FASTThreshold: high, LowThreshold: low})
		strong := levelCorners(t, s, orb.Options{FASTThreshold: high})
		weak := levelCorners(t, s, orb.Options{FASTThreshold: low})
		added, missing := 0, 0
		for level := range got {
			inside := insideEdge(s.img.Rect, int32(level))
			cell := func(c fast.Corner) image.Point { return c.Pt().Sub(inside.Min).Div(32) }
			full := map[image.Point]bool{}
			for _, c := range strong[level] {
				full[cell(c)] = true
			}
			var want []fast.Corner
			for _, c := range weak[level] {
				switch {
				case slices.Contains(strong[level], c):
					want = append(want, c)
				case full[cell(c)]:
					missing++
				default:
					added++
					want = append(want, c)
				}
			}
			imagetest.RequireSame(t, want, got[level], "%s, level %d", s.name, level)
		}
		require.Greater(t, added, 20, s.name)
		require.Greater(t, missing, 20, s.name)
	}
}

// TestSpread compares the keypoints with what fast.Spread chooses among all corners
// of a level, and checks that they are more evenly spread than without.
func TestSpread(t *testing.T) {
	quotas := [2][8]int{{109, 90, 75, 63, 52, 44, 36, 31}, {162, 112, 78, 54, 37, 26, 18, 13}}
	for _, s := range scenes(t) {
		for i, opts := range []orb.Options{{}, {ScoreType: orb.FASTScore}, {LowThreshold: 7}, byArea()} {
			all := map[orb.Keypoint]match.Descriptor{}
			whole := opts
			whole.Features = everything
			kps, descs := extractor(t, whole).Extract(s.img, s.mask)
			for j, k := range kps {
				all[k] = descs[j]
			}
			without := extractor(t, opts).Detect(s.img, s.mask)

			quota := quotas[0]
			if i == 3 {
				quota = quotas[1]
			}
			var want [8][]image.Point
			for level, corners := range levelCorners(t, s, opts) {
				for _, c := range fast.Spread(corners, insideEdge(s.img.Rect, int32(level)), quota[level]) {
					want[level] = append(want[level], c.Pt())
				}
			}

			opts.Spread = true
			kps, descs = extractor(t, opts).Extract(s.img, s.mask)
			require.Len(t, descs, len(kps))
			var got [8][]image.Point
			for i, k := range kps {
				desc, ok := all[k]
				require.True(t, ok && desc == descs[i], "%+v", k)
				got[k.Octave] = append(got[k.Octave], pixel(s.img.Rect, k))
			}
			for level := range got {
				require.ElementsMatch(t, want[level], got[level], "%s, %+v, level %d", s.name, opts, level)
			}
			require.True(t, slices.IsSortedFunc(kps, func(a, b orb.Keypoint) int {
				return cmp.Or(cmp.Compare(a.Octave, b.Octave), cmp.Compare(b.Response, a.Response), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
			}))
			require.Greater(t, cells(kps), cells(without), "%s, %+v", s.name, opts)
		}
	}
}

// cells counts the cells of 20 by 20 pixels that have keypoints.
func cells(kps []orb.Keypoint) int {
	cells := map[image.Point]bool{}
	for _, k := range kps {
		cells[k.Pt().Div(20)] = true
	}
	return len(cells)
}

// TestRecomputeAngles checks that angles computed again are those that were found,
// near the edges, too.
func TestRecomputeAngles(t *testing.T) {
	eachISA(t, testRecomputeAngles)
}

func testRecomputeAngles(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	if testing.Short() {
		img = img.SubImage(image.Rect(100, 20, 250, 160)).(*image.Gray)
	}
	for _, test := range []struct{ patch, edge int }{{31, 22}, {31, 31}, {10, 8}, {2, 4}, {40, 29}} {
		opts := orb.Options{PatchSize: test.patch, EdgeThreshold: test.edge, FASTThreshold: 3, Features: 5000, Levels: 3}
		kps, descs := extractor(t, opts).Extract(img, nil)
		require.Greater(t, len(kps), 200)
		found := slices.Clone(kps)
		for i := range kps {
			kps[i].Angle = float32(math.NaN())
		}
		opts.EdgeThreshold = 31
		kept, _ := extractor(t, opts).Describe(kps, img)
		require.Empty(t, kept)
		opts.RecomputeAngles = true
		kept, again := extractor(t, opts).Describe(kps, img)
		require.Len(t, kept, len(kps))
		require.Equal(t, descs, again)
		require.Equal(t, found, kps)
	}
}

// TestTracking checks that keypoints for tracking are in all parts of an image, also where contrast
// is low, and that more of them are on the first level.
func TestTracking(t *testing.T) {
	img := imagetest.Photo(t, "camera_512x512")
	middle := img.Rect.Dx() / 2
	for i, v := range img.Pix {
		if i%img.Stride < middle {
			img.Pix[i] = 128 + v/6
		}
	}
	count := func(opts orb.Options) (left, first int) {
		for _, k := range extractor(t, opts).Detect(img, nil) {
			if k.Pt().X < middle {
				left++
			}
			if k.Octave == 0 {
				first++
			}
		}
		return left, first
	}
	left, first := count(orb.Options{})
	evenLeft, evenFirst := count(orb.Tracking())
	require.Less(t, left, 10)
	require.Greater(t, evenLeft, 50)
	require.Greater(t, evenFirst, first+first/4)
}

// TestOptionsAgree checks that the options that OpenCV lacks give the same keypoints with
// any number of workers and every instruction set.
func TestOptionsAgree(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	opts := orb.Tracking()
	kps, descs := extractor(t, opts).Extract(img, nil)
	require.NotEmpty(t, kps)
	for _, opts.Workers = range []int{-1, 1, 3} {
		for _, isa := range cpu.InstructionSets() {
			func() {
				defer cpu.Limit(isa.Set)()
				gotKps, gotDescs := extractor(t, opts).Extract(img, nil)
				imagetest.RequireSame(t, kps, gotKps, isa.Name)
				require.Equal(t, descs, gotDescs, isa.Name)
			}()
		}
	}
}
