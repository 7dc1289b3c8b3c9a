package flow_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/motions"
	"github.com/stretchr/testify/require"
)

// The files in testdata hold results of OpenCV 4.6.0 (Debian, amd64, one thread): x, y and
// the error as float32 and 1 if the point was found, little endian. The second images are
// made of the photos by integers.

// A goldenCase is the motion and the options of golden results.
type goldenCase struct {
	motion  string
	frac    bool // the points lie between pixels, and there are more at the borders
	guesses bool
	opts    flow.Options
}

var goldenCases = map[string]goldenCase{
	"still":   {motion: "still"},
	"t5":      {motion: "t5"},
	"rotzoom": {motion: "rotzoom"},
	"far":     {motion: "far"},
	"t1":      {motion: "t1", frac: true},
	"rot2":    {motion: "rot2", frac: true},
	"light":   {motion: "light", frac: true},
	"w15":     {motion: "t5", frac: true, opts: flow.Options{Window: image.Pt(15, 15), Levels: 3, Iterations: 10, Epsilon: 0.03}},
	"w31x13":  {motion: "rot2", frac: true, opts: flow.Options{Window: image.Pt(31, 13), Levels: 5, Iterations: 30, Epsilon: 0.001, MinEigenvalue: 1e-3}},
	"w8":      {motion: "rotzoom", frac: true, opts: flow.Options{Window: image.Pt(8, 8), Levels: 6, Iterations: 100, Epsilon: -1, MinEigenvalue: -1}},
	"init":    {motion: "t17", frac: true, guesses: true, opts: flow.Options{Levels: 2, Iterations: 20}},
	"eig":     {motion: "t1", opts: flow.Options{Window: image.Pt(9, 9), MinEigenvalue: 1e-2}},
	"level0":  {motion: "t1", opts: flow.Options{Levels: 1}},
}

// goldenPoints returns the points for a photo: OpenCV's good features to track.
func goldenPoints(t testing.TB, name string, frac bool) []flow.Point {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "harris", "testdata", name+".good-mineig"))
	require.NoError(t, err)
	var points []flow.Point
	for line := range strings.Lines(string(data)) {
		var x, y float32
		_, err := fmt.Sscan(line, &x, &y)
		require.NoError(t, err)
		points = append(points, flow.Point{X: x, Y: y})
		if len(points) == 100 {
			break
		}
	}
	if !frac {
		return points
	}
	for i := range points {
		points[i].X += float32(37*i%64)/64 - 0.5
		points[i].Y += float32(23*i%64)/64 - 0.5
	}
	size := imagetest.Photo(t, name).Rect.Size()
	for i := range 12 {
		x, y := float32(size.X*i/12), float32(size.Y*i/12)
		points = append(points, flow.Point{X: x, Y: float32(i%7) - 3.25}, flow.Point{X: float32(size.X) - 2.75 + float32(i%9), Y: y},
			flow.Point{X: float32(4*i) - 24.5, Y: y}, flow.Point{X: x, Y: float32(size.Y-1) + 2.5*float32(i)})
	}
	return points
}

// photos are those with golden results.
func photos(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.flow-still")
	require.NoError(t, err)
	require.Len(t, files, 11)
	var names []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".flow-still")
		if !testing.Short() || name == "chelsea_451x300" {
			names = append(names, name)
		}
	}
	return names
}

// hashes reads a file of testdata.
func hashes[T any](t *testing.T, file string) map[string]T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	var list map[string]T
	require.NoError(t, json.Unmarshal(data, &list))
	return list
}

// TestGolden compares tracks with OpenCV's.
func TestGolden(t *testing.T) {
	second := hashes[string](t, "second.json")
	for _, name := range photos(t) {
		img := imagetest.Photo(t, name)
		moved := map[string]*image.Gray{}
		for _, m := range motions.All {
			moved[m.Name] = m.Of(img)
			sum := sha256.Sum256(moved[m.Name].Pix)
			require.Equal(t, second[name+"."+m.Name], hex.EncodeToString(sum[:]), "%s %s", name, m.Name)
		}
		for kind, c := range goldenCases {
			t.Run(name+"/"+kind, func(t *testing.T) {
				data, err := os.ReadFile(filepath.Join("testdata", name+".flow-"+kind))
				require.NoError(t, err)
				points := goldenPoints(t, name, c.frac)
				require.Len(t, data, 16*len(points))
				var guesses []flow.Point
				for i, p := range points {
					if c.guesses {
						guesses = append(guesses, flow.Point{X: p.X - 19 + float32(i%5), Y: p.Y + 10.5 + float32(i%7)/2})
					}
				}
				for _, set := range cpu.InstructionSets("flow") {
					restore := cpu.Limit(set.Set)
					tracks := track(t, c.opts, img, moved[c.motion], points, guesses)
					restore()
					for i, track := range tracks {
						var want [4]uint32 // the bits of X, Y and Err, and 1 if the point was found
						for k := range want {
							want[k] = binary.LittleEndian.Uint32(data[16*i+4*k:])
						}
						switch {
						case want[3] == 0:
							want[2] = 0
						case kind == "eig": // whose third number is an eigenvalue
							want[2] = math.Float32bits(track.Err)
						}
						got := [4]uint32{math.Float32bits(track.X), math.Float32bits(track.Y), math.Float32bits(track.Err)}
						if track.Status == flow.Found {
							got[3] = 1
						}
						if got != want {
							t.Fatalf("%s %s %s, point %d at %v: %+v with the bits %#x, want %#x", set.Name, name, kind, i, points[i], track, got, want)
						}
					}
				}
			})
		}
	}
}

// track follows points with a new Tracker.
func track(t testing.TB, opts flow.Options, a, b *image.Gray, points, guesses []flow.Point) []flow.Track {
	t.Helper()
	tracker, err := flow.New(opts)
	require.NoError(t, err)
	return tracker.Track(tracker.Pyramid(a), tracker.Pyramid(b), points, guesses)
}
