package hashes

import (
	"fmt"
	"image"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/integral"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/orb/compact"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/vpi"
	"github.com/fastcorners/fast/warp"
)

// must returns v. An error is a mistake in the options of this package.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func addCorner(s *sum, c fast.Corner) { s.integers(c.X, c.Y, int32(c.Score)) }

func blockCorners(s *sum, img *image.Gray, n int, settings Settings) {
	for _, threshold := range []uint8{5, 10, 25, 50} {
		d := must(fast.New(fast.Options{Threshold: threshold, Kernel: settings.Kernel, Workers: settings.Workers}))
		each(s, d.Detect(img), addCorner)
	}
}

func corners(s *sum, img *image.Gray, n int, settings Settings) {
	for arc := 9; arc <= 12; arc++ {
		for _, threshold := range []uint8{1, 10, 30, 90} {
			d := must(fast.New(fast.Options{ArcLength: arc, Threshold: threshold, Score: true, Workers: settings.Workers}))
			each(s, d.Detect(img), addCorner)
		}
	}
}

func suppressed(s *sum, img *image.Gray, n int, settings Settings) {
	for arc := 9; arc <= 12; arc++ {
		for _, threshold := range []uint8{5, 30} {
			d := must(fast.New(fast.Options{
				ArcLength: arc, Threshold: threshold, NonmaxSuppression: true, FirstOfEqual: arc&1 == 0, Workers: settings.Workers,
			}))
			each(s, d.Detect(img), addCorner)
		}
	}
}

func chosen(s *sum, img *image.Gray, n int, settings Settings) {
	list := must(fast.New(fast.Options{Threshold: 15, Score: true})).Detect(img)
	each(s, fast.Strongest(slices.Clone(list), 300+n), addCorner)
	each(s, fast.Spread(slices.Clone(list), img.Rect, 200+n), addCorner)
	each(s, fast.PerCell(slices.Clone(list), img.Rect, image.Pt(40, 30), 2, 30), addCorner)
	each(s, fast.InMask(list, img), addCorner)
}

// borders are the modes of package vpi.
var borders = []border.Mode{border.Limited, border.Constant, border.Replicate, border.Reflect, border.Reflect101}

func circles(s *sum, img *image.Gray, n int, settings Settings) {
	add := func(s *sum, c vpi.Corner) { s.integers(c.X, c.Y, int32(c.Score)) }
	for radius := 1; radius <= 3; radius++ {
		for i, arc := range []int{0, 1 + (3*n+radius)%(4*(radius+1))} {
			d := must(vpi.New(vpi.Options{
				CircleRadius: radius, ArcLength: arc, Threshold: float32(12+7*n%40) + float32(i)/2, NoSuppression: (n+i)&1 == 0,
				Border: borders[(n+i)%len(borders)], MaxCorners: 20000, Workers: settings.Workers,
			}))
			each(s, d.Detect(img), add)
			if i == 0 {
				found, _ := d.DetectImage(vpi.Of(deep(img)))
				each(s, found, add)
			}
		}
	}
}

// harrisOptions are those of the responses, which images have in turn.
var harrisOptions = []harris.Options{
	{},
	{Measure: harris.Harris, BlockSize: 2},
	{Measure: harris.Noble, Gradient: harris.Sobel5, BlockSize: 5},
	{Measure: harris.DetOverTrace, Gradient: harris.Sobel7, BlockSize: 7},
	{Measure: harris.Harris, Gradient: harris.Scharr, BlockSize: 4, Border: border.Constant},
	{Gradient: harris.Gaussian, GradientSigma: 1.3, WindowSigma: 2},
	{Measure: harris.Harris, WindowSigma: 1.5, BlockSize: 3},
}

func responses(s *sum, img *image.Gray, n int, settings Settings) {
	for i := range 2 {
		if i > 0 && img.Rect.Dx() > 700 {
			break
		}
		opts := harrisOptions[(n+i*3)%len(harrisOptions)]
		opts.Workers = settings.Workers
		each(s, must(harris.New(opts)).Response(img), func(s *sum, v float32) { s.floats(v) })
	}
}

func goodFeatures(s *sum, img *image.Gray, n int, settings Settings) {
	for i, opts := range append(harrisOptions, harris.GoodFeatures(1000, 0.01, 10), harris.IRGPU(border.Reflect101)) {
		if i > 0 && i < len(harrisOptions) && (n+i)%3 != 0 {
			continue // others have it
		}
		opts.Workers = settings.Workers
		each(s, must(harris.New(opts)).Detect(img, nil), func(s *sum, c harris.Corner) { s.integers(c.X, c.Y).floats(c.Response) })
	}
}

