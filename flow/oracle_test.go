package flow_test

import (
	"cmp"
	"image"
	"math"
	"math/big"

	"github.com/fastcorners/fast/flow"
)

// An oracle follows points by the definition: whole images of derivatives, and one pixel
// after the other.
type oracle struct {
	opts          flow.Options // with the defaults
	first, second []plane
}

// A plane is a level, and its derivatives.
type plane struct {
	w, h        int
	pix, dx, dy []int
}

// reflect returns which of n pixels stands at i.
func reflect(i, n int) int {
	if n == 1 {
		return 0
	}
	period := 2*n - 2
	i = (i%period + period) % period
	return min(i, period-i)
}

func (p *plane) at(x, y int) int { return p.pix[reflect(y, p.h)*p.w+reflect(x, p.w)] }

// derivative returns an element of dx or dy, 0 outside.
func (p *plane) derivative(d []int, x, y int) int {
	if x < 0 || x >= p.w || y < 0 || y >= p.h {
		return 0
	}
	return d[y*p.w+x]
}

func newOracle(opts flow.Options, a, b *image.Gray) *oracle {
	o := &oracle{opts: opts}
	o.opts.Window.X = cmp.Or(opts.Window.X, 21)
	o.opts.Window.Y = cmp.Or(opts.Window.Y, 21)
	o.opts.Levels = cmp.Or(opts.Levels, 4)
	o.opts.Iterations = max(cmp.Or(opts.Iterations, 30), 0)
	o.opts.Epsilon = max(cmp.Or(opts.Epsilon, 0.01), 0)
	o.opts.MinEigenvalue = max(cmp.Or(opts.MinEigenvalue, 1e-4), 0)
	o.first, o.second = o.pyramid(a), o.pyramid(b)
	return o
}

// pyramid returns the levels of an image.
func (o *oracle) pyramid(img *image.Gray) []plane {
	p := plane{w: img.Rect.Dx(), h: img.Rect.Dy()}
	for y := range p.h {
		for x := range p.w {
			p.pix = append(p.pix, int(img.GrayAt(img.Rect.Min.X+x, img.Rect.Min.Y+y).Y))
		}
	}
	list := []plane{p}
	for range o.opts.Levels - 1 {
		q := plane{w: (p.w + 1) / 2, h: (p.h + 1) / 2}
		if q.w <= o.opts.Window.X || q.h <= o.opts.Window.Y {
			break
		}
		weights := [5]int{1, 4, 6, 4, 1}
		for y := range q.h {
			for x := range q.w {
				sum := 128
				for j, v := range weights {
					for i, u := range weights {
						sum += u * v * p.at(2*x+i-2, 2*y+j-2)
					}
				}
				q.pix = append(q.pix, sum>>8)
			}
		}
		list = append(list, q)
		p = q
	}
	for i := range list {
		p := &list[i]
		for y := range p.h {
			for x := range p.w {
				dx, dy := 0, 0
				for k, v := range [3]int{3, 10, 3} {
					dx += v * (p.at(x+1, y+k-1) - p.at(x-1, y+k-1))
					dy += v * (p.at(x+k-1, y+1) - p.at(x+k-1, y-1))
				}
				p.dx, p.dy = append(p.dx, dx), append(p.dy, dy)
			}
		}
	}
	return list
}

// floorOf returns the integer part of a float that has 32 bits.
func floorOf(v float32) (int, bool) {
	f := math.Floor(float64(v))
	if !(f >= -1<<31 && f < 1<<31) {
		return 0, false
	}
	return int(f), true
}

// place returns the integer part of a position, its weights, and why there is no window.
func (o *oracle) place(p *plane, x, y float32) (ix, iy int, weights [4]int, status flow.Status) {
	ix, okX := floorOf(x)
	iy, okY := floorOf(y)
	if !okX || !okY {
		return 0, 0, weights, flow.Lost
	}
	if p.w == 0 || ix < -o.opts.Window.X || ix >= p.w || iy < -o.opts.Window.Y || iy >= p.h {
		return 0, 0, weights, flow.Outside
	}
	a, b := x-float32(ix), y-float32(iy)
	rne := func(v float32) int { return int(math.RoundToEven(float64(v))) }
	weights[0] = rne(float32(float32((1-a)*(1-b)) * 16384))
	weights[1] = rne(float32(float32(a*(1-b)) * 16384))
	weights[2] = rne(float32(float32((1-a)*b) * 16384))
	weights[3] = 16384 - weights[0] - weights[1] - weights[2]
	return ix, iy, weights, flow.Found
}

