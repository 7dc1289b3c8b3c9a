package tag

import "math"

// lanes is the number of pixels that a fit computes side by side.
const lanes = 8

// The unknowns of a fit: the homography without its last element, the shade of black, that of the
// difference of white and black, and the blur.
const (
	unknowns    = 15
	blackAt     = 8
	contrastAt  = 11
	blurAt      = 14
	residualAt  = 15 // in a row of derivatives, after those by the unknowns
	columns     = 16
	productSums = columns * (columns + 1) / 2
)

// pixels are some of those that a fit uses.
type pixels struct {
	x, y   [lanes]float64 // from the center of the tag, in half sides
	value  [lanes]float64
	weight [lanes]float64
}

// A fitRun is the argument of the kernel that computes a round of a fit.
type fitRun struct {
	pixels []pixels

	cells float64 // along a side of the quad
	start float64 // the first cell of the drawing in a row, 0 for the first one in the quad
	total float64 // cells along a side of the drawing
	// The neighborhoods of the cells of the drawing, by rows of maxCells: three rows of three bits,
	// those of white cells 1, beginning with the lowest bit.
	drawing [maxCells * maxCells]uint32

	inverse    [9]float64 // the map from pixels to the tag
	h6, h7     float64    // the last row of that from the tag to pixels is h6, h7, 1
	half       float64    // a half side, in pixels
	unit       float64    // the side of a cell, in pixels
	black      [3]float64
	contrast   [3]float64
	blur       float64
	covariance float64 // blur*blur + 1/12
	tune       float64 // 1 over the residual that has a quarter of the weight of none
	u, v       edge    // the responses to lines between cells in a row, and between rows

	// What the kernel computes.
	// The sums over the pixels of the products of two columns of derivatives, times the weight: of
	// column 0 with columns 0 to 15, of column 1 with columns 1 to 15, and so on, each as the sums of
	// the pixels that have the same number modulo lanes.
	products [productSums][lanes]float64
	weights  [lanes]float64 // the sums of the weights
	marks    [][lanes]uint8 // what there is to say of each pixel
}

// The marks of pixels.
const (
	markQuarter = 31   // the quarter of an outer edge that the pixel lies at, 0 to 15, or noQuarter
	noQuarter   = 16   // the pixel lies at none
	markLarge   = 0x20 // the residual is large
	markOutside = 0x40 // the pixel lies outside the drawing, and is left out
)

// An edge is the response of a pixel to an edge between 0 and 1 by distance, in pixels: of the pixel's
// square, seen along the normal of the edge, after a blur with the kernel (1-s*s)^3.
type edge struct {
	scale float64 // 1 over the radius of the kernel
	far   float64 // of the square, in radii
	near  float64
	reach float64 // the distance, in pixels, beyond which the response is 0 or 1
	// Factors of the response and its derivatives.
	value, slope, bend float64
}

// newEdge returns the response to an edge with the given unit normal, with a blur of the given standard
// deviation in pixels.
func newEdge(nx, ny, blur float64) edge {
	a, b := max(math.Abs(nx), 0.03), max(math.Abs(ny), 0.03)
	p, m, w := (a+b)/2, math.Abs(a-b)/2, float64(3*blur)
	k := 1 / (a * b)
	return edge{scale: 1 / w, far: p / w, near: m / w, reach: w + p, value: k * w * w, slope: k * w, bend: k}
}

// at returns the response at distance t, and its first and second derivative.
func (e *edge) at(t float64) (value, slope, bend float64) {
	if t <= -e.reach {
		return 0, 0, 0
	}
	if t >= e.reach {
		return 1, 0, 0
	}
	s := float64(t * e.scale)
	a0, a1, a2 := blurred(s + e.far)
	b0, b1, b2 := blurred(s + e.near)
	c0, c1, c2 := blurred(s - e.near)
	d0, d1, d2 := blurred(s - e.far)
	return e.value * (a0 - b0 - c0 + d0), e.slope * (a1 - b1 - c1 + d1), e.bend * (a2 - b2 - c2 + d2)
}

// blurred returns the kernel (1-s*s)^3, which ends at -1 and 1 and has the integral 1, integrated three
// times, two times and once from the left.
func blurred(s float64) (thrice, twice, once float64) {
	y := float64(s * s)
	if s <= -1 {
		return 0, 0, 0
	}
	if s >= 1 {
		return (y + 1.0/9) / 2, s, 1
	}
	const k = 35.0 / 32
	once = 0.5 + float64(k*s*(1-float64(y*(1-float64(y*(0.6-float64(y*(1.0/7))))))))
	twice = s/2 + float64(k*y*(0.5-float64(y*(0.25-float64(y*(0.1-float64(y*(1.0/56)))))))) + 35.0/256
	thrice = y/4 + float64(k*s*y*(1.0/6-float64(y*(0.05-float64(y*(1.0/70-float64(y*(1.0/504)))))))) +
		float64(35.0/256*s) + 1.0/36
	return thrice, twice, once
}

// A block is the derivatives of some pixels.
type block struct {
	columns [columns][lanes]float64
	weight  [lanes]float64
}

// fitRound computes the sums of a round of a fit.
func fitRound(r *fitRun) {
	r.products = [productSums][lanes]float64{}
	r.weights = [lanes]float64{}
	var b block
	for i := range r.pixels {
		for lane := range lanes {
			r.marks[i][lane] = r.derive(&b, &r.pixels[i], lane)
			r.weights[lane] += b.weight[lane]
		}
		k := 0
		for m := range columns {
			var weighted [lanes]float64
			for lane := range lanes {
				weighted[lane] = b.weight[lane] * b.columns[m][lane]
			}
			for n := m; n < columns; n++ {
				addProducts(&r.products[k], &weighted, &b.columns[n])
				k++
			}
		}
	}
}

