package harris_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

type point struct{ X, Y float32 }

// refinePoints returns the points that OpenCV 4.6's cornerSubPix got for the golden files: up to
// 100 of its good features, moved by up to a pixel, and points near every edge.
func refinePoints(t testing.TB, name string, w, h int) []point {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".good-mineig")
	require.NoError(t, err)
	var points []point
	for i, line := range strings.SplitAfterN(string(data), "\n", 101)[:100] {
		var x, y float32
		_, err := fmt.Sscan(line, &x, &y)
		require.NoError(t, err)
		x += float32(37*i%64)/64 - 0.5
		y += float32(23*i%64)/64 - 0.5
		points = append(points, point{x, y})
	}
	right, bottom := float32(w-1), float32(h-1)
	for i := range 12 {
		x, y, d := float32(w*i/12), float32(h*i/12), float32(i)*0.375
		points = append(points, point{x, d}, point{right - d, y}, point{d, y}, point{x, bottom - d})
	}
	return append(points, point{right + 0.75, bottom + 0.75}, point{0, 0})
}

// TestRefineGolden compares refined points with OpenCV's, bit for bit.
func TestRefineGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.refine-*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if testing.Short() && !strings.Contains(file, "chelsea") {
			continue
		}
		name, kind, _ := strings.Cut(filepath.Base(file), ".refine-")
		var opts harris.RefineOptions
		_, err := fmt.Sscanf(kind, "r%d-i%d-e%g", &opts.Radius, &opts.Iterations, &opts.Epsilon)
		require.NoError(t, err)
		if opts.Epsilon == 0 {
			opts.Epsilon = -1
		}
		img := imagetest.Photo(t, name)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		want := make([]point, len(data)/8)
		require.NoError(t, binary.Read(bytes.NewReader(data), binary.LittleEndian, want))
		for _, set := range cpu.InstructionSets("harris") {
			points := refinePoints(t, name, img.Rect.Dx(), img.Rect.Dy())
			restore := cpu.Limit(set.Set)
			_, err = harris.Refine(img, points, nil, opts)
			restore()
			require.NoError(t, err)
			require.Equal(t, want, points, "%s %s", file, set.Name)
		}
	}
}

// refineByDefinition moves one point as cornerSubPix does, and reports whether it converged.
func refineByDefinition(img *image.Gray, start point, opts harris.RefineOptions) (point, bool) {
	w, h, r := img.Rect.Dx(), img.Rect.Dy(), opts.Radius
	pixel := func(x, y int) float32 {
		return float32(img.GrayAt(img.Rect.Min.X+min(max(x, 0), w-1), img.Rect.Min.Y+min(max(y, 0), h-1)).Y)
	}
	bell := func(d int) float32 {
		v := float32(d) / float32(r)
		return float32(math.Exp(float64(-v * v)))
	}
	at := start
	converged := false
	for range opts.Iterations {
		left, top := at.X-(float32(r)+1), at.Y-(float32(r)+1)
		x0, y0 := int(math.Floor(float64(left))), int(math.Floor(float64(top)))
		a, b := left-float32(x0), top-float32(y0)
		side := 2*r + 3
		within := x0 >= 0 && y0 >= 0 && x0+side < w && y0+side < h
		if within {
			a = max(a, 0.0001)
		}
		value := func(i, j int) float32 {
			x, y := x0+i, y0+j
			switch {
			case !within && (x < 0 || x >= w-1):
				return float32(pixel(x, y)*(1-b)) + float32(pixel(x, y+1)*b)
			case !within:
				return float32(pixel(x, y)*float32((1-a)*(1-b))) + float32(pixel(x+1, y)*float32(a*(1-b))) +
					float32(pixel(x, y+1)*float32((1-a)*b)) + float32(pixel(x+1, y+1)*float32(a*b))
			}
			column := func(x int) float32 {
				return float32(float32(a*(1-b))*pixel(x, y)) + float32(float32(a*b)*pixel(x, y+1))
			}
			if i == 0 {
				return float32((1-a)*(float32((1-b)*pixel(x, y))+float32(b*pixel(x, y+1)))) + column(x+1)
			}
			return float32(float64(column(x))*((1-float64(a))/float64(a))) + column(x+1)
		}
		var xx, xy, yy, bx, by float64
		for j := -r; j <= r; j++ {
			for i := -r; i <= r; i++ {
				weight := float64(bell(j) * bell(i))
				gx := float64(value(r+2+i, r+1+j) - value(r+i, r+1+j))
				gy := float64(value(r+1+i, r+2+j) - value(r+1+i, r+j))
				pxx, pxy, pyy := float64(gx*gx*weight), float64(gx*gy*weight), float64(gy*gy*weight)
				xx += pxx
				xy += pxy
				yy += pyy
				bx += float64(pxx*float64(i)) + float64(pxy*float64(j))
				by += float64(pxy*float64(i)) + float64(pyy*float64(j))
			}
		}
		det := float64(xx*yy) - float64(xy*xy)
		if math.Abs(det) <= 0x1p-104 {
			converged = false
			break
		}
		scale := 1 / det
		next := point{
			float32(float64(at.X) + float64(yy*scale*bx) - float64(xy*scale*by)),
			float32(float64(at.Y) - float64(xy*scale*bx) + float64(xx*scale*by)),
		}
		dx, dy := next.X-at.X, next.Y-at.Y
		at = next
		converged = float64(float32(dx*dx)+float32(dy*dy)) <= opts.Epsilon*opts.Epsilon
		if at.X < 0 || at.Y < 0 || at.X >= float32(w) || at.Y >= float32(h) {
			converged = false
			break
		}
		if converged {
			break
		}
	}
	if math.Abs(float64(at.X-start.X)) > float64(r) || math.Abs(float64(at.Y-start.Y)) > float64(r) {
		return start, false
	}
	return at, converged
}

