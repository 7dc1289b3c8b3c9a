package tag

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// The oracles compute the bits, the components and the quads as simply as their definitions say, pixel
// by pixel.

// An oracleBit is what a pixel is.
type oracleBit uint8

const (
	oracleNeither oracleBit = iota
	oracleDark
	oracleLight
)

// oracleBits returns what the pixels are, by rows.
func oracleBits(img *image.Gray, contrast int) []oracleBit {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	at := func(x, y int) int { return int(img.Pix[y*img.Stride+x]) }
	bits := make([]oracleBit, w*h)
	for y := range h {
		for x := range w {
			low, high := 255, 0
			for v := max(y/4*4-4, 0); v < min(y/4*4+8, h); v++ {
				for u := max(x/4*4-4, 0); u < min(x/4*4+8, w); u++ {
					low, high = min(low, at(u, v)), max(high, at(u, v))
				}
			}
			switch {
			case high-low < contrast:
			case at(x, y) <= (low+high)/2:
				bits[y*w+x] = oracleDark
			default:
				bits[y*w+x] = oracleLight
			}
		}
	}
	return bits
}

// oracleErode returns the pixels that are set and whose four neighbors are.
func oracleErode(set []bool, w, h int) []bool {
	eroded := make([]bool, len(set))
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			k := y*w + x
			eroded[k] = set[k] && set[k-1] && set[k+1] && set[k-w] && set[k+w]
		}
	}
	return eroded
}

// oracleComponents returns the components of set pixels in the order of their first ones, by rows, and
// for each of them the pixels.
func oracleComponents(set []bool, w, h int, corners bool) [][]image.Point {
	seen := make([]bool, len(set))
	var components [][]image.Point
	for i := range set {
		if !set[i] || seen[i] {
			continue
		}
		seen[i] = true
		component := []image.Point{{X: i % w, Y: i / w}}
		for k := 0; k < len(component); k++ {
			p := component[k]
			for _, d := range []image.Point{{0, -1}, {-1, 0}, {1, 0}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}} {
				if d.X != 0 && d.Y != 0 && !corners {
					continue
				}
				q := p.Add(d)
				if q.In(image.Rect(0, 0, w, h)) && set[q.Y*w+q.X] && !seen[q.Y*w+q.X] {
					seen[q.Y*w+q.X] = true
					component = append(component, q)
				}
			}
		}
		components = append(components, component)
	}
	return components
}

// oracleGroups returns the components by edges and corners that consist of several by edges.
func oracleGroups(set []bool, w, h int, components [][]image.Point) [][]image.Point {
	size := map[image.Point]int{} // of the component that begins there
	for _, c := range components {
		size[c[0]] = len(c)
	}
	return slices.DeleteFunc(oracleComponents(set, w, h, true), func(c []image.Point) bool { return size[c[0]] == len(c) })
}

// oracleHull returns the corners of the convex hull of the pixels, clockwise as seen, beginning with the
// last pixel of the first row.
func oracleHull(pixels []image.Point) []geometry.Point {
	turn := func(a, b, c image.Point) int {
		return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X)
	}
	begin := slices.MinFunc(pixels, func(a, b image.Point) int {
		if a.Y != b.Y {
			return a.Y - b.Y
		}
		return b.X - a.X
	})
	var hull []geometry.Point
	for p := begin; ; {
		hull = append(hull, geometry.Point{X: float64(p.X), Y: float64(p.Y)})
		// The next corner has all others on its right, and of those on a line it is the farthest.
		next := p
		for _, q := range pixels {
			if q == p {
				continue
			}
			t := turn(p, next, q)
			d, e := q.Sub(p), next.Sub(p)
			if next == p || t < 0 || t == 0 && d.X*d.X+d.Y*d.Y > e.X*e.X+e.Y*e.Y {
				next = q
			}
		}
		if p = next; p == begin {
			return hull
		}
	}
}