// points returns corners to follow, between pixels: one for 300 pixels, and at most 400.
func points(img *image.Gray) []flow.Point {
	number := min(1+img.Rect.Dx()*img.Rect.Dy()/300, 400)
	list := flow.Points(must(harris.New(harris.GoodFeatures(number, 0.01, 5))).Detect(img, nil))
	for i := range list {
		list[i].X += float32(37*i%64)/64 - 0.5
		list[i].Y += float32(23*i%64)/64 - 0.5
	}
	return list
}

func refined(s *sum, img *image.Gray, n int, settings Settings) {
	for _, opts := range []harris.RefinerOptions{{}, {WindowRadius: 3, Epsilon: 0.03}, {WindowRadius: 10, Iterations: 12}} {
		r := must(harris.NewRefiner(opts))
		if min(img.Rect.Dx(), img.Rect.Dy()) < 2*r.Options().WindowRadius+5 {
			continue // no point would move
		}
		list := points(img)
		converged := make([]bool, len(list))
		harris.Refine(r, img, list, converged)
		for i, p := range list {
			s.result().floats(p.X, p.Y).bool(converged[i])
		}
	}
}

// boxOptions are those of LoCoCo, which images have in turn.
var boxOptions = []lococo.Options{
	{},
	{KernelSizes: []int{3}, BlockSize: 3, Measure: harris.MinEigenvalue},
	{KernelSizes: []int{5}, BlockSize: 7, Measure: harris.Noble, Subpixel: true},
	{KernelSizes: []int{31}, BlockSize: 31},
	{KernelSizes: []int{7, 15}, Measure: harris.DetOverTrace, Subpixel: true},
}

func boxResponses(s *sum, img *image.Gray, n int, settings Settings) {
	opts := boxOptions[n%len(boxOptions)]
	opts.Workers = settings.Workers
	each(s, must(lococo.New(opts)).Response(img), func(s *sum, v float32) { s.floats(v) })
}

func boxCorners(s *sum, img *image.Gray, n int, settings Settings) {
	for _, opts := range boxOptions {
		opts.Workers = settings.Workers
		each(s, must(lococo.New(opts)).Detect(img, nil), func(s *sum, c lococo.Corner) {
			s.integers(c.X, c.Y, c.KernelSize).floats(c.Response, c.DX, c.DY)
		})
	}
}

func integrals(s *sum, img *image.Gray, n int, settings Settings) {
	sums := integral.New(img)
	b := img.Rect
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X + y%5; x < b.Max.X; x += 5 {
			s.result().integers(int32(sums.Sum(image.Rect(b.Min.X+(x-b.Min.X)/2, b.Min.Y+(y-b.Min.Y)/3, x+1, y+1))))
		}
	}
}

// orbOptions are those of package orb, which images have in turn, but for the first, which all
// have.
var orbOptions = []orb.Options{
	{Features: 1000},
	{Features: 700, PointsPerBit: 3, Spread: true},
	byArea(),
	{Features: 300, PatchSize: 25, FASTThreshold: 30, LowThreshold: 7, ScaleFactor: 1.5, Levels: 4},
	{Features: 300, FirstLevel: 1, Levels: 3},
}

// byArea returns options with the quotas of levels that orb.Tracking has.
func byArea() orb.Options {
	opts := orb.Tracking()
	opts.Spread, opts.LowThreshold = false, 0
	opts.Features, opts.PointsPerBit, opts.ScoreType = 700, 4, orb.FASTScore
	return opts
}

// extract calls do with the keypoints and descriptors of an image.
func extract(img *image.Gray, n int, settings Settings, do func([]orb.Keypoint, []match.Descriptor)) {
	for _, opts := range []orb.Options{orbOptions[0], orbOptions[1+n%(len(orbOptions)-1)]} {
		opts.Workers = settings.Workers
		do(must(orb.New(opts)).Extract(img, nil))
	}
}

func keypoints(s *sum, img *image.Gray, n int, settings Settings) {
	add := func(s *sum, k orb.Keypoint) {
		s.floats(k.X, k.Y, k.Size, k.Angle, k.Response).integers(k.Octave)
	}
	extract(img, n, settings, func(kps []orb.Keypoint, _ []match.Descriptor) { each(s, kps, add) })
	few, _ := must(compact.New(compact.Options{})).Extract(img)
	each(s, few, add)
}