// TestRefine compares points in images of many kinds with those of the definition.
func TestRefine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	rounds := 400
	if testing.Short() {
		rounds = 40
	}
	stayed := 0
	for i := range rounds {
		opts := harris.RefineOptions{Radius: 1 + rng.IntN(8), Iterations: 1 + rng.IntN(20), Epsilon: rng.Float64() * 0.2}
		if i%20 == 0 {
			opts.Radius = 31
		}
		side := 2*opts.Radius + 5
		img := newImage(rng, i%len(contents), side+rng.IntN(40), side+rng.IntN(40))
		points := make([]point, rng.IntN(40))
		for j := range points {
			points[j] = point{rng.Float32() * float32(img.Rect.Dx()), rng.Float32() * float32(img.Rect.Dy())}
			if j%5 == 0 {
				points[j] = point{float32(rng.IntN(img.Rect.Dx())), float32(rng.IntN(img.Rect.Dy()))}
			}
		}
		want, wantConverged, wantN := make([]point, len(points)), make([]bool, len(points)), 0
		for j, p := range points {
			want[j], wantConverged[j] = refineByDefinition(img, p, opts)
			if wantConverged[j] {
				wantN++
			} else if want[j] == p {
				stayed++
			}
		}
		// In images with other bounds, results are rounded differently.
		img.Rect = img.Rect.Sub(img.Rect.Min)
		for _, set := range cpu.InstructionSets("harris") {
			got, converged := append([]point{}, points...), make([]bool, len(points))
			restore := cpu.Limit(set.Set)
			n, err := harris.Refine(img, got, converged, opts)
			restore()
			require.NoError(t, err)
			require.Equal(t, want, got, "%s: %+v, %v", set.Name, opts, img.Rect)
			require.Equal(t, wantConverged, converged, "%s: %+v", set.Name, opts)
			require.Equal(t, wantN, n)
		}
	}
	require.NotZero(t, stayed)
}

