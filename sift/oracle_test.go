package sift_test

import (
	"cmp"
	"image"
	"math"
	"math/big"
	"slices"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
)

// This file is the definition, as naive as can be. It shares no code with the package.

// fma returns a*b + c with one rounding. The product of two float32 is exact in float64. Where
// the rounded sum is halfway between two float32, or has fewer bits than usual, it is computed
// with as many bits as it has.
func fma(a, b, c float32) float32 {
	product := float64(a) * float64(b)
	sum := product + float64(c)
	if math.Float64bits(sum)&(1<<29-1) != 1<<28 && math.Abs(sum) > 1e-37 {
		return float32(sum)
	}
	exact := new(big.Float).SetPrec(400).SetFloat64(product)
	exact.Add(exact, new(big.Float).SetFloat64(float64(c)))
	f, _ := exact.Float32()
	if f == 0 {
		return float32(sum) // with its sign
	}
	return f
}

// nearest rounds to the nearest integer, and to the even one of two.
func nearest(v float64) int {
	return int(math.RoundToEven(v))
}

// reflect returns the pixel that stands in place i of n pixels: dcb|abcd|cba.
func reflect(i, n int) int {
	period := max(2*n-2, 1)
	i = (i%period + period) % period
	return min(i, period-i)
}

// A picture holds gray values.
type picture struct {
	w, h int
	pix  []float32
}

func newPicture(w, h int) picture { return picture{w, h, make([]float32, w*h)} }

func (p picture) at(x, y int) float32 { return p.pix[y*p.w+x] }

// oracleWeights returns the weights of a Gaussian filter.
func oracleWeights(sigma float64) []float32 {
	n := nearest(8*sigma+1) | 1
	v := make([]float64, n)
	sum := 0.0
	for i := range n / 2 {
		x := float64(1 - n + 2*i)
		v[i] = math.Exp(-0.125 / (sigma * sigma) * (x * x))
		sum += v[i]
	}
	scale := 1 / (2*sum + 1)
	k := make([]float32, n)
	for i := range n / 2 {
		k[i] = float32(v[i] * scale)
		k[n-1-i] = k[i]
	}
	k[n/2] = float32(scale)
	return k
}

// blurred returns p, filtered.
func (p picture) blurred(sigma float64) picture {
	k := oracleWeights(sigma)
	r := len(k) / 2
	rows, out := newPicture(p.w, p.h), newPicture(p.w, p.h)
	for y := range p.h {
		for x := range p.w {
			a := p.at(reflect(x-r, p.w), y) * k[0]
			for j := 1; j < len(k); j++ {
				a = fma(p.at(reflect(x-r+j, p.w), y), k[j], a)
			}
			rows.pix[y*p.w+x] = a
		}
	}
	for y := range p.h {
		for x := range p.w {
			a := rows.at(x, y) * k[r]
			for j := 1; j <= r; j++ {
				a = fma(rows.at(x, reflect(y+j, p.h))+rows.at(x, reflect(y-j, p.h)), k[r+j], a)
			}
			out.pix[y*p.w+x] = a
		}
	}
	return out
}

// minus returns the differences of pixels.
func (p picture) minus(q picture) picture {
	d := newPicture(p.w, p.h)
	for i := range d.pix {
		d.pix[i] = p.pix[i] - q.pix[i]
	}
	return d
}

// An oracle has the octaves of an image.
type oracle struct {
	opts    sift.Options // with the defaults
	doubled bool
	layers  [][]picture
	diffs   [][]picture
}