// oracleReduce returns the polygon without the edges that add the least area when they go, one after
// the other, or none if that ends before there are four.
func oracleReduce(v []geometry.Point) []geometry.Point {
	v = slices.Clone(v)
	for len(v) > 4 {
		n := len(v)
		best, least, vertex := -1, 0.0, geometry.Point{}
		for k := range v {
			a, b, c, d := v[(k+n-1)%n], v[k], v[(k+1)%n], v[(k+2)%n]
			ux, uy, wx, wy, ex, ey := b.X-a.X, b.Y-a.Y, d.X-c.X, d.Y-c.Y, c.X-b.X, c.Y-b.Y
			den := float64(ux*wy) - float64(uy*wx)
			if den <= 0 {
				continue
			}
			t := (float64(ex*wy) - float64(ey*wx)) / den
			x := geometry.Point{X: b.X + float64(t*ux), Y: b.Y + float64(t*uy)}
			if added := (float64((x.X-b.X)*ey) - float64((x.Y-b.Y)*ex)) / 2; best < 0 || added < least {
				best, least, vertex = k, added, x
			}
		}
		if best < 0 {
			return nil
		}
		v[best] = vertex
		v = slices.Delete(v, (best+1)%n, (best+1)%n+1)
	}
	return v
}

// oracleArea returns the area and the length of the edges.
func oracleArea(v []geometry.Point) (area, length float64) {
	for i, a := range v {
		b := v[(i+1)%len(v)]
		area += float64(a.X*b.Y) - float64(b.X*a.Y)
		length += math.Sqrt(float64((a.X-b.X)*(a.X-b.X)) + float64((a.Y-b.Y)*(a.Y-b.Y)))
	}
	return area / 2, length
}

// oracleQuad returns the quad of a component of an image.
func oracleQuad(pixels []image.Point, shift float64) (quad [4]geometry.Point, ok bool) {
	var box image.Rectangle
	for _, p := range pixels {
		box = box.Union(image.Rectangle{p, p.Add(image.Pt(1, 1))})
	}
	bw, bh, n := box.Dx(), box.Dy(), len(pixels)
	if max(bw, bh) < 6 || min(bw, bh) < 4 || n*8 < bw*bh && n < 3*(bw+bh) {
		return quad, false
	}
	hull := oracleHull(pixels)
	if len(hull) < 4 || len(hull) > 400 {
		return quad, false
	}
	area, length := oracleArea(hull)
	if area < 12 || float64(n) < min(area/4, 2*length) {
		return quad, false
	}
	v := oracleReduce(hull)
	if v == nil {
		return quad, false
	}
	if q, _ := oracleArea(v); q-area > float64(.06*q)+float64(.12*length) {
		return quad, false
	}
	var a, b, c [4]float64
	for i := range 4 {
		p, q := v[i], v[(i+1)%4]
		dx, dy := q.X-p.X, q.Y-p.Y
		l := math.Sqrt(float64(dx*dx) + float64(dy*dy))
		a[i], b[i] = dy/l, -dx/l
		c[i] = float64(a[i]*p.X) + float64(b[i]*p.Y) + float64(shift*max(math.Abs(a[i]), math.Abs(b[i])))
	}
	for i := range 4 {
		k := (i + 3) % 4
		d := float64(a[k]*b[i]) - float64(b[k]*a[i])
		if math.Abs(d) < .05 {
			return quad, false
		}
		quad[i].X = (float64(c[k]*b[i]) - float64(b[k]*c[i])) / d
		quad[i].Y = (float64(a[k]*c[i]) - float64(c[k]*a[i])) / d
	}
	var lengths [4]float64
	for i := range 4 {
		_, lengths[i] = oracleArea([]geometry.Point{quad[i], quad[(i+1)%4]})
		lengths[i] /= 2
	}
	for i := range 4 {
		p, q, r := quad[i], quad[(i+1)%4], quad[(i+2)%4]
		sine := float64((q.X-p.X)*(r.Y-q.Y)) - float64((q.Y-p.Y)*(r.X-q.X))
		if !(sine > .2*lengths[i]*lengths[(i+1)%4]) || lengths[i] < 3.5 || lengths[i] >= 4*lengths[(i+2)%4] {
			return quad, false
		}
	}
	return quad, true
}

