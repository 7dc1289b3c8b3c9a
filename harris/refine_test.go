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
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

type point struct{ X, Y float32 }

// refiner returns a Refiner.
func refiner(t testing.TB, opts harris.RefinerOptions) *harris.Refiner {
	t.Helper()
	r, err := harris.NewRefiner(opts)
	require.NoError(t, err)
	return r
}

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
		var opts harris.RefinerOptions
		_, err := fmt.Sscanf(kind, "r%d-i%d-e%g", &opts.WindowRadius, &opts.Iterations, &opts.Epsilon)
		require.NoError(t, err)
		if opts.Epsilon == 0 {
			opts.Epsilon = -1
		}
		img := imagetest.Photo(t, name)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		want := make([]point, len(data)/8)
		require.NoError(t, binary.Read(bytes.NewReader(data), binary.LittleEndian, want))
		sets := cpu.InstructionSets("harris")
		for i, set := range sets {
			points := refinePoints(t, name, img.Rect.Dx(), img.Rect.Dy())
			if i < len(sets)-1 || testing.Short() {
				points = points[:len(points)/4] // TestRefine compares them all
			}
			restore := cpu.Limit(set.Set)
			harris.Refine(refiner(t, opts), img, points, nil)
			restore()
			require.Equal(t, want[:len(points)], points, "%s %s", file, set.Name)
		}
	}
}

// refineByDefinition moves one point as cornerSubPix does, and reports whether it converged.
func refineByDefinition(img *image.Gray, start point, opts harris.RefinerOptions) (point, bool) {
	w, h, r := img.Rect.Dx(), img.Rect.Dy(), opts.WindowRadius
	pixel := func(x, y int) float32 {
		return float32(img.GrayAt(img.Rect.Min.X+min(max(x, 0), w-1), img.Rect.Min.Y+min(max(y, 0), h-1)).Y)
	}
	bell := make([]float32, 2*r+1)
	for i := range bell {
		v := float32(i-r) / float32(r)
		bell[i] = float32(math.Exp(float64(-v * v)))
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
				weight := float64(bell[r+j] * bell[r+i])
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
	rounds := 240
	if testing.Short() {
		rounds = 40
	}
	stayed, rested := 0, 0
	for i := range rounds {
		opts := harris.RefinerOptions{WindowRadius: 1 + rng.IntN(8), Iterations: 1 + rng.IntN(20), Epsilon: rng.Float64() * 0.2}
		if i%20 == 0 {
			opts.WindowRadius = 31
		}
		given := opts
		if i%5 == 2 {
			opts.Epsilon, given.Epsilon = 0, -1
		}
		side := 2*opts.WindowRadius + 5
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
				if opts.Epsilon == 0 {
					rested++
				}
			} else if want[j] == p {
				stayed++
			}
		}
		// In images with other bounds, results are rounded differently.
		img.Rect = img.Rect.Sub(img.Rect.Min)
		for _, set := range cpu.InstructionSets("harris") {
			got, converged := append([]point{}, points...), make([]bool, len(points))
			restore := cpu.Limit(set.Set)
			n := harris.Refine(refiner(t, given), img, got, converged)
			restore()
			require.Equal(t, want, got, "%s: %+v, %v", set.Name, opts, img.Rect)
			require.Equal(t, wantConverged, converged, "%s: %+v", set.Name, opts)
			require.Equal(t, wantN, n)
		}
	}
	require.NotZero(t, stayed)
	require.NotZero(t, rested)
}

// checkerboard returns the middle of a checkerboard, with a corner at 20, 20 of its pixels. Those
// in the row and the column of the corner are gray.
func checkerboard(origin image.Point) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 41, 41).Add(origin))
	for i := range img.Pix {
		x, y := i%41, i/41
		img.Pix[i] = 128 + uint8(100*sign(x-20)*sign(y-20))
	}
	return img
}

// TestRefineRadius checks that a point moves if a corner is exactly WindowRadius away in x or y,
// and stays if it is the least bit farther.
func TestRefineRadius(t *testing.T) {
	const radius = 4
	img := checkerboard(image.Point{})
	for i := range 41 {
		img.Pix[20*41+i] += uint8(20 * sign(i-20)) // moves the corner a little
		img.Pix[i*41+20] += uint8(30 * sign(i-20))
	}
	r := refiner(t, harris.RefinerOptions{WindowRadius: radius, Iterations: 100, Epsilon: -1})
	corner := []point{{20, 20}}
	require.Equal(t, 1, harris.Refine(r, img, corner, nil))
	x, y := corner[0].X, corner[0].Y
	left, right, top, bottom := x-radius, x+radius, y-radius, y+radius // which are exact
	near := []point{{left, y}, {right, y}, {x, top}, {x, bottom}}
	require.Equal(t, 4, harris.Refine(r, img, near, nil))
	require.Equal(t, slices.Repeat(corner, 4), near)
	far := []point{
		{math.Nextafter32(left, 0), y},
		{math.Nextafter32(right, 40), y},
		{x, math.Nextafter32(top, 0)},
		{x, math.Nextafter32(bottom, 40)},
	}
	want := slices.Clone(far)
	require.Zero(t, harris.Refine(r, img, far, nil))
	require.Equal(t, want, far)
}