// newOracle makes the pyramid of img, of the given number of octaves, or of as many as
// keypoints are searched for in if it is 0.
func newOracle(opts sift.Options, img *image.Gray, doubled bool, octaves int) *oracle {
	opts.Layers = cmp.Or(opts.Layers, 3)
	opts.Sigma = cmp.Or(opts.Sigma, 1.6)
	opts.Edge = cmp.Or(opts.Edge, 10)
	opts.Contrast = max(cmp.Or(opts.Contrast, 0.04), 0)
	o := &oracle{opts: opts, doubled: doubled}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w == 0 || h == 0 {
		return o
	}
	gray := func(x, y int) int {
		x, y = min(max(x, 0), w-1), min(max(y, 0), h-1)
		return int(img.GrayAt(img.Rect.Min.X+x, img.Rect.Min.Y+y).Y)
	}
	base := newPicture(w, h)
	for y := range h {
		for x := range w {
			base.pix[y*w+x] = float32(gray(x, y))
		}
	}
	before := float32(0.25)
	if doubled {
		before = 1
		base = newPicture(2*w, 2*h)
		for y := range 2 * h {
			for x := range 2 * w {
				nx, ny := x/2, y/2               // the nearest pixel
				fx, fy := nx-1+x%2*2, ny-1+y%2*2 // the farthest of four
				near := 3*gray(nx, ny) + gray(fx, ny)
				far := 3*gray(nx, fy) + gray(fx, fy)
				base.pix[y*2*w+x] = float32(3*near+far) / 16
			}
		}
	}
	s := float32(opts.Sigma)
	square := float32(s*s) - before
	first := base.blurred(float64(float32(math.Sqrt(float64(max(square, 0.01))))))
	if octaves == 0 {
		octaves = nearest(math.Log2(float64(min(base.w, base.h))) - 2)
		if doubled {
			octaves++
		}
	}
	k := math.Pow(2, 1/float64(opts.Layers))
	for range octaves {
		layers := []picture{first}
		for i := 1; i < opts.Layers+3; i++ {
			a := math.Pow(k, float64(i-1)) * opts.Sigma
			t := a * k
			layers = append(layers, layers[i-1].blurred(math.Sqrt(t*t-a*a)))
		}
		var diffs []picture
		for i := range opts.Layers + 2 {
			diffs = append(diffs, layers[i+1].minus(layers[i]))
		}
		o.layers, o.diffs = append(o.layers, layers), append(o.diffs, diffs)
		from := layers[opts.Layers]
		first = newPicture(from.w/2, from.h/2)
		for y := range first.h {
			for x := range first.w {
				first.pix[y*first.w+x] = from.at(2*x, 2*y)
			}
		}
	}
	return o
}

// detect returns the keypoints of img.
func oracleDetect(opts sift.Options, img, mask *image.Gray) []sift.Keypoint {
	o := newOracle(opts, img, !opts.NoDoubling, 0)
	var found []sift.Keypoint
	for octave := range o.layers {
		for layer := 1; layer <= o.opts.Layers; layer++ {
			d := o.diffs[octave][layer]
			for y := 5; y < d.h-5; y++ {
				for x := 5; x < d.w-5; x++ {
					if o.extremum(octave, layer, x, y) {
						found = append(found, o.keypoints(octave, layer, x, y)...)
					}
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b sift.Keypoint) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), -cmp.Compare(a.Size, b.Size),
			cmp.Compare(a.Angle, b.Angle), -cmp.Compare(a.Response, b.Response), -cmp.Compare(a.Octave, b.Octave))
	})
	found = slices.CompactFunc(found, func(a, b sift.Keypoint) bool {
		return a.X == b.X && a.Y == b.Y && a.Size == b.Size && a.Angle == b.Angle
	})
	if n := opts.Features; n > 0 && n < len(found) {
		better := func(k sift.Keypoint) int {
			count := 0
			for _, other := range found {
				if other.Response > k.Response {
					count++
				}
			}
			return count
		}
		var kept []sift.Keypoint
		for _, k := range found {
			if better(k) < n {
				kept = append(kept, k)
			}
		}
		found = kept
	}
	var kept []sift.Keypoint
	for _, k := range found {
		if o.doubled {
			k.X, k.Y, k.Size = k.X/2, k.Y/2, k.Size/2
			k.Octave = k.Octave&^0xff | (k.Octave-1)&0xff
		}
		if mask != nil && mask.GrayAt(img.Rect.Min.X+int(k.X+0.5), img.Rect.Min.Y+int(k.Y+0.5)).Y == 0 {
			continue
		}
		k.X += float32(img.Rect.Min.X)
		k.Y += float32(img.Rect.Min.Y)
		kept = append(kept, k)
	}
	return kept
}

// extremum reports whether a pixel of a difference is a candidate.
func (o *oracle) extremum(octave, layer, x, y int) bool {
	v := o.diffs[octave][layer].at(x, y)
	threshold := float32(math.Floor(0.5 * o.opts.Contrast / float64(o.opts.Layers) * 255))
	if !(v > threshold) && !(v < -threshold) {
		return false
	}
	for l := layer - 1; l <= layer+1; l++ {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				other := o.diffs[octave][l].at(x+dx, y+dy)
				if v > 0 && other > v || v < 0 && other < v {
					return false
				}
			}
		}
	}
	return true
}