// TestRefineCheckerboard checks that points find the corner of a checkerboard wherever it is in
// the coordinates of the image.
func TestRefineCheckerboard(t *testing.T) {
	for _, origin := range []image.Point{{}, {-30, 1000}} {
		img := image.NewGray(image.Rect(0, 0, 41, 41).Add(origin))
		for i := range img.Pix {
			// Pixels in the row and the column of the corner are gray.
			x, y := i%41, i/41
			img.Pix[i] = 128 + uint8(100*sign(x-20)*sign(y-20))
		}
		x, y := float32(origin.X), float32(origin.Y)
		points := []point{{x + 18.3, y + 21.2}, {x + 20, y + 20}, {x + 5, y + 5}}
		converged := make([]bool, 3)
		n, err := harris.Refine(img, points, converged, harris.RefineOptions{})
		require.NoError(t, err)
		require.Equal(t, 2, n)
		require.Equal(t, []bool{true, true, false}, converged)
		for _, p := range points[:2] {
			require.InDelta(t, x+20, p.X, 0.01)
			require.InDelta(t, y+20, p.Y, 0.01)
		}
		require.Equal(t, point{x + 5, y + 5}, points[2], "it has no gradient around it")
	}
}

func sign(v int) int {
	return min(max(v, -1), 1)
}

// TestRefineErrors checks what Refine refuses, and that nothing has moved then.
func TestRefineErrors(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 20, 15))
	nan := float32(math.NaN())
	for text, c := range map[string]struct {
		p    point
		opts harris.RefineOptions
	}{
		"harris: RefineOptions.Radius is 32, not 1 to 31":       {opts: harris.RefineOptions{Radius: 32}},
		"harris: RefineOptions.Radius is -1, not 1 to 31":       {opts: harris.RefineOptions{Radius: -1}},
		"harris: RefineOptions.Iterations is 101, not 1 to 100": {opts: harris.RefineOptions{Iterations: 101}},
		"harris: RefineOptions.Epsilon is NaN, not a number up to 100": {
			opts: harris.RefineOptions{Epsilon: math.NaN()},
		},
		"harris: an image of 20 by 15 pixels is too small for RefineOptions.Radius 6, which needs 17 by 17": {
			opts: harris.RefineOptions{Radius: 6},
		},
		"harris: point 1, (20, 3), is outside the image":    {p: point{20, 3}},
		"harris: point 1, (3, -0.5), is outside the image":  {p: point{3, -0.5}},
		"harris: point 1, (NaN, 3), is outside the image":   {p: point{nan, 3}},
		"harris: point 1, (3, 1e+30), is outside the image": {p: point{3, 1e30}},
	} {
		points := []point{{4, 5}, c.p}
		n, err := harris.Refine(img, points, nil, c.opts)
		require.EqualError(t, err, text)
		require.Zero(t, n)
		require.Equal(t, point{4, 5}, points[0])
	}
	require.PanicsWithValue(t, "harris: nil image", func() { harris.Refine[point](nil, nil, nil, harris.RefineOptions{}) })
	require.PanicsWithValue(t, "harris: 1 flags for 2 points", func() {
		harris.Refine(img, make([]point, 2), make([]bool, 1), harris.RefineOptions{})
	})
	n, err := harris.Refine[point](img, nil, nil, harris.RefineOptions{})
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestRefineAllocations checks that Refine does not allocate in the steady state.
func TestRefineAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	img := imagetest.Photo(t, "chelsea_451x300")
	start := refinePoints(t, "chelsea_451x300", 451, 300)
	points, converged := make([]point, len(start)), make([]bool, len(start))
	require.Zero(t, testing.AllocsPerRun(5, func() {
		copy(points, start)
		if _, err := harris.Refine(img, points, converged, harris.RefineOptions{}); err != nil {
			t.Fatal(err)
		}
	}))
}

// TestRefineGuardPages checks that nothing is read before the first pixel of an image or beyond
// the last one.
func TestRefineGuardPages(t *testing.T) {
	asmtest.RequireInBounds(t, asmtest.Widths(11, 40), []int{11, 12, 24}, func() func(img *image.Gray) {
		return func(img *image.Gray) {
			w, h := img.Rect.Dx(), img.Rect.Dy()
			for _, radius := range []int{1, 2, 3} {
				var points []point
				for i := range 60 {
					points = append(points, point{float32(img.Rect.Min.X + i*7%w), float32(img.Rect.Min.Y + i*5%h)})
				}
				if _, err := harris.Refine(img, points, nil, harris.RefineOptions{Radius: radius, Iterations: 2}); err != nil {
					panic(err)
				}
			}
		}
	})
}