// weigh returns the weighted sum of what at returns for a place and its neighbors.
func weigh(weights [4]int, x, y int, at func(x, y int) int) int {
	return weights[0]*at(x, y) + weights[1]*at(x+1, y) + weights[2]*at(x, y+1) + weights[3]*at(x+1, y+1)
}

// An accumulator adds products in the order of OpenCV, or exactly.
type accumulator struct {
	element [4]float32
	tail    float32
	exact   int64
}

func (a *accumulator) sum() float32 {
	return a.tail + ((a.element[0] + a.element[2]) + (a.element[1] + a.element[3]))
}

// addEach adds the products of a row, one by one.
func (a *accumulator) addEach(row []int) {
	n := len(row) / 8 * 8
	for c, v := range row {
		a.exact += int64(v)
		if c < n {
			a.element[c%4] += float32(v)
		} else {
			a.tail += float32(v)
		}
	}
}

// addPairs adds the products of a row, those at a distance of four columns first to each
// other.
func (a *accumulator) addPairs(row []int) {
	n := len(row) / 8 * 8
	for c, v := range row {
		a.exact += int64(v)
		if c >= n {
			a.tail += float32(v)
		} else if c%8 < 4 {
			a.element[c%4] += float32(v + row[c+4])
		}
	}
}

// centered returns what is left of an exact sum of products without the means of the factors.
func (o *oracle) centered(products, a, b int64) float32 {
	f := func(v int64) float64 { return float64(v) }
	mean := f(a) * f(b)
	mean /= float64(o.opts.Window.X * o.opts.Window.Y)
	return float32(f(products) - mean)
}