// keypoints returns those of a candidate.
func (o *oracle) keypoints(octave, layer, c, r int) []sift.Keypoint {
	L := o.opts.Layers
	u := float32(1) / 255
	var b [3]float32
	var v, dxx, dyy, dxy, xc, xr, xi float32
	read := func() (xs, ys, ss float32) {
		prev, this, next := o.diffs[octave][layer-1], o.diffs[octave][layer], o.diffs[octave][layer+1]
		v = this.at(c, r)
		b = [3]float32{
			(this.at(c+1, r) - this.at(c-1, r)) * (u * 0.5),
			(this.at(c, r+1) - this.at(c, r-1)) * (u * 0.5),
			(next.at(c, r) - prev.at(c, r)) * (u * 0.5),
		}
		twice := float32(2 * v)
		dxx = (this.at(c+1, r) + this.at(c-1, r) - twice) * u
		dyy = (this.at(c, r+1) + this.at(c, r-1) - twice) * u
		ss = (next.at(c, r) + prev.at(c, r) - twice) * u
		dxy = (this.at(c+1, r+1) - this.at(c-1, r+1) - this.at(c+1, r-1) + this.at(c-1, r-1)) * (u * 0.25)
		xs = (next.at(c+1, r) - next.at(c-1, r) - prev.at(c+1, r) + prev.at(c-1, r)) * (u * 0.25)
		ys = (next.at(c, r+1) - next.at(c, r-1) - prev.at(c, r+1) + prev.at(c, r-1)) * (u * 0.25)
		return xs, ys, ss
	}
	for try := 0; ; try++ {
		if try == 5 {
			return nil
		}
		xs, ys, ss := read()
		xx, xy, yy := dxx, dxy, dyy
		m0 := fma(yy, ss, -float32(ys*ys))
		m1 := fma(xy, ss, -float32(xs*ys))
		m2 := fma(xy, ys, -float32(xs*yy))
		d := fma(xs, m2, fma(xx, m0, -float32(xy*m1)))
		var X [3]float32
		if d != 0 {
			d = 1 / d
			q1 := fma(b[1], ss, -float32(ys*b[2]))
			q2 := fma(b[1], ys, -float32(yy*b[2]))
			q3 := fma(xy, b[2], -float32(b[1]*xs))
			q4 := fma(-b[1], ys, float32(yy*b[2]))
			X[0] = d * fma(xs, q2, fma(b[0], m0, -float32(xy*q1)))
			X[1] = d * fma(xs, q3, fma(xx, q1, -float32(b[0]*m1)))
			X[2] = d * fma(b[0], m2, fma(xx, q4, -float32(xy*q3)))
		}
		xc, xr, xi = -X[0], -X[1], -X[2]
		largest := max(math.Abs(float64(xc)), math.Abs(float64(xr)), math.Abs(float64(xi)))
		if largest < 0.5 {
			break
		}
		if !(largest <= float64(float32(715827882))) {
			return nil
		}
		c, r, layer = c+nearest(float64(xc)), r+nearest(float64(xr)), layer+nearest(float64(xi))
		first := o.layers[octave][0]
		if layer < 1 || layer > L || c < 5 || c >= first.w-5 || r < 5 || r >= first.h-5 {
			return nil
		}
	}
	read()
	t := fma(b[2], xi, fma(b[1], xr, float32(b[0]*xc)))
	contr := fma(v, u, float32(t*0.5))
	response := max(contr, -contr)
	if float32(response*float32(L)) < float32(o.opts.Contrast) {
		return nil
	}
	tr, det, e := dxx+dyy, fma(dxx, dyy, -float32(dxy*dxy)), float32(o.opts.Edge)
	if det <= 0 || float32(float32(tr*tr)*e) >= float32(float32((e+1)*(e+1))*det) {
		return nil
	}
	scale := float32(math.Pow(2, float64(octave)))
	size := float32(o.opts.Sigma) * oracleExp2((float32(layer)+xi)/float32(L)) * scale * 2
	k := sift.Keypoint{
		X: (float32(c) + xc) * scale, Y: (float32(r) + xr) * scale, Size: size, Response: response,
		Octave: int32(octave + layer<<8 + nearest((float64(xi)+0.5)*255)<<16),
	}
	if o.opts.Upright {
		return []sift.Keypoint{k}
	}
	var list []sift.Keypoint
	for _, k.Angle = range oracleAngles(o.layers[octave][layer], c, r, size*0.5/scale) {
		list = append(list, k)
	}
	return list
}

