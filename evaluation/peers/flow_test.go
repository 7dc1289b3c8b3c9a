package peers

import (
	"image"
	"slices"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/motions"
	"github.com/stretchr/testify/require"
)

// flowPhotos returns the photos, or in short mode the smallest ones.
func flowPhotos(t *testing.T) []*image.Gray {
	photos := readPhotos(t)
	if testing.Short() {
		photos = slices.DeleteFunc(photos, func(img *image.Gray) bool { return img.Rect.Dx() > 512 })
	}
	return photos
}

// TestTrack checks that OpenCV's calcOpticalFlowPyrLK finds what package flow finds, bit for
// bit, with and without kernels, in all photos after all motions: with the default options, and
// with others in turn.
func TestTrack(t *testing.T) {
	peers := openPeers(t)
	opts := []flow.Options{
		{},
		{Window: image.Pt(15, 15), Levels: 3, Iterations: 10, Epsilon: .03},
		{Window: image.Pt(31, 13), Levels: 5, Epsilon: .001, MinEigenvalue: 1e-3},
		{Window: image.Pt(8, 8), Levels: 6, MinEigenvalue: 1e-2},
	}
	compared := 0
	for n, photo := range flowPhotos(t) {
		whole := FlowPoints(photo)
		for i := range motions.All {
			second := motions.All[i].Of(photo)
			for j, opts := range opts {
				if j > 0 && j != 1+(n+i)%3 {
					continue // another time
				}
				points := whole
				var guesses []flow.Point
				if j > 0 {
					points = Moved(whole)
				}
				if j == 2 {
					guesses = Moved(points)
				}
				want := peers.Track(opts, photo, second, points, guesses)
				for _, set := range cpu.InstructionSets(FlowPackages...) {
					if j > 0 && set.Name == cpu.Portable {
						continue // that takes longer
					}
					restore := cpu.Limit(set.Set)
					tracker, err := flow.New(opts)
					require.NoError(t, err)
					got := tracker.Track(tracker.Pyramid(photo), tracker.Pyramid(second), points, guesses)
					restore()
					require.Zero(t, DifferentTracks(got, want), "photo %d, %s, options %d, %s", n, motions.All[i].Name, j, set.Name)
					compared += len(got)
				}
			}
		}
	}
	t.Logf("%d tracks compared", compared)
}

// TestRefine checks that OpenCV's cornerSubPix moves points to where harris.Refine moves them,
// bit for bit. Since version 4.9 OpenCV leaves a point where it was before the step that would take
// it out of the image, so that points near the edges may be elsewhere.
func TestRefine(t *testing.T) {
	peers := openPeers(t)
	compared := 0
	for n, photo := range flowPhotos(t) {
		points := Moved(FlowPoints(photo))
		size := photo.Rect.Max
		for i := range 12 { // near the edges, too
			x, y, d := float32(size.X*i/12), float32(size.Y*i/12), float32(i)*.375
			points = append(points, flow.Point{X: x, Y: d}, flow.Point{X: d, Y: y},
				flow.Point{X: float32(size.X-1) - d, Y: y}, flow.Point{X: x, Y: float32(size.Y-1) - d})
		}
		for _, opts := range []harris.RefinerOptions{{}, {WindowRadius: 10}, {WindowRadius: 3, Iterations: 5, Epsilon: .03}} {
			points := points
			if peers.Since(4, 9) {
				inner := photo.Rect.Inset(10)
				points = slices.DeleteFunc(slices.Clone(points), func(p flow.Point) bool { return !p.Pt().In(inner) })
			}
			want := slices.Clone(points)
			peers.Refine(opts, photo, want)
			r := Must(harris.NewRefiner(opts))
			for _, set := range cpu.InstructionSets(RefinePackages...) {
				got := slices.Clone(points)
				restore := cpu.Limit(set.Set)
				harris.Refine(r, photo, got, nil)
				restore()
				require.Zero(t, DifferentPoints(got, want), "photo %d, %+v, %s", n, opts, set.Name)
				compared += len(got)
			}
		}
	}
	t.Logf("%d points compared", compared)
}

// TestDifferent checks what counts as different.
func TestDifferent(t *testing.T) {
	want := []flow.Track{{X: 1, Y: 2, Err: 3, Status: flow.Found}, {X: 4, Y: 5, Err: 6, Status: flow.Lost}}
	for _, c := range []struct {
		change    func(tracks []flow.Track)
		different int
	}{
		{func([]flow.Track) {}, 0},
		{func(tracks []flow.Track) { tracks[0].Err++ }, 1},
		{func(tracks []flow.Track) { tracks[0].X, tracks[1].Y = 0, 0 }, 2},
		{func(tracks []flow.Track) { tracks[1].Err++ }, 0},
		{func(tracks []flow.Track) { tracks[1].Status = flow.Flat }, 0},
		{func(tracks []flow.Track) { tracks[1].Status = flow.Found }, 1},
	} {
		got := slices.Clone(want)
		c.change(got)
		require.Equal(t, c.different, DifferentTracks(got, want))
	}
	points := []flow.Point{{X: 1, Y: 2}, {X: 3, Y: 4}, {X: 5, Y: 6}}
	require.Zero(t, DifferentPoints(points, points))
	require.Equal(t, 3, DifferentPoints(Moved(points)[:3], []flow.Point{{}, {}, {}}))
}

// TestFlowTests checks that all tests of package flow have a peer and begin with this library.
func TestFlowTests(t *testing.T) {
	peers := openPeers(t)
	photo := flowPhotos(t)[0]
	scenes := peers.MakeScenes([]*image.Gray{photo}, [][]flow.Point{FlowPoints(photo)}, &motions.All[1], 15)
	for _, test := range slices.Concat(peers.FlowTests(15), peers.PyramidTests(), peers.RefineTests()) {
		require.False(t, test.contenders[0].peer, test.Name)
		require.True(t, slices.ContainsFunc(test.contenders, func(c contender[*Scene]) bool { return c.peer }), test.Name)
		for _, c := range test.contenders {
			c.do(scenes[0])
		}
	}
	opts := Must(flow.New(windowOptions(15))).Options()
	ready := peers.calls.tracks(peers.calls.followReady(&opts, scenes[0].number, scenes[0].number+1, scenes[0].Points))
	require.Zero(t, DifferentTracks(ready, peers.Track(opts, scenes[0].A, scenes[0].B, scenes[0].Points, nil)))
}