func descriptors(s *sum, img *image.Gray, n int, settings Settings) {
	extract(img, n, settings, func(_ []orb.Keypoint, descs []match.Descriptor) {
		each(s, descs, func(s *sum, d match.Descriptor) { s.bytes(d[:]) })
	})
	_, short := must(compact.New(compact.Options{})).Extract(img)
	each(s, short, func(s *sum, d match.Descriptor32) { s.integers(int32(d)) })
}

// siftOptions are those of package sift, which images have in turn.
var siftOptions = []sift.Options{
	{Contrast: 0.02},
	{Layers: 2, Sigma: 2, Edge: 5},
	{NoDoubling: true, Contrast: -1, Root: true},
	{Features: 50, Upright: true},
}

func siftKeypoints(s *sum, img *image.Gray, n int, settings Settings) {
	opts := siftOptions[n%len(siftOptions)]
	opts.Workers = settings.Workers
	each(s, must(sift.New(opts)).Detect(img, nil), func(s *sum, k sift.Keypoint) {
		s.floats(k.X, k.Y, k.Size, k.Angle, k.Response).integers(k.Octave)
	})
}

func siftDescriptors(s *sum, img *image.Gray, n int, settings Settings) {
	opts := siftOptions[n%len(siftOptions)]
	opts.Workers = settings.Workers
	e := must(sift.New(opts))
	kps := orb.Keypoints(must(fast.New(fast.Options{Threshold: 60, NonmaxSuppression: true, Score: true})).Detect(img), 7)
	var grid []sift.Keypoint
	for i, k := range kps {
		if i%20 == 0 {
			grid = append(grid, sift.Keypoint{X: k.X, Y: k.Y, Size: k.Size, Angle: float32(37 * i % 360), Octave: 1 << 8})
		}
	}
	each(s, e.Describe(grid, img), func(s *sum, d match.Vector) { s.bytes(d[:]) })
	_, descs := e.Extract(img, nil)
	each(s, descs, func(s *sum, d match.Vector) { s.bytes(d[:]) })
}

// pair returns the keypoints and descriptors of an image and of what it shows after a motion.
func pair(img *image.Gray) (a, b []orb.Keypoint, query, train []match.Descriptor) {
	e := must(orb.New(orb.Options{Features: 800}))
	a, query = e.Extract(img, nil)
	b, train = e.Extract(moved(img, 9, 5), nil)
	return a, b, query, train
}

func addMatch(s *sum, m match.Match) { s.integers(m.Query, m.Train, m.Distance) }

func nearest(s *sum, img *image.Gray, n int, settings Settings) {
	_, _, query, train := pair(img)
	for _, opts := range []match.Options{{}, {CrossCheck: true}, {Ratio: 0.8}, {CrossCheck: true, Ratio: 0.9, MaxDistance: 64}, {Hamming2: true}} {
		opts.Workers = settings.Workers
		each(s, must(match.New[match.Descriptor](opts)).Match(query, train), addMatch)
	}
	short := func(list []match.Descriptor) (words []match.Descriptor32) {
		for _, d := range list {
			words = append(words, match.Descriptor32(d[3])<<24|match.Descriptor32(d[5])<<16|match.Descriptor32(d[19])<<8|match.Descriptor32(d[30]))
		}
		return words
	}
	each(s, must(match.New[match.Descriptor32](match.Options{Workers: settings.Workers})).Match(short(query), short(train)), addMatch)
}

func neighbors(s *sum, img *image.Gray, n int, settings Settings) {
	_, _, query, train := pair(img)
	m := must(match.New[match.Descriptor](match.Options{Workers: settings.Workers}))
	each(s, m.KNearest(query, train, 2), addMatch)
	each(s, m.Within(query, train, 80), addMatch)
}

func near(s *sum, img *image.Gray, n int, settings Settings) {
	a, b, query, train := pair(img)
	grid := match.NewGrid(b)
	for i, opts := range []match.Options{{}, {CrossCheck: true}, {Ratio: 0.9}, {Hamming2: true, CrossCheck: true, MaxDistance: 60}} {
		opts.Workers = settings.Workers
		circles := match.Circles(a, float32(20*(i+1)))
		each(s, must(match.New[match.Descriptor](opts)).Near(query, train, circles, grid), addMatch)
	}
}

// flatSizes are the bytes of descriptors, which images have in turn.
var flatSizes = []int{8, 64, 1, 128, 61, 48, 96, 16, 80, 32, 112, 24}