// oracleAngles returns the angles of a keypoint.
func oracleAngles(p picture, c, r int, s float32) []float32 {
	radius := nearest(float64(4.5 * s))
	sg := 1.5 * s
	e := -1 / float32(2*float32(sg*sg))
	type sample struct {
		w, m float32
		bin  int
	}
	var samples []sample
	for i := -radius; i <= radius; i++ {
		for j := -radius; j <= radius; j++ {
			x, y := c+j, r+i
			if x <= 0 || y <= 0 || x >= p.w-1 || y >= p.h-1 {
				continue
			}
			dx, dy := p.at(x+1, y)-p.at(x-1, y), p.at(x, y-1)-p.at(x, y+1)
			bin := nearest(float64(0.1 * oracleAtan(dy, dx)))
			samples = append(samples, sample{oracleExp(float32(i*i+j*j) * e), root(fma(dx, dx, float32(dy*dy))), bin % 36})
		}
	}
	var h [36]float32
	for i, p := range samples {
		if i < len(samples)/8*8 {
			h[p.bin] += float32(p.w * p.m)
		} else {
			h[p.bin] = fma(p.w, p.m, h[p.bin])
		}
	}
	var smooth [36]float32
	for i := range h {
		at := func(d int) float32 { return h[(i+d+36)%36] }
		far, near := at(-2)+at(2), at(-1)+at(1)
		if i < 32 {
			smooth[i] = fma(far, 1.0/16, fma(near, 1.0/4, h[i]*0.375))
		} else {
			smooth[i] = fma(h[i], 0.375, fma(far, 1.0/16, near*0.25))
		}
	}
	var angles []float32
	threshold := slices.Max(smooth[:]) * 0.8
	for j, v := range smooth {
		l, r := smooth[(j+35)%36], smooth[(j+1)%36]
		if v <= l || v <= r || v < threshold {
			continue
		}
		bin := float32(j) + float32(0.5*(l-r))/(l-float32(2*v)+r)
		if bin < 0 {
			bin += 36
		} else if bin >= 36 {
			bin -= 36
		}
		angle := fma(-10, bin, 360)
		if math.Abs(float64(angle-360)) < 1.1920929e-7 {
			angle = 0
		}
		angles = append(angles, angle)
	}
	return angles
}

// oracleDescribe returns the descriptor of a keypoint, whose coordinates are relative to the
// upper left pixel.
func (o *oracle) describe(k sift.Keypoint) match.Vector {
	octave, layer := int(int8(k.Octave)), int(k.Octave>>8&255)
	scale := float32(math.Pow(2, float64(-octave)))
	if o.doubled {
		octave++
	}
	p := o.layers[octave][layer]
	px, py := nearest(float64(k.X*scale)), nearest(float64(k.Y*scale))
	scl := float32(k.Size*scale) * 0.5
	ori := 360 - k.Angle
	if math.Abs(float64(ori-360)) < 1.1920929e-7 {
		ori = 0
	}
	hw := 3 * scl
	radius := min(nearest(float64(float32(float32(hw*1.4142135)*5)*0.5)), int(math.Sqrt(float64(p.w*p.w+p.h*p.h))))
	ct, st := oracleCosSin(ori * 0.017453292)
	ct, st = ct/hw, st/hw
	type sample struct{ rb, cb, ob, m float32 }
	var samples []sample
	for i := -radius; i <= radius; i++ {
		for j := -radius; j <= radius; j++ {
			cr := fma(float32(j), ct, -float32(float32(i)*st))
			rr := fma(float32(j), st, float32(float32(i)*ct))
			rb, cb := rr+2-0.5, cr+2-0.5
			x, y := px+j, py+i
			if !(rb > -1 && rb < 4 && cb > -1 && cb < 4) || x <= 0 || y <= 0 || x >= p.w-1 || y >= p.h-1 {
				continue
			}
			dx, dy := p.at(x+1, y)-p.at(x-1, y), p.at(x, y-1)-p.at(x, y+1)
			w := oracleExp(fma(cr, cr, float32(rr*rr)) * -0.125)
			samples = append(samples, sample{rb, cb, (oracleAtan(dy, dx) - ori) * (float32(8) / 360), root(fma(dx, dx, float32(dy*dy))) * w})
		}
	}
	var h [6][6][10]float32
	for i, s := range samples {
		r0, c0, o0 := floor(s.rb), floor(s.cb), floor(s.ob)
		rb, cb, ob := s.rb-float32(r0), s.cb-float32(c0), s.ob-float32(o0)
		if o0 < 0 {
			o0 += 8
		}
		if o0 >= 8 {
			o0 -= 8
		}
		v1 := s.m * rb
		v0 := s.m - v1
		c11, c01 := v1*cb, v0*cb
		c10, c00 := v1-c11, v0-c01
		for n, c := range []float32{c00, c01, c10, c11} {
			cell := &h[r0+1+n/2][c0+1+n%2]
			if i < len(samples)/8*8 {
				t := float32(c * ob)
				cell[o0] += c - t
				cell[o0+1] += t
			} else {
				cell[o0] += fma(-c, ob, c)
				cell[o0+1] = fma(c, ob, cell[o0+1])
			}
		}
	}
	var bins []float32
	for i := 1; i <= 4; i++ {
		for j := 1; j <= 4; j++ {
			h[i][j][0] += h[i][j][8]
			h[i][j][1] += h[i][j][9]
			bins = append(bins, h[i][j][:8]...)
		}
	}
	var sums [8]float32
	for i, v := range bins {
		sums[i%8] = fma(v, v, sums[i%8])
	}
	n2 := ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
	most := root(n2) * 0.2
	n2 = 0
	for i := range bins {
		bins[i] = min(bins[i], most)
		n2 = fma(bins[i], bins[i], n2)
	}
	factor := 512 / max(root(n2), 1.1920929e-7)
	var d match.Vector
	for i, v := range bins {
		d[i] = uint8(min(max(nearest(float64(v*factor)), 0), 255))
	}
	if o.opts.Root {
		d = oracleRoot(d)
	}
	return d
}

