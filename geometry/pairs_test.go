package geometry_test

import (
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// A describedPhoto has the keypoints of a photo.
type describedPhoto struct {
	keypoints   []orb.Keypoint
	descriptors []match.Descriptor
}

func describe(t testing.TB, img *image.Gray) (d describedPhoto) {
	e, err := orb.New(orb.Options{})
	require.NoError(t, err)
	d.keypoints, d.descriptors = e.Extract(img, nil)
	return d
}

// TestPairs checks the order of the pairs, and that appending does not allocate.
func TestPairs(t *testing.T) {
	query := []orb.Keypoint{{X: 1, Y: 2.5}, {X: 3, Y: 4}}
	train := []orb.Keypoint{{X: 5, Y: 6}, {X: 7, Y: 8}, {X: 9.25, Y: 10}}
	matches := []match.Match{{Query: 1, Train: 0, Distance: 30}, {Query: 0, Train: 2, Distance: 7}}
	a, b, distances := geometry.Pairs(query, train, matches)
	require.Equal(t, []geometry.Point{{X: 3, Y: 4}, {X: 1, Y: 2.5}}, a)
	require.Equal(t, []geometry.Point{{X: 5, Y: 6}, {X: 9.25, Y: 10}}, b)
	require.Equal(t, []float64{30, 7}, distances)
	more, _, _ := geometry.AppendPairs(a, b, distances, query, train, matches[:1])
	require.Equal(t, []geometry.Point{{X: 3, Y: 4}, {X: 1, Y: 2.5}, {X: 3, Y: 4}}, more)
	require.Zero(t, imagetest.Allocs(5, func() {
		a, b, distances = geometry.AppendPairs(a[:0], b[:0], distances[:0], query, train, matches)
	}))
}

// TestTracks checks the pairs of points that were tracked, and the motion of a video.
func TestTracks(t *testing.T) {
	points := []flow.Point{{X: 1, Y: 2.5}, {X: 3, Y: 4}}
	tracks := []flow.Track{{X: 5, Y: 6, Status: flow.Flat}, {X: 7, Y: 8.25, Status: flow.Found}}
	a, b := geometry.Tracks(points, tracks)
	require.Equal(t, []geometry.Point{{X: 1, Y: 2.5}, {X: 3, Y: 4}}, a)
	require.True(t, math.IsNaN(b[0].X) && math.IsNaN(b[0].Y))
	require.Equal(t, geometry.Point{X: 7, Y: 8.25}, b[1])
	require.Zero(t, imagetest.Allocs(5, func() { a, b = geometry.AppendTracks(a[:0], b[:0], points, tracks) }))
	require.PanicsWithValue(t, "geometry: 2 points, but 1 tracks", func() { geometry.Tracks(points, tracks[:1]) })
	require.PanicsWithValue(t, "geometry: 1 points, but 2 tracks", func() { geometry.Tracks(points[:1], tracks) })

	foundA, foundB, indices := geometry.FoundTracks(points, tracks)
	require.Equal(t, []geometry.Point{{X: 3, Y: 4}}, foundA)
	require.Equal(t, []geometry.Point{{X: 7, Y: 8.25}}, foundB)
	require.Equal(t, []int{1}, indices)
	foundA, foundB, indices = geometry.AppendFoundTracks(foundA, foundB, indices, points[1:], tracks[1:])
	require.Equal(t, []geometry.Point{{X: 3, Y: 4}, {X: 3, Y: 4}}, foundA)
	require.Equal(t, []geometry.Point{{X: 7, Y: 8.25}, {X: 7, Y: 8.25}}, foundB)
	require.Equal(t, []int{1, 0}, indices)
	require.Zero(t, imagetest.Allocs(5, func() {
		foundA, foundB, indices = geometry.AppendFoundTracks(foundA[:0], foundB[:0], indices[:0], points, tracks)
	}))
	require.PanicsWithValue(t, "geometry: 2 points, but 1 tracks", func() { geometry.FoundTracks(points, tracks[:1]) })
	require.PanicsWithValue(t, "geometry: 1 points, but 2 tracks", func() { geometry.FoundTracks(points[:1], tracks) })

	img := imagetest.Photo(t, "camera_512x512")
	part := func(x, y int) *image.Gray { return img.SubImage(image.Rect(x, y, x+400, y+400)).(*image.Gray) }
	tracker, err := flow.New(flow.Options{})
	require.NoError(t, err)
	points = points[:0]
	for _, k := range describe(t, part(0, 0)).keypoints {
		points = append(points, flow.Point{X: k.X, Y: k.Y})
	}
	a, b = geometry.Tracks(points, tracker.Track(tracker.Pyramid(part(0, 0)), tracker.Pyramid(part(5, 3)), points, nil))
	e, err := geometry.New(geometry.Options{Kind: geometry.Similarity})
	require.NoError(t, err)
	inliers := make([]bool, len(a))
	fit, err := e.Estimate(a, b, nil, inliers)
	require.NoError(t, err)
	require.Greater(t, fit.Inliers, len(points)*3/4)
	p := fit.Transform.Apply(geometry.Point{X: 200, Y: 200})
	require.InDelta(t, 200, p.X, 0.05, "in the coordinates of the photo")
	require.InDelta(t, 200, p.Y, 0.05)
}

// TestWrongPhotos checks that no transform is found between different photos, whose keypoints
// match by chance, and that the shift between two parts of the same photo is.
func TestWrongPhotos(t *testing.T) {
	names := []string{
		"astronaut_512x512", "brick_512x512", "camera_512x512", "chelsea_451x300", "coffee_600x400",
		"grass_512x512", "life_640x480", "aitzgorri_752x480", "picos_1241x376", "picos_1280x720", "seeding_1920x1080",
	}
	if testing.Short() {
		names = names[:3]
	}
	var photos []describedPhoto
	for _, name := range names {
		photos = append(photos, describe(t, imagetest.Photo(t, name)))
	}
	var estimators []*geometry.Estimator
	for _, opts := range []geometry.Options{
		{},
		{InlierThreshold: 6},
		{InlierThreshold: 10},
		{Kind: geometry.Affine},
		{Kind: geometry.Similarity},
		{Kind: geometry.Translation},
	} {
		e, err := geometry.New(opts)
		require.NoError(t, err)
		estimators = append(estimators, e)
	}
	for _, opts := range []match.Options{{CrossCheck: true}, {Ratio: 0.8}} {
		m, err := match.New[match.Descriptor](opts)
		require.NoError(t, err)
		for i, p := range photos {
			for k, q := range photos[:i] {
				if names[i][:5] == "picos" && names[k][:5] == "picos" {
					continue // of the same mountains
				}
				a, b, distances := geometry.Pairs(p.keypoints, q.keypoints, m.Match(p.descriptors, q.descriptors))
				for j, e := range estimators {
					known := distances
					if (i+k+j)%2 == 0 {
						known = nil
					}
					fit, err := e.Estimate(a, b, known, nil)
					require.Error(t, err, "%s and %s: %v of %d, %v", names[i], names[k], fit, len(a), e.Options())
				}
			}
		}
	}

	img := imagetest.Photo(t, "camera_512x512")
	left := describe(t, img.SubImage(image.Rect(0, 0, 400, 480)).(*image.Gray))
	right := describe(t, img.SubImage(image.Rect(101, 30, 512, 512)).(*image.Gray))
	m, err := match.New[match.Descriptor](match.Options{CrossCheck: true})
	require.NoError(t, err)
	a, b, distances := geometry.Pairs(left.keypoints, right.keypoints, m.Match(left.descriptors, right.descriptors))
	for i, e := range estimators {
		fit, err := e.Estimate(a, b, distances, nil)
		require.NoError(t, err)
		p := fit.Transform.Apply(geometry.Point{X: 300, Y: 200})
		require.InDelta(t, 300, p.X, 0.5, i)
		require.InDelta(t, 200, p.Y, 0.5, i)
	}
}