func flat(s *sum, img *image.Gray, n int, settings Settings) {
	size := flatSizes[n%len(flatSizes)]
	set := func(list []match.Descriptor) (flat []byte) {
		for i := range list {
			var long []byte // the descriptor and what follows it
			for j := 0; len(long) < size; j++ {
				long = append(long, list[(i+j)%len(list)][:]...)
			}
			flat = append(flat, long[:size]...)
		}
		return flat
	}
	_, _, query, train := pair(img)
	a, b := set(query), set(train)
	for _, opts := range []match.Options{{}, {CrossCheck: true}, {Ratio: 0.8}, {CrossCheck: true, Ratio: 0.9, MaxDistance: 2 * size}} {
		opts.Length, opts.Workers = size, settings.Workers
		each(s, must(match.New[byte](opts)).Match(a, b), addMatch)
	}
	f := must(match.New[byte](match.Options{Length: size, Workers: settings.Workers}))
	each(s, f.KNearest(a, b, 2), addMatch)
	each(s, f.Within(a, b, 2*size), addMatch)
}

func squaredDistances(s *sum, img *image.Gray, n int, settings Settings) {
	set := func(list []match.Descriptor) (vectors []match.Vector) {
		for i := range list { // the descriptor and those that follow it
			var v match.Vector
			for j := range 4 {
				d := list[(i+j)%len(list)]
				copy(v[j*len(d):], d[:])
			}
			vectors = append(vectors, v)
		}
		return vectors
	}
	a, b, query, train := pair(img)
	q, t := set(query), set(train)
	grid := match.NewGrid(b)
	for i, opts := range []match.Options{{}, {CrossCheck: true}, {Ratio: 0.95}, {CrossCheck: true, Ratio: 0.98, MaxDistance: 1_000_000}} {
		opts.Workers = settings.Workers
		m := must(match.New[match.Vector](opts))
		each(s, m.Match(q, t), addMatch)
		each(s, m.Near(q, t, match.Circles(a, float32(20*(i+1))), grid), addMatch)
	}
	m := must(match.New[match.Vector](match.Options{Workers: settings.Workers}))
	each(s, m.KNearest(q, t, 3), addMatch)
	each(s, m.Within(q, t, 800_000), addMatch)
}

func transforms(s *sum, img *image.Gray, n int, _ Settings) {
	addTransforms(s, img, n, geometry.Homography, geometry.Affine, geometry.Similarity, geometry.Translation)
}

func rigid(s *sum, img *image.Gray, n int, _ Settings) {
	addTransforms(s, img, n, geometry.Rigid)
}

// addTransforms adds the transforms of the kinds between the keypoints of two images.
func addTransforms(s *sum, img *image.Gray, n int, kinds ...geometry.Kind) {
	a, b, query, train := pair(img)
	matches := must(match.New[match.Descriptor](match.Options{CrossCheck: true})).Match(query, train)
	from, to, distances := geometry.Pairs(a, b, matches)
	for _, kind := range kinds {
		e := must(geometry.New(geometry.Options{Kind: kind, Seed: uint64(n)}))
		inliers := make([]bool, len(from))
		fit, err := e.Estimate(from, to, distances, inliers)
		s.result().doubles(fit.Transform[:]...).integers(int32(fit.Inliers), int32(fit.Samples))
		if err != nil {
			s.bytes(fmt.Append(nil, err))
			continue
		}
		each(s, inliers, func(s *sum, in bool) { s.bool(in) })
		least, ok := geometry.LeastSquares(kind, from, to)
		s.result().doubles(least[:]...).bool(ok)
		p := kind.Pairs()
		exact, ok := geometry.Exact(kind, from[len(from)-p:], to[len(from)-p:])
		s.result().doubles(exact[:]...).bool(ok)
		inverse, ok := fit.Transform.Inverse()
		s.result().doubles(inverse[:]...).bool(ok)
		fit.Transform.ApplyAll(to, from)
		each(s, to, func(s *sum, p geometry.Point) { s.doubles(p.X, p.Y) })
		from, to, distances = geometry.Pairs(a, b, matches)
	}
}