// oracleQuads returns the quads of an image: those of dark, light and eroded dark pixels.
func oracleQuads(img *image.Gray, contrast int) (quads []quad) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	bits := oracleBits(img, contrast)
	add := func(components [][]image.Point, light bool, shift float64) {
		for _, c := range components {
			if q, ok := oracleQuad(c, shift); ok {
				quads = append(quads, quad{q, light})
			}
		}
	}
	var dark []bool
	for _, kind := range []oracleBit{oracleDark, oracleLight} {
		set := make([]bool, len(bits))
		for i, b := range bits {
			set[i] = b == kind
		}
		components := oracleComponents(set, w, h, false)
		add(components, kind == oracleLight, .5)
		add(oracleGroups(set, w, h, components), kind == oracleLight, .5)
		if kind == oracleDark {
			dark = set
		}
	}
	add(oracleComponents(oracleErode(dark, w, h), w, h, false), false, 1.5)
	return quads
}

// noise returns an image of w by h pixels with shapes and a little noise, in a larger image. Its
// contrast may be low.
func noise(rng *rand.Rand, w, h int) *image.Gray {
	big := image.NewGray(image.Rect(0, 0, w+rng.IntN(20), h+3))
	for i := range big.Pix {
		big.Pix[i] = uint8(rng.IntN(256))
	}
	img := big.SubImage(image.Rect(0, 0, w, h).Add(image.Pt(big.Rect.Dx()-w, 2))).(*image.Gray)
	img.Rect = img.Rect.Sub(img.Rect.Min)
	if rng.IntN(4) == 0 {
		return img
	}
	scale := 1 + rng.IntN(3)
	for y := range h {
		for x := range w {
			img.Pix[y*img.Stride+x] = uint8(100 + rng.IntN(30)/scale)
		}
	}
	for range rng.IntN(8) {
		side, value := 2+rng.IntN(30), rng.IntN(200)
		x0, y0 := rng.IntN(w), rng.IntN(h)
		slant, lean := rng.IntN(7)-3, rng.IntN(7)-3
		for y := range side {
			for x := range side {
				u, v := x0+x+slant*y/7, y0+y+lean*x/7
				if u >= 0 && v >= 0 && u < w && v < h && (min(x, y, side-1-x, side-1-y) < side/6+1 || value%3 > 0) {
					img.Pix[v*img.Stride+u] = uint8(value + rng.IntN(20))
				}
			}
		}
	}
	return img
}

// oracleDetector returns a Detector that looks for quads of all kinds.
func oracleDetector(t testing.TB, contrast int) *Detector {
	d, err := New(Options{MinContrast: contrast, Families: []Family{{}, {Border: 2}, {Kind: Standard41h12}}})
	require.NoError(t, err)
	return d
}

// requireOracle compares the bits, the components and the quads of an image with those of the oracles.
func requireOracle(t testing.TB, j *job, img *image.Gray) {
	t.Helper()
	w, h := img.Rect.Dx(), img.Rect.Dy()
	contrast := j.detector.opts.MinContrast
	j.begin(raster.NewPlane("tag", img))
	j.findBits()
	bits := oracleBits(img, contrast)
	words := (w + 63) / 64
	dark := make([]bool, w*h)
	wantDark, wantLight := make([]uint64, words*h), make([]uint64, words*h)
	for i, b := range bits {
		k, bit := i/w*words+i%w/64, uint64(1)<<(i%w%64)
		if dark[i] = b == oracleDark; dark[i] {
			wantDark[k] |= bit
		}
		if b == oracleLight {
			wantLight[k] |= bit
		}
	}
	imagetest.RequireSame(t, wantDark, append([]uint64{}, j.bitmap.dark...), "dark of %d by %d", w, h)
	imagetest.RequireSame(t, wantLight, append([]uint64{}, j.bitmap.light...), "light of %d by %d", w, h)

	j.label(j.bitmap.dark)
	components := oracleComponents(dark, w, h, false)
	got := componentsOf(&j.labeler)
	traceAll(&j.labeler)
	require.Len(t, got, len(components))
	for i, pixels := range components {
		requireComponent(t, j, got[i], pixels)
	}
	j.labeler.joinCorners()
	traceAll(&j.labeler)
	groups := oracleGroups(dark, w, h, components)
	for _, i := range componentsOf(&j.labeler) {
		if j.labeler.components[i].parent == byCorners {
			require.NotEmpty(t, groups)
			requireComponent(t, j, i, groups[0])
			groups = groups[1:]
		}
	}
	require.Empty(t, groups)

	j.findQuads()
	imagetest.RequireSame(t, append([]quad{}, oracleQuads(img, contrast)...), append([]quad{}, j.quads...), "%d by %d", w, h)
}

