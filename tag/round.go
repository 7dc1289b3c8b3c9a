package tag

import (
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// lanes is the number of pixels that a fit computes side by side.
const lanes = 16

// The unknowns of a fit: the homography without its last element, the shade of black, that of the
// difference of white and black, and the blur.
const (
	unknowns    = 15
	blackAt     = 8
	contrastAt  = 11
	blurAt      = 14
	residualAt  = 15 // in a row of derivatives, after those by the unknowns
	columns     = 16
	productSums = columns*(columns+1)/2 - 1 // without the square of the residual
)

// A kernel collects the derivatives of slots times lanes pixels before it adds their products, and keeps
// up to kept vectors meanwhile.
const (
	slots = 8
	kept  = 160
)

// A fitRun is the argument of the kernel that computes a round of a fit, and adds to its sums. It is computed in float32: its
// rounding errors are far below the noise of pixels, as notes/tag.md shows.
type fitRun struct {
	// The sums over the pixels of the products of two columns of derivatives, times the weight: of
	// column 0 with columns 0 to 15, of column 1 with columns 1 to 15, and so on, each as the sums of
	// the pixels that have the same number modulo lanes.
	products [productSums][lanes]float32
	squares  [lanes]float32 // those of the squares of the residuals, times the weight
	weights  [lanes]float32 // and those of the weights
	// Memory of a kernel, which it aligns to cache lines.
	//lint:ignore U1000 only kernels use it
	collected [(slots*(1+columns)+kept)*lanes + lanes - 1]float32

	// The pixels, from begin up to end, a multiple of lanes. Those that fill up the last lanes weigh
	// nothing.
	x, y       []float32 // from the center of the tag, in half sides
	value      []float32
	weight     []float32
	begin, end int

	// What the kernel tells of the pixels. It tells nothing of lanes that all lie outside the drawing.
	masks            []uint16  // the bits of the pixels in the drawing
	column, row      []float32 // the place, in cells from the quad's corner
	residual, margin []float32 // and the difference of white and black there
	byU, byV         []float32 // how the drawing changes there, from 0 to 1, by a pixel along u and v

	// The neighborhoods of the cells of the drawing, by rows of maxCells: three rows of three bits,
	// those of white cells 1, beginning with the lowest bit.
	drawing [maxCells * maxCells]uint32
	start   float32 // the first cell of the drawing in a row, 0 for the first one in the quad
	last    float32 // the last column or row of cells, counted from there
	side    float32 // half the cells along a side of the quad
	stride  float32 // maxCells

	inverse    [9]float32 // the map from pixels to the tag
	h6, h7     float32    // the last row of that from the tag to pixels is h6, h7, 1
	half       float32    // a half side, in pixels
	unit       float32    // the side of a cell, in pixels
	black      [3]float32
	contrast   [3]float32
	blur       float32
	covariance float32 // blur*blur + 1/12
	tune       float32 // 1 over the residual that has a quarter of the weight of none
	u, v       edge    // the responses to lines between cells in a row, and between rows
}

// clear removes all pixels.
func (r *fitRun) clear() {
	r.x, r.y, r.value, r.weight = r.x[:0], r.y[:0], r.value[:0], r.weight[:0]
}

// add adds a pixel.
func (r *fitRun) add(x, y float64, value uint8, weight float64) {
	r.x, r.y = append(r.x, float32(x)), append(r.y, float32(y))
	r.value, r.weight = append(r.value, float32(value)), append(r.weight, float32(weight))
}

// fill fills up the last lanes, and makes room for what the kernel tells.
func (r *fitRun) fill() {
	for len(r.x)%lanes != 0 {
		r.add(0, 0, 0, 0)
	}
	r.end = len(r.x)
	r.masks = raster.Resize(r.masks, r.end/lanes)
	r.column, r.row = raster.Resize(r.column, r.end), raster.Resize(r.row, r.end)
	r.residual, r.margin = raster.Resize(r.residual, r.end), raster.Resize(r.margin, r.end)
	r.byU, r.byV = raster.Resize(r.byU, r.end), raster.Resize(r.byV, r.end)
}

// An edge is the response of a pixel to an edge between 0 and 1 by distance, in pixels: of the pixel's
// square, seen along the normal of the edge, after a blur with the kernel (1-s*s)^3.
type edge struct {
	scale float32 // 1 over the radius of the kernel
	far   float32 // of the square, in radii
	near  float32
	reach float32 // the distance, in pixels, beyond which the response is 0 or 1
	// Factors of the response and its derivatives.
	value, slope, bend float32
}

// newEdge returns the response to an edge with the given unit normal, with a blur of the given standard
// deviation in pixels.
func newEdge(nx, ny, blur float64) edge {
	a, b := max(math.Abs(nx), 0.03), max(math.Abs(ny), 0.03)
	p, m, w := (a+b)/2, math.Abs(a-b)/2, float64(3*blur)
	k := 35.0 / 32 / (a * b)
	return edge{
		scale: float32(1 / w), far: float32(p / w), near: float32(m / w), reach: float32(w + p),
		value: float32(k * w * w), slope: float32(k * w), bend: float32(k),
	}
}

// at returns the response at distance t, and its first and second derivative.
func (e *edge) at(t float32) (value, slope, bend float32) {
	if !(t > -e.reach) {
		return 0, 0, 0
	}
	if t >= e.reach {
		return 1, 0, 0
	}
	s := float32(t * e.scale)
	a0, a1, a2 := blurred(s + e.far)
	b0, b1, b2 := blurred(s + e.near)
	c0, c1, c2 := blurred(s - e.near)
	d0, d1, d2 := blurred(s - e.far)
	return 0.5 + float32(e.value*((a0-b0)-(c0-d0))), e.slope * ((a1 - b1) - (c1 - d1)), e.bend * ((a2 - b2) - (c2 - d2))
}

// blurred returns 32/35 of the kernel (1-s*s)^3, which ends at -1 and 1, integrated three times, two times
// and once from its middle. Integrals from the left differ by polynomials, of which a response needs the
// constant alone: its four differences cancel the others.
func blurred(s float32) (thrice, twice, once float32) {
	// In the kernel by polynomials, and from there on by what is integrated.
	c := max(min(s, 1), -1)
	beyond := s - c
	y := c * c
	once = float32(c * (1 - float32(y*(1-float32(y*(0.6-float32(y*(1.0/7))))))))
	twice = float32(y * (0.5 - float32(y*(0.25-float32(y*(0.1-float32(y*(1.0/56))))))))
	thrice = float32(float32(c*y) * (1.0/6 - float32(y*(0.05-float32(y*(1.0/70-float32(y*(1.0/504))))))))
	more := float32(beyond * once)
	thrice += float32(beyond * (twice + float32(more*0.5)))
	return thrice, twice + more, once
}

// A block is the derivatives of pixels side by side.
type block struct {
	columns [columns][lanes]float32
	weight  [lanes]float32
}

// fitRound adds what the pixels contribute to the sums of a round of a fit.
func fitRound(r *fitRun) {
	var b block
	for i := r.begin; i < r.end; i += lanes {
		mask := uint16(0)
		for lane := range lanes {
			if r.derive(&b, i+lane, lane) {
				mask |= 1 << lane
			}
		}
		r.masks[i/lanes] = mask
		k := 0
		for m := range columns {
			var weighted [lanes]float32
			for lane := range lanes {
				weighted[lane] = b.weight[lane] * b.columns[m][lane]
			}
			if m == residualAt {
				addProducts(&r.squares, &weighted, &b.columns[m])
				break
			}
			for n := m; n < columns; n++ {
				addProducts(&r.products[k], &weighted, &b.columns[n])
				k++
			}
		}
		for lane, w := range b.weight {
			r.weights[lane] += w
		}
	}
}

// addProducts adds the products of a and b to sums.
func addProducts(sums, a, b *[lanes]float32) {
	for i := range sums {
		sums[i] += float32(a[i] * b[i])
	}
}

// derive sets the derivatives, the residual and the weight of pixel i, all 0 if it lies outside the
// drawing, and reports whether it does not.
func (r *fitRun) derive(b *block, i, lane int) bool {
	x, y := r.x[i], r.y[i]
	inv := &r.inverse
	scale := 1 / (float32(inv[6]*x) + float32(inv[7]*y) + inv[8])
	u := float32((float32(inv[0]*x) + float32(inv[1]*y) + inv[2]) * scale)
	v := float32((float32(inv[3]*x) + float32(inv[4]*y) + inv[5]) * scale)
	// The place in cells, and the cell.
	column, row := float32((u+1)*r.side), float32((v+1)*r.side)
	left, top := floor(column), floor(row)
	fromLeft, fromTop := left-r.start, top-r.start
	if !(fromLeft >= 0 && fromTop >= 0 && fromLeft <= r.last && fromTop <= r.last) {
		for k := range b.columns {
			b.columns[k][lane] = 0
		}
		b.weight[lane] = 0
		return false
	}
	// The gradients of u and v, their directions, and the pixels of a cell along them.
	ux, uy := float32((inv[0]-float32(u*inv[6]))*scale), float32((inv[1]-float32(u*inv[7]))*scale)
	vx, vy := float32((inv[3]-float32(v*inv[6]))*scale), float32((inv[4]-float32(v*inv[7]))*scale)
	su := 1 / sqrt(float32(ux*ux)+float32(uy*uy))
	sv := 1 / sqrt(float32(vx*vx)+float32(vy*vy))
	ux, uy, vx, vy = ux*su, uy*su, vx*sv, vy*sv
	ku, kv := su*r.unit, sv*r.unit

	left0, left1, left2 := r.u.at(float32((column - left) * ku))
	right0, right1, right2 := r.u.at(float32((column - left - 1) * ku))
	top0, top1, top2 := r.v.at(float32((row - top) * kv))
	bottom0, bottom1, bottom2 := r.v.at(float32((row - top - 1) * kv))

	// The responses of three rows of three cells, and their derivatives along the row.
	var z, z1, z2 [3]float32
	cells := r.drawing[int(float32(fromTop*r.stride)+fromLeft)]
	for k := range z {
		c := cells >> (3 * k)
		a, m, e := float32(c&1), float32(c>>1&1), float32(c>>2&1)
		first, second := m-a, e-m
		z[k] = a + float32(first*left0) + float32(second*right0)
		z1[k] = float32(first*left1) + float32(second*right1)
		z2[k] = float32(first*left2) + float32(second*right2)
	}
	// Their differences from row to row.
	up, down := z[1]-z[0], z[2]-z[1]
	up1, down1 := z1[1]-z1[0], z1[2]-z1[1]
	up2, down2 := z2[1]-z2[0], z2[2]-z2[1]

	covariance := r.covariance * (float32(ux*vx) + float32(uy*vy)) // by the angle of the lines
	crossing := float32(up2*top2) + float32(down2*bottom2)
	crossing = float32(up1*top1) + float32(down1*bottom1) + float32(float32(covariance*0.5)*crossing)
	white := z[0] + float32(up*top0) + float32(down*bottom0) + float32(covariance*crossing)
	byU := z1[0] + float32(up1*top0) + float32(down1*bottom0)
	byV := float32(up*top1) + float32(down*bottom1)
	byBlur := z2[0] + float32(up2*top0) + float32(down2*bottom0) + float32(up*top2) + float32(down*bottom2)

	contrast := r.contrast[0] + float32(r.contrast[1]*u) + float32(r.contrast[2]*v)
	black := r.black[0] + float32(r.black[1]*u) + float32(r.black[2]*v)
	residual := r.value[i] - (black + float32(contrast*white))
	r.column[i], r.row[i], r.residual[i], r.margin[i] = column, row, residual, contrast
	r.byU[i], r.byV[i] = byU, byV

	factor := 0 - float32(contrast*r.half)/(float32(r.h6*u)+float32(r.h7*v)+1)
	gx := float32(factor * (float32(byU*ux) + float32(byV*vx)))
	gy := float32(factor * (float32(byU*uy) + float32(byV*vy)))
	t := 0 - (float32(gx*x) + float32(gy*y))
	for k, d := range [columns]float32{
		gx * u, gx * v, gx, gy * u, gy * v, gy, t * u, t * v,
		1, u, v, white, u * white, v * white, contrast * r.blur * byBlur, residual,
	} {
		b.columns[k][lane] = d
	}
	q := residual * r.tune
	q = 1 / (1 + float32(q*q))
	b.weight[lane] = float32(q * q * r.weight[i])
	return true
}

func floor(x float32) float32 { return float32(math.Floor(float64(x))) }

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
