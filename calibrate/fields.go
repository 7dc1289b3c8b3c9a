package calibrate

import "github.com/fastcorners/fast/camera"

// The indices of the numbers of a camera, in the order of camera.Derivatives.
const (
	fieldFx = iota
	fieldFy
	fieldCx
	fieldCy
	fieldK1
	fieldK2
	fieldP1
	fieldP2
	fieldK3
	fieldK4
	fieldK5
	fieldK6
	numFields
)

// fieldsOf returns the numbers of c, in their order.
func fieldsOf(c *camera.Camera) [numFields]*float64 {
	return [numFields]*float64{&c.Fx, &c.Fy, &c.Cx, &c.Cy, &c.K1, &c.K2, &c.P1, &c.P2, &c.K3, &c.K4, &c.K5, &c.K6}
}

// A freedom tells which fields of a camera are unknown.
type freedom struct {
	fields []int
	aspect bool // Fy follows Fx
}

// aspectOf returns the ratio of Fy to Fx if Fy follows Fx, and 0 otherwise.
func (f *freedom) aspectOf(c *camera.Camera) float64 {
	if f.aspect && len(f.fields) > 0 && f.fields[0] == fieldFx {
		return c.Fy / c.Fx
	}
	return 0
}

// derivatives sets dst to the derivatives of a coordinate of a pixel by the unknown fields, of those by
// all fields. aspect is what aspectOf returns.
func (f *freedom) derivatives(dst []float64, all *[numFields]float64, aspect float64) {
	for k, id := range f.fields {
		dst[k] = all[id]
	}
	if aspect != 0 {
		dst[0] += float64(aspect * all[fieldFy])
	}
}

// move adds a step to the unknown fields of c.
func (f *freedom) move(c *camera.Camera, step []float64) {
	aspect := f.aspectOf(c)
	all := fieldsOf(c)
	for k, id := range f.fields {
		*all[id] += step[k]
	}
	if aspect != 0 {
		c.Fy = float64(c.Fx * aspect)
	}
}

// spread returns the covariance of all fields from that of the unknown ones, the first of the n
// unknowns of inverse, which is multiplied by variance.
func (f *freedom) spread(c *camera.Camera, inverse []float64, n int, variance float64) (all [numFields][numFields]float64) {
	for i, a := range f.fields {
		for k, b := range f.fields {
			all[a][b] = float64(variance * inverse[i*n+k])
		}
	}
	if aspect := f.aspectOf(c); aspect != 0 {
		for i := range all {
			all[i][fieldFy] = float64(aspect * all[i][fieldFx])
		}
		for i := range all {
			all[fieldFy][i] = float64(aspect * all[fieldFx][i])
		}
	}
	return all
}