// TestRefineCheckerboard checks that points find the corner of a checkerboard wherever it is in
// the coordinates of the image.
func TestRefineCheckerboard(t *testing.T) {
	for _, origin := range []image.Point{{}, {-30, 1000}} {
		img := checkerboard(origin)
		x, y := float32(origin.X), float32(origin.Y)
		points := []point{{x + 18.3, y + 21.2}, {x + 20, y + 20}, {x + 5, y + 5}}
		converged := make([]bool, 3)
		require.Equal(t, 2, harris.Refine(refiner(t, harris.RefinerOptions{}), img, points, converged))
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

// TestRefineOutside checks that points outside the image stay where they are, in every bit, and
// do not change what becomes of the others; and that all points do if the image is too small.
func TestRefineOutside(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, opts := range []harris.RefinerOptions{{}, {WindowRadius: 31, Iterations: 3}} {
		side := 2*opts.WindowRadius + 5
		if opts.WindowRadius == 0 {
			side = 15
		}
		img := newImage(rng, 0, side+3, side)
		r, right, bottom := img.Rect, float32(img.Rect.Max.X), float32(img.Rect.Max.Y)
		left, top := float32(r.Min.X), float32(r.Min.Y)
		outside := []point{
			{right, top + 3},
			{left + 3, bottom},
			{left - 0.1, top},
			{left, top - 1e-3},
			{left + 3, 1e30},
			{nan, top + 3.3},
			{left + 3.3, nan},
			{inf, inf},
			{-inf, top + 1},
			{1e9, top + 0.1},
		}
		var inside, points []point
		for _, p := range outside {
			q := point{left + rng.Float32()*float32(r.Dx()), top + rng.Float32()*float32(r.Dy())}
			inside, points = append(inside, q), append(points, p, q)
		}
		converged, want := make([]bool, len(points)), make([]bool, len(inside))
		for i := range converged {
			converged[i] = true
		}
		refiner := refiner(t, opts)
		n := harris.Refine(refiner, img, inside, want)
		require.Equal(t, n, harris.Refine(refiner, img, points, converged))
		for i := range outside {
			require.Equal(t, bits(outside[i]), bits(points[2*i]), "%v", outside[i])
			require.False(t, converged[2*i])
			require.Equal(t, inside[i], points[2*i+1])
			require.Equal(t, want[i], converged[2*i+1])
		}

		small := img.SubImage(image.Rectangle{r.Min, r.Max.Sub(image.Pt(0, 1))}).(*image.Gray)
		before := append([]point{}, inside...)
		require.Zero(t, harris.Refine(refiner, small, inside, want))
		require.Equal(t, before, inside)
		require.NotContains(t, want, true)
	}
}

// bits returns the coordinates of p, so that NaN is equal to itself.
func bits(p point) [2]uint32 {
	return [2]uint32{math.Float32bits(p.X), math.Float32bits(p.Y)}
}

// TestRefineErrors checks which options are refused, and what panics.
func TestRefineErrors(t *testing.T) {
	for text, opts := range map[string]harris.RefinerOptions{
		"WindowRadius is 32, not 1 to 31":        {WindowRadius: 32},
		"WindowRadius is -1, not 1 to 31":        {WindowRadius: -1},
		"Iterations is 101, not 1 to 100":        {Iterations: 101},
		"Epsilon is NaN, not a number up to 100": {Epsilon: math.NaN()},
	} {
		_, err := harris.NewRefiner(opts)
		require.EqualError(t, err, "harris: RefinerOptions."+text)
	}
	r, img := refiner(t, harris.RefinerOptions{}), image.NewGray(image.Rect(0, 0, 20, 15))
	require.PanicsWithValue(t, "harris: nil image", func() { harris.Refine[point](r, nil, nil, nil) })
	require.PanicsWithValue(t, "harris: 1 flags for 2 points", func() {
		harris.Refine(r, img, make([]point, 2), make([]bool, 1))
	})
	require.PanicsWithValue(t, "harris: Refiner not made by NewRefiner", func() {
		harris.Refine[point](new(harris.Refiner), img, nil, nil)
	})
	require.Zero(t, harris.Refine[point](r, img, nil, nil))
}

// TestRefineConcurrent lets goroutines share a Refiner.
func TestRefineConcurrent(t *testing.T) {
	const name = "chelsea_451x300"
	img, r := imagetest.Photo(t, name), refiner(t, harris.RefinerOptions{})
	want := refinePoints(t, name, 451, 300)
	harris.Refine(r, img, want, nil)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			points := refinePoints(t, name, 451, 300)
			harris.Refine(r, img, points, nil)
			if !slices.Equal(want, points) {
				t.Error("other points")
			}
		}()
	}
	wait.Wait()
}

// TestRefineAllocations checks that Refine does not allocate in the steady state.
func TestRefineAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	img := imagetest.Photo(t, "chelsea_451x300")
	start := refinePoints(t, "chelsea_451x300", 451, 300)
	points, converged := make([]point, len(start)), make([]bool, len(start))
	r := refiner(t, harris.RefinerOptions{})
	require.Zero(t, imagetest.Allocs(5, func() {
		copy(points, start)
		harris.Refine(r, img, points, converged)
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
				harris.Refine(refiner(t, harris.RefinerOptions{WindowRadius: radius, Iterations: 2}), img, points, nil)
			}
		}
	})
}