// oracleRoot returns the bytes of RootSIFT.
func oracleRoot(d match.Vector) match.Vector {
	sum := 0
	for _, b := range d {
		sum += int(b)
	}
	if sum == 0 {
		return d
	}
	for i, b := range d {
		v := 0
		for v < 255 && (2*v+1)*(2*v+1)*sum <= 1<<20*int(b) {
			v++
		}
		d[i] = uint8(v)
	}
	return d
}

func floor(v float32) int { return int(math.Floor(float64(v))) }

func root(v float32) float32 { return float32(math.Sqrt(float64(v))) }

// oracleAtan returns the angle of a direction in degrees.
func oracleAtan(y, x float32) float32 {
	const degrees = float32(57.29578)
	p1, p3, p5, p7 := float32(0.9997878412794807)*degrees, float32(-0.3258083974640975)*degrees,
		float32(0.1555786518463281)*degrees, float32(-0.04432655554792128)*degrees
	ax, ay := max(x, -x), max(y, -y)
	c := min(ax, ay) / (max(ax, ay) + 2.220446e-16)
	q := float32(c * c)
	a := float32(fma(fma(fma(q, p7, p5), q, p3), q, p1) * c)
	if !(ax >= ay) {
		a = 90 - a
	}
	if x < 0 {
		a = 180 - a
	}
	if y < 0 {
		a = 360 - a
	}
	return a
}

// oracleExp returns e to the power of x, which is not positive.
func oracleExp(x float32) float32 {
	const a0 = .9670371139572337719e-2
	x = float32(x * 92.332482616893657)
	i := nearest(float64(x))
	f := (x - float32(i)) / 64
	z := f + float32(.05550339366753125211915/a0)
	z = fma(z, f, float32(.2402265109513301490103/a0))
	z = fma(z, f, float32(.6931471805521448196800669/a0))
	z = fma(z, f, float32(1.0000000000000024385/a0))
	power := float32(math.Ldexp(float64(float32(math.Exp2(float64(i&63)/64)*a0)), i>>6))
	return z * power
}

// oracleExp2 returns 2 to the power of x.
func oracleExp2(x float32) float32 {
	k := math.RoundToEven(32 * float64(x))
	r := float64(x) - k/32
	z := float64(0x1.c6af84b912394p-5*r) + 0x1.ebfce50fac4f3p-3
	y := float64(0x1.62e42ff0c52d6p-1*r) + 1
	return float32((float64(z*float64(r*r)) + y) * math.Exp2(k/32))
}

// oracleCosSin returns the cosine and the sine of x.
func oracleCosSin(x float32) (cos, sin float32) {
	n := nearest(float64(x) * 2 / math.Pi)
	r := float64(x) - float64(float64(n)*(math.Pi/2))
	q := float64(r * r)
	const c1, c2, c3, c4 = -0x1.ffffffd0c621cp-2, 0x1.55553e1068f19p-5, -0x1.6c087e89a359dp-10, 0x1.99343027bf8c3p-16
	const s1, s2, s3 = -0x1.555545995a603p-3, 0x1.1107605230bc4p-7, -0x1.994eb3774cf24p-13
	c := (float64(1+float64(c1*q)) + float64(c2*float64(q*q))) + float64(float64(float64(q*q)*q)*(c3+float64(c4*q)))
	s := (r + float64(float64(r*q)*s1)) + float64(float64(r*float64(q*q))*(s2+float64(s3*q)))
	quarter := n & 3
	return float32([4]float64{c, -s, -c, s}[quarter]), float32([4]float64{s, c, -s, -c}[quarter])
}