func tracks(s *sum, img *image.Gray, n int, settings Settings) {
	list := points(img)
	for i, opts := range []flow.Options{
		{},
		{Window: image.Pt(15, 11), Levels: 3, Iterations: 10, Confirm: 0.5},
		{Window: image.Pt(31, 31), RemoveMean: true, KeepInside: true},
	} {
		if i > 0 && (n+i)%2 == 0 {
			continue
		}
		opts.Workers = settings.Workers
		t := must(flow.New(opts))
		each(s, t.Track(t.Pyramid(img), t.Pyramid(moved(img, 2+i, 3)), list, nil), func(s *sum, t flow.Track) {
			s.floats(t.X, t.Y, t.Err).integers(int32(t.Status - flow.Found))
		})
	}
}

// A resampling is a transform with options.
type resampling struct {
	transform warp.Transform
	opts      warp.Options
}

// resamplings returns some for images of about 300 pixels, and for a destination of this size.
func resamplings(size image.Point) []resampling {
	return []resampling{
		{warp.Affine{0.9, 0.2, 11.3, -0.15, 1.1, -3.7}, warp.Options{}},
		{warp.Homography{1.1, 0.1, -9, -0.05, 0.95, 7, 0.0004, -0.0003, 1}, warp.Options{Border: border.Replicate}},
		{warp.Affine{0.5, -0.3, 40, 0.3, 0.5, -20}, warp.Options{Border: border.Reflect}},
		{warp.Homography{0.8, 0.3, 5, -0.2, 1.2, 9, -0.0006, 0.0005, 1}, warp.Options{Interpolation: warp.Nearest, Value: [4]uint8{99}}},
		{warp.Undistortion(camera.Camera{Fx: 230, Fy: 240, Cx: 160, Cy: 120, K1: -0.3, K2: 0.1, P1: 0.001}, size.X, size.Y), warp.Options{Border: border.Reflect101}},
	}
}

func warped(s *sum, img *image.Gray, n int, settings Settings) {
	size := image.Pt(min(img.Rect.Dx(), 320), min(img.Rect.Dy(), 240))
	warps := resamplings(size)
	dst := image.NewGray(image.Rectangle{Max: size})
	for i := range 3 {
		w := warps[(n+i)%len(warps)]
		w.opts.Workers = settings.Workers
		must(warp.New(w.opts)).Gray(dst, img, w.transform)
		for _, v := range dst.Pix {
			s.result().bytes([]byte{v})
		}
	}
	colors := image.NewRGBA(image.Rect(0, 0, 101, 77))
	for i := range colors.Pix {
		colors.Pix[i] = dst.Pix[i%len(dst.Pix)]
	}
	w := warps[n%4]
	w.opts.Workers = settings.Workers
	out := image.NewRGBA(colors.Rect)
	must(warp.New(w.opts)).RGBA(out, colors, w.transform)
	for pixel := range slices.Chunk(out.Pix, 4) {
		s.result().bytes(pixel)
	}
}

func warpedDeep(s *sum, img *image.Gray, n int, settings Settings) {
	size := image.Pt(min(img.Rect.Dx(), 160), min(img.Rect.Dy(), 120))
	warps := resamplings(size)
	dst := image.NewGray16(image.Rectangle{Max: size})
	src := deep(img)
	for i := range 3 {
		w := warps[(n+i)%len(warps)]
		w.opts.Workers = settings.Workers
		must(warp.New(w.opts)).Gray16(dst, src, w.transform)
		for pixel := range slices.Chunk(dst.Pix, 2) {
			s.result().bytes(pixel)
		}
	}
}

func resized(s *sum, img *image.Gray, n int, settings Settings) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	sizes := []image.Point{
		{max(w/2, 1), max(h/2, 1)},
		{max(w/3, 1), max(h/4, 1)},
		{w*10/19 + 1, h*10/19 + 1},
		{w/7 + 1, h/9 + 1},
		{min(w*3/2, 300), min(h*4/3, 200)},
		{min(2*w, 250), h/2 + 1},
	}
	colors := image.NewRGBA(image.Rect(0, 0, min(w, 101), min(h, 77)))
	for i := range colors.Pix {
		colors.Pix[i] = img.Pix[i%len(img.Pix)]
	}
	src := deep(img)
	for i := range 3 {
		size := sizes[(n+i)%len(sizes)]
		r := must(warp.NewResizer(warp.ResizerOptions{Interpolation: warp.Interpolation((n/2 + i) % 4), Workers: settings.Workers}))
		dst, numbers := image.NewGray(image.Rectangle{Max: size}), image.NewGray16(image.Rectangle{Max: size})
		out := image.NewRGBA(image.Rect(0, 0, size.X/3+1, size.Y/3+1))
		r.Gray(dst, img)
		r.Gray16(numbers, src)
		r.RGBA(out, colors)
		for i, pix := range [][]byte{dst.Pix, numbers.Pix, out.Pix} {
			for pixel := range slices.Chunk(pix, 1<<i) {
				s.result().bytes(pixel)
			}
		}
	}
}