// follow follows a point, relative to the upper left pixel, from first to second.
func (o *oracle) follow(first, second []plane, px, py, gx, gy float32) flow.Track {
	w, h := o.opts.Window.X, o.opts.Window.Y
	halfX, halfY := float32(w-1)*0.5, float32(h-1)*0.5
	t := flow.Track{Status: flow.Found}
	var gray, ix, iy []int // the template
	for level := len(first) - 1; level >= 0; level-- {
		s := float32(1 / float64(int(1)<<level))
		if level == len(first)-1 {
			t.X, t.Y = gx*s, gy*s
		} else {
			t.X, t.Y = t.X*2, t.Y*2
		}
		fail := func(status flow.Status) {
			if level == 0 {
				t.Status = status
			}
		}
		p, q := &first[level], &second[level]
		x, y, weights, status := o.place(p, float32(px*s)-halfX, float32(py*s)-halfY)
		if status != flow.Found {
			fail(status)
			continue
		}
		gray, ix, iy = nil, nil, nil
		var xx, xy, yy accumulator
		var sumX, sumY int64
		for j := range h {
			var rowXX, rowXY, rowYY []int
			for i := range w {
				gray = append(gray, (weigh(weights, x+i, y+j, p.at)+256)>>9)
				dx := (weigh(weights, x+i, y+j, func(x, y int) int { return p.derivative(p.dx, x, y) }) + 8192) >> 14
				dy := (weigh(weights, x+i, y+j, func(x, y int) int { return p.derivative(p.dy, x, y) }) + 8192) >> 14
				ix, iy = append(ix, dx), append(iy, dy)
				sumX += int64(dx)
				sumY += int64(dy)
				rowXX, rowXY, rowYY = append(rowXX, dx*dx), append(rowXY, dx*dy), append(rowYY, dy*dy)
			}
			xx.addEach(rowXX)
			xy.addEach(rowXY)
			yy.addEach(rowYY)
		}
		const unit = float32(1.0 / (1 << 20))
		a11, a12, a22 := xx.sum()*unit, xy.sum()*unit, yy.sum()*unit
		if o.opts.RemoveMean {
			a11, a12, a22 = o.centered(xx.exact, sumX, sumX)*unit, o.centered(xy.exact, sumX, sumY)*unit, o.centered(yy.exact, sumY, sumY)*unit
		}
		d := float32(a11*a22) - float32(a12*a12)
		root := float32(math.Sqrt(float64(float32((a11-a22)*(a11-a22)) + float32(float32(4*a12)*a12))))
		e := (a22 + a11 - root) / float32(2*w*h)
		if e < float32(o.opts.MinEigenvalue) || d < 1.1920929e-07 {
			fail(flow.Flat)
			continue
		}
		d = 1 / d
		qx, qy := t.X-halfX, t.Y-halfY
		var lastX, lastY float32
		for n := range o.opts.Iterations {
			x, y, weights, status := o.place(q, qx, qy)
			if status != flow.Found {
				fail(status)
				break
			}
			var bx, by accumulator
			var sum int64
			for j := range h {
				var rowX, rowY []int
				for i := range w {
					diff := (weigh(weights, x+i, y+j, q.at)+256)>>9 - gray[j*w+i]
					sum += int64(diff)
					rowX, rowY = append(rowX, diff*ix[j*w+i]), append(rowY, diff*iy[j*w+i])
				}
				bx.addPairs(rowX)
				by.addPairs(rowY)
			}
			b1, b2 := bx.sum()*unit, by.sum()*unit
			if o.opts.RemoveMean {
				b1, b2 = o.centered(bx.exact, sum, sumX)*unit, o.centered(by.exact, sum, sumY)*unit
			}
			dx := float32((float32(a12*b2) - float32(a22*b1)) * d)
			dy := float32((float32(a12*b1) - float32(a11*b2)) * d)
			qx += dx
			qy += dy
			t.X, t.Y = qx+halfX, qy+halfY
			// The squares of float32 are exact in float64.
			if float64(dx)*float64(dx)+float64(dy)*float64(dy) <= o.opts.Epsilon*o.opts.Epsilon {
				break
			}
			if n > 0 && math.Abs(float64(dx+lastX)) < 0.01 && math.Abs(float64(dy+lastY)) < 0.01 {
				t.X -= 0.5 * dx
				t.Y -= 0.5 * dy
				break
			}
			lastX, lastY = dx, dy
		}
		if level > 0 || t.Status != flow.Found {
			continue
		}
		x, y, weights, status = o.place(q, t.X-halfX, t.Y-halfY)
		if status != flow.Found {
			fail(status)
			continue
		}
		var sum float32
		for j := range h {
			for i := range w {
				diff := (weigh(weights, x+i, y+j, q.at)+256)>>9 - gray[j*w+i]
				sum += float32(max(diff, -diff))
			}
		}
		t.Err = sum / float32(32*w*h)
	}
	return t
}

// track follows points between images whose upper left pixels are at a and b.
func (o *oracle) track(a, b image.Point, points, guesses []flow.Point) []flow.Track {
	var tracks []flow.Track
	for i, p := range points {
		px, py := p.X-float32(a.X), p.Y-float32(a.Y)
		gx, gy := px, py
		if guesses != nil {
			gx, gy = guesses[i].X-float32(b.X), guesses[i].Y-float32(b.Y)
		}
		t := o.follow(o.first, o.second, px, py, gx, gy)
		if t.Status == flow.Found && o.opts.Confirm > 0 {
			back := o.follow(o.second, o.first, t.X, t.Y, px, py)
			if back.Status != flow.Found || farther(back.X-px, back.Y-py, o.opts.Confirm) {
				t.Status = flow.Unconfirmed
			}
		}
		level := &o.second[0]
		if t.Status == flow.Found && o.opts.KeepInside && (t.X < 0 || t.X > float32(level.w-1) || t.Y < 0 || t.Y > float32(level.h-1)) {
			t.Status = flow.Outside
		}
		if t.Status != flow.Found {
			t.Err = 0
		}
		t.X += float32(b.X)
		t.Y += float32(b.Y)
		tracks = append(tracks, t)
	}
	return tracks
}

// farther reports whether x*x+y*y > limit*limit, exactly.
func farther(x, y float32, limit float64) bool {
	square := func(v float64) *big.Float {
		f := new(big.Float).SetPrec(300).SetFloat64(v)
		return f.Mul(f, f)
	}
	sum := square(float64(x))
	return sum.Add(sum, square(float64(y))).Cmp(square(limit)) > 0
}
