package sift

import "math"

// A peak is the keypoint that a candidate has become.
type peak struct {
	candidate
	x, y, size, response float32 // in pixels of the first octave
	packed               int32   // the Keypoint's Octave
}

// A fitRun is the argument of the kernel fit: the differences around a pixel, and what is found
// there.
type fitRun struct {
	// The pixel and those to the left and right, above and below, and the ones at the same
	// places in the difference before and in that after.
	center, left, right, up, down, before, after float32
	// The pixels beside two of these.
	leftUp, rightUp, leftDown, rightDown          float32
	leftBefore, rightBefore, upBefore, downBefore float32
	leftAfter, rightAfter, upAfter, downAfter     float32
	x, y, layer                                   float32 // of the extremum from the pixel
	value                                         float32 // of the extremum, for pixels of 0 to 1
	trace, det                                    float32 // of the Hessian in the plane
}

// fitPeak finds the extremum of the parabola through the differences.
func fitPeak(f *fitRun) {
	const (
		unit   = float32(1.0 / 255)
		first  = unit * 0.5
		second = unit * 0.25
	)
	bx := float32(f.right-f.left) * first
	by := float32(f.down-f.up) * first
	bs := float32(f.after-f.before) * first
	twice := 2 * f.center
	xx := float32(float32(f.right+f.left-twice) * unit)
	yy := float32(float32(f.down+f.up-twice) * unit)
	ss := float32(float32(f.after+f.before-twice) * unit)
	xy := float32(f.rightDown-f.leftDown-f.rightUp+f.leftUp) * second
	xs := float32(f.rightAfter-f.leftAfter-f.rightBefore+f.leftBefore) * second
	ys := float32(f.downAfter-f.upAfter-f.downBefore+f.upBefore) * second

	m0 := fma32(yy, ss, -float32(ys*ys))
	m1 := fma32(xy, ss, -float32(xs*ys))
	m2 := fma32(xy, ys, -float32(xs*yy))
	det := fma32(xs, m2, fma32(xx, m0, -float32(xy*m1)))
	var x, y, s float32
	if det != 0 {
		d := 1 / det
		q1 := fma32(by, ss, -float32(ys*bs))
		q2 := fma32(by, ys, -float32(yy*bs))
		q3 := fma32(xy, bs, -float32(by*xs))
		q4 := fma32(-by, ys, float32(yy*bs))
		x = d * fma32(xs, q2, fma32(bx, m0, -float32(xy*q1)))
		y = d * fma32(xs, q3, fma32(xx, q1, -float32(bx*m1)))
		s = d * fma32(bx, m2, fma32(xx, q4, -float32(xy*q3)))
	}
	f.x, f.y, f.layer = -x, -y, -s
	slope := fma32(bs, f.layer, fma32(by, f.y, float32(bx*f.x)))
	f.value = fma32(f.center, unit, float32(slope*0.5))
	f.trace = xx + yy
	f.det = fma32(xx, yy, -float32(xy*xy))
}

// read sets the differences of f at a pixel.
func (f *fitRun) read(planes []plane, layer, x, y int) {
	stride := planes[0].stride
	at := y*stride + x
	a, b, c, d := &planes[layer-1], &planes[layer], &planes[layer+1], &planes[layer+2]
	rows := func(p *plane, y int) []float32 { return p.pix[at+y*stride-1:][:3] }
	a0, a1, a2 := rows(a, -1), rows(a, 0), rows(a, 1)
	b0, b1, b2 := rows(b, -1), rows(b, 0), rows(b, 1)
	c0, c1, c2 := rows(c, -1), rows(c, 0), rows(c, 1)
	d0, d1, d2 := rows(d, -1), rows(d, 0), rows(d, 1)
	f.upBefore, f.leftBefore, f.before, f.rightBefore, f.downBefore = b0[1]-a0[1], b1[0]-a1[0], b1[1]-a1[1], b1[2]-a1[2], b2[1]-a2[1]
	f.leftUp, f.up, f.rightUp = c0[0]-b0[0], c0[1]-b0[1], c0[2]-b0[2]
	f.left, f.center, f.right = c1[0]-b1[0], c1[1]-b1[1], c1[2]-b1[2]
	f.leftDown, f.down, f.rightDown = c2[0]-b2[0], c2[1]-b2[1], c2[2]-b2[2]
	f.upAfter, f.leftAfter, f.after, f.rightAfter, f.downAfter = d0[1]-c0[1], d1[0]-c1[0], d1[1]-c1[1], d1[2]-c1[2], d2[1]-c2[1]
}

// far is the distance beyond which an extremum is lost.
const far = float32(math.MaxInt32 / 3)

// steps is the number of pixels at which an extremum is searched for, one after the other.
const steps = 5

// refine finds the extremum between the pixels around a candidate, and reports whether it is
// a keypoint.
func (e *Extractor) refine(k *kernels, f *fitRun, planes []plane, c candidate) (peak, bool) {
	layers := e.opts.Layers
	x, y, layer := int(c.column), int(c.row), int(c.layer)
	for step := 0; ; step++ {
		if step == steps {
			return peak{}, false
		}
		f.read(planes, layer, x, y)
		k.fit(f)
		dx, dy, ds := abs(f.x), abs(f.y), abs(f.layer)
		if dx < 0.5 && dy < 0.5 && ds < 0.5 {
			break
		}
		if dx > far || dy > far || ds > far || dx != dx || dy != dy || ds != ds {
			return peak{}, false
		}
		x += round(f.x)
		y += round(f.y)
		layer += round(f.layer)
		if layer < 1 || layer > layers || !planes[0].inside(x, y) {
			return peak{}, false
		}
	}
	edge := float32(e.opts.Edge)
	if float32(abs(f.value)*float32(layers)) < float32(e.opts.Contrast) ||
		f.det <= 0 || float32(float32(f.trace*f.trace)*edge) >= float32(float32((edge+1)*(edge+1))*f.det) {
		return peak{}, false
	}
	scale := float32(int(1) << c.octave)
	between := int32(math.RoundToEven(float64((float64(f.layer) + 0.5) * 255)))
	return peak{
		candidate: candidate{c.octave, int32(layer), int32(x), int32(y)},
		x:         (float32(x) + f.x) * scale,
		y:         (float32(y) + f.y) * scale,
		size:      float32(float32(e.opts.Sigma)*exp2f((float32(layer)+f.layer)/float32(layers))) * scale * 2,
		response:  abs(f.value),
		packed:    c.octave + int32(layer)<<8 + between<<16,
	}, true
}

// inside reports whether a pixel is not in the margin.
func (p *plane) inside(x, y int) bool {
	return x >= border && x < p.width-border && y >= border && y < p.height-border
}