// addProducts adds the products of a and b to sums.
func addProducts(sums, a, b *[lanes]float64) {
	sums[0] += float64(a[0] * b[0])
	sums[1] += float64(a[1] * b[1])
	sums[2] += float64(a[2] * b[2])
	sums[3] += float64(a[3] * b[3])
	sums[4] += float64(a[4] * b[4])
	sums[5] += float64(a[5] * b[5])
	sums[6] += float64(a[6] * b[6])
	sums[7] += float64(a[7] * b[7])
}

// derive sets the derivatives, the residual and the weight of a pixel, all 0 if it lies outside the
// drawing, and returns its marks.
func (r *fitRun) derive(b *block, p *pixels, lane int) uint8 {
	x, y := p.x[lane], p.y[lane]
	inv := &r.inverse
	scale := 1 / (float64(inv[6]*x) + float64(inv[7]*y) + inv[8])
	u := float64((float64(inv[0]*x) + float64(inv[1]*y) + inv[2]) * scale)
	v := float64((float64(inv[3]*x) + float64(inv[4]*y) + inv[5]) * scale)
	// The place in cells, and the cell.
	cu, cv := float64((u+1)*(r.cells/2)), float64((v+1)*(r.cells/2))
	i, j := math.Floor(cu), math.Floor(cv)
	column, row := i-r.start, j-r.start
	if !(column >= 0 && row >= 0 && column < r.total && row < r.total) {
		for k := range b.columns {
			b.columns[k][lane] = 0
		}
		b.weight[lane] = 0
		return markOutside | noQuarter
	}
	// The gradients of u and v, their lengths, and the pixels of a cell along them.
	ux, uy := (inv[0]-float64(u*inv[6]))*scale, (inv[1]-float64(u*inv[7]))*scale
	vx, vy := (inv[3]-float64(v*inv[6]))*scale, (inv[4]-float64(v*inv[7]))*scale
	su := 1 / math.Sqrt(float64(ux*ux)+float64(uy*uy))
	sv := 1 / math.Sqrt(float64(vx*vx)+float64(vy*vy))
	ku, kv := su*r.unit, sv*r.unit

	left0, left1, left2 := r.u.at((cu - i) * ku)
	right0, right1, right2 := r.u.at((cu - i - 1) * ku)
	top0, top1, top2 := r.v.at((cv - j) * kv)
	bottom0, bottom1, bottom2 := r.v.at((cv - j - 1) * kv)

	// The responses of three rows of three cells, and their derivatives along the row.
	var z, z1, z2 [3]float64
	cells := r.drawing[int(row)*maxCells+int(column)]
	for k := range z {
		c := cells >> (3 * k)
		a, m, e := float64(c&1), float64(c>>1&1), float64(c>>2&1)
		z[k] = a + float64((m-a)*left0) + float64((e-m)*right0)
		z1[k] = float64((m-a)*left1) + float64((e-m)*right1)
		z2[k] = float64((m-a)*left2) + float64((e-m)*right2)
	}
	// Their differences from row to row.
	up, down := z[1]-z[0], z[2]-z[1]
	up1, down1 := z1[1]-z1[0], z1[2]-z1[1]
	up2, down2 := z2[1]-z2[0], z2[2]-z2[1]

	covariance := r.covariance * (float64(ux*vx) + float64(uy*vy)) * su * sv // by the angle of the lines
	crossing := float64(up1*top1) + float64(down1*bottom1) +
		float64(covariance/2*(float64(up2*top2)+float64(down2*bottom2)))
	white := z[0] + float64(up*top0) + float64(down*bottom0) + float64(covariance*crossing)
	byU := z1[0] + float64(up1*top0) + float64(down1*bottom0)
	byV := float64(up*top1) + float64(down*bottom1)
	byBlur := r.blur * (z2[0] + float64(up2*top0) + float64(down2*bottom0) + float64(up*top2) + float64(down*bottom2))

	contrast := r.contrast[0] + float64(r.contrast[1]*u) + float64(r.contrast[2]*v)
	black := r.black[0] + float64(r.black[1]*u) + float64(r.black[2]*v)
	residual := p.value[lane] - (black + float64(contrast*white))

	w := float64(r.h6*u) + float64(r.h7*v) + 1
	factor := -contrast * r.half / w
	gx := factor * (float64(byU*ux*su) + float64(byV*vx*sv))
	gy := factor * (float64(byU*uy*su) + float64(byV*vy*sv))
	t := float64(gx*x) + float64(gy*y)
	for k, d := range [columns]float64{
		gx * u, gx * v, gx, gy * u, gy * v, gy, -t * u, -t * v,
		1, u, v, white, u * white, v * white, contrast * byBlur, residual,
	} {
		b.columns[k][lane] = d
	}
	q := residual * r.tune
	q = 1 / (1 + float64(q*q))
	b.weight[lane] = float64(q * q * p.weight[lane])
	return r.mark(cu, cv, residual, contrast)
}

// mark returns the marks of a pixel in the drawing.
func (r *fitRun) mark(cu, cv, residual, contrast float64) uint8 {
	mark := uint8(noQuarter)
	n := r.cells
	top, right, bottom, left := cv, n-cu, n-cv, cu
	if e := min(top, right, bottom, left); e*r.unit < 2.2 && e < 0.6 {
		at, along := 12, cv
		switch e {
		case top:
			at, along = 0, cu
		case right:
			at = 4
		case bottom:
			at, along = 8, cu
		}
		mark = uint8(min(max(at+int(4*along/n), 0), 15))
	}
	if math.Abs(residual) > 0.2*contrast {
		mark |= markLarge
	}
	return mark
}