// componentsOf returns the numbers of the components that have not been joined with earlier ones.
func componentsOf(l *labeler) (list []int32) {
	for i, c := range l.components {
		if c.parent < 0 {
			list = append(list, int32(i))
		}
	}
	return list
}

// traceAll finds the outlines of all components.
func traceAll(l *labeler) {
	for i := range l.bands {
		l.bands[i].chosen = nil
	}
	l.bands[0].chosen = componentsOf(l)
	l.place()
	for i := range l.bands {
		l.trace(i)
	}
}

// requireComponent compares component i with its pixels.
func requireComponent(t testing.TB, j *job, i int32, pixels []image.Point) {
	t.Helper()
	c := &j.labeler.components[i]
	left, right := map[int]int{}, map[int]int{}
	for _, p := range pixels {
		if _, ok := left[p.Y]; !ok {
			left[p.Y], right[p.Y] = p.X, p.X
		}
		left[p.Y], right[p.Y] = min(left[p.Y], p.X), max(right[p.Y], p.X)
	}
	outline := j.labeler.outline(i)
	require.Equal(t, len(pixels), int(c.area))
	require.Equal(t, len(left), len(outline))
	x0, x1 := math.MaxInt, -1
	for k, s := range outline {
		y := int(c.y0) + k
		require.Equal(t, span{int32(left[y]), int32(right[y])}, s)
		x0, x1 = min(x0, left[y]), max(x1, right[y])
	}
	require.Equal(t, [2]int{x0, x1}, [2]int{int(c.x0), int(c.x1)})
}

// TestOracle compares images of all widths.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	jobs := map[int]*job{}
	for _, contrast := range []int{2, 16, 255} {
		jobs[contrast] = newJob(oracleDetector(t, contrast))
	}
	step := 1
	if testing.Short() || imagetest.RaceEnabled() {
		step = 13
	}
	quads := 0
	for w := 1; w <= 200; w += step {
		j := jobs[[]int{16, 16, 2, 255, 16}[w%5]]
		requireOracle(t, j, noise(rng, w, 1+rng.IntN(90)))
		quads += len(j.quads)
	}
	require.Greater(t, quads, 100/step)
}

// TestBands checks that bands of rows make the same bits, components and quads as the whole image.
func TestBands(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	j := newJob(oracleDetector(t, 16))
	l := j.lanes.All()[0]
	components := func(how int32) (list []component) {
		traceAll(&j.labeler)
		for _, i := range componentsOf(&j.labeler) {
			if c := j.labeler.components[i]; c.parent == how {
				list = append(list, c)
			}
		}
		return list
	}
	quads := 0
	for h := 1; h < 60; h++ {
		j.begin(raster.NewPlane("tag", noise(rng, 1+rng.IntN(150), h)))
		j.findBits()
		want := [2][]uint64{slices.Clone(j.bitmap.dark), slices.Clone(j.bitmap.light)}
		j.label(j.bitmap.dark)
		wantEdges := components(byEdges)
		outlines := slices.Clone(j.labeler.outlines[h:])
		j.labeler.joinCorners()
		wantCorners := components(byCorners)
		j.findQuads()
		wantQuads := slices.Clone(j.quads)
		quads += len(j.quads)
		for j.bands = 2; j.bands <= tileRows(&j.image); j.bands++ {
			clear(j.bitmap.dark)
			clear(j.bitmap.light)
			for i := range j.bands {
				j.findBand(l, i)
			}
			require.Equal(t, want, [2][]uint64{j.bitmap.dark, j.bitmap.light})

			j.labeler.divide(&j.window, j.bands)
			j.label(j.bitmap.dark)
			require.Equal(t, wantEdges, components(byEdges))
			require.Equal(t, outlines, j.labeler.outlines[h:])
			j.labeler.joinCorners()
			require.Equal(t, wantCorners, components(byCorners))
			j.quads = j.quads[:0]
			j.findQuads()
			require.Equal(t, wantQuads, j.quads)
		}
	}
	require.Greater(t, quads, 100)
}