func stabilized(s *sum, img *image.Gray, n int, settings Settings) {
	if img.Rect.Dx() < 100 || img.Rect.Dy() < 100 || n%2 > 0 {
		return
	}
	part := image.Rectangle{img.Rect.Min, img.Rect.Min.Add(image.Pt(320, 240))}
	scene := img.SubImage(part).(*image.Gray)
	kinds := []geometry.Kind{geometry.Similarity, geometry.Affine, geometry.Homography}
	stabilizer := must(stabilize.New(stabilize.Options{
		Kind: kinds[n/2%3], Points: 60, Interval: 4, SmoothingRadius: 3, Workers: settings.Workers,
	}))
	add := func(r stabilize.Result) {
		s.result().integers(int32(r.Frame), int32(r.Status-stabilize.Followed), int32(r.Points), int32(r.Inliers))
		s.doubles(r.Motion[:]...).doubles(r.Source[:]...).bool(r.Limited)
	}
	for i := range 10 {
		if r, ok := stabilizer.Push(moved(scene, 2+3*i%5, 1+2*i%7)); ok {
			add(r)
		}
	}
	for r, ok := stabilizer.Flush(); ok; r, ok = stabilizer.Flush() {
		add(r)
	}
}

// search calls do with templates of several sizes, by several similarities, that are parts of an image
// with other contrast and noise, some with a mask and some in color, and with the Scene of up to
// 320 by 240 pixels of the image.
func search(img *image.Gray, n int, settings Settings, do func(l *locate.Locator, s *locate.Scene, t *locate.Template)) {
	img = img.SubImage(image.Rectangle{img.Rect.Min, img.Rect.Min.Add(image.Pt(320, 240))}).(*image.Gray)
	room := img.Rect.Size()
	colors := image.NewRGBA(image.Rectangle{Max: room})
	for y := range room.Y {
		for x := range room.X {
			at := img.PixOffset(img.Rect.Min.X+x, img.Rect.Min.Y+y)
			copy(colors.Pix[colors.PixOffset(x, y):], []byte{img.Pix[at], img.Pix[at]/2 + byte(x), 255 - img.Pix[at], byte(y)})
		}
	}
	for i, size := range []image.Point{{5, 3}, {17, 16}, {40, 28}, {24, 31}} {
		if size.X > room.X || size.Y > room.Y {
			continue
		}
		part := image.NewRGBA(image.Rectangle{Max: size})
		gray, mask := image.NewGray(part.Rect), image.NewGray(part.Rect)
		from := room.Sub(size).Div(2 + n%3)
		for k := range gray.Pix {
			x, y := k%size.X, k/size.X
			pixel := colors.Pix[colors.PixOffset(from.X+x, from.Y+y):]
			noise := byte(k * k % 11)
			gray.Pix[k], mask.Pix[k] = pixel[0]/4*3+noise, byte((x+2*y)%4)
			copy(part.Pix[4*k:], []byte{gray.Pix[k], pixel[1]/4*3 + noise, pixel[2]/4*3 + noise, 255})
		}
		if (n+i)%2 == 0 {
			mask = nil
		}
		l := must(locate.New(locate.Options{Similarity: locate.Similarity((n + i) % 3), MinScore: 0.6, MaxMatches: 100, Workers: settings.Workers}))
		if i < 3 {
			do(l, locate.NewScene(img), must(locate.NewTemplate(gray, mask)))
		} else {
			do(l, locate.NewColorScene(colors), must(locate.NewColorTemplate(part, mask)))
		}
	}
}

func similarities(s *sum, img *image.Gray, n int, settings Settings) {
	search(img, n, settings, func(l *locate.Locator, scene *locate.Scene, t *locate.Template) {
		for _, v := range l.Response(scene, t) {
			s.result().floats(v)
		}
	})
}

func located(s *sum, img *image.Gray, n int, settings Settings) {
	add := func(s *sum, m locate.Match) { s.integers(int32(m.X), int32(m.Y)).doubles(m.Score, m.DX, m.DY) }
	search(img, n, settings, func(l *locate.Locator, scene *locate.Scene, t *locate.Template) {
		best, ok := l.Find(scene, t)
		add(s.result().bool(ok), best)
		each(s, l.FindAll(scene, t), add)
	})
}
