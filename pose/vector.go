package pose

import "math"

// A Vector is a point in space or a direction: x to the right, y down, z forward.
type Vector [3]float64

// Add returns v + w.
func (v Vector) Add(w Vector) Vector { return Vector{v[0] + w[0], v[1] + w[1], v[2] + w[2]} }

// Sub returns v - w.
func (v Vector) Sub(w Vector) Vector { return Vector{v[0] - w[0], v[1] - w[1], v[2] - w[2]} }

// Scale returns v times s.
func (v Vector) Scale(s float64) Vector {
	return Vector{float64(v[0] * s), float64(v[1] * s), float64(v[2] * s)}
}

// Dot returns the dot product of v and w.
func (v Vector) Dot(w Vector) float64 {
	return float64(v[0]*w[0]) + float64(v[1]*w[1]) + float64(v[2]*w[2])
}

// Cross returns the cross product of v and w.
func (v Vector) Cross(w Vector) Vector {
	return Vector{float64(v[1]*w[2]) - float64(v[2]*w[1]), float64(v[2]*w[0]) - float64(v[0]*w[2]), float64(v[0]*w[1]) - float64(v[1]*w[0])}
}

// Norm returns the length of v.
func (v Vector) Norm() float64 { return math.Sqrt(v.Dot(v)) }

// unit returns v divided by its length.
func (v Vector) unit() Vector { return v.Scale(1 / v.Norm()) }

// farthest is the largest coordinate of a point of the world that counts.
const farthest = 1e100

// bounded reports whether all coordinates are at most farthest from 0.
func (v Vector) bounded() bool {
	return math.Abs(v[0]) <= farthest && math.Abs(v[1]) <= farthest && math.Abs(v[2]) <= farthest
}

// across returns two unit vectors that are orthogonal to the unit vector t and to each other.
func across(t Vector) (Vector, Vector) {
	k := 0
	for i := range 3 {
		if math.Abs(t[i]) < math.Abs(t[k]) {
			k = i
		}
	}
	var e Vector
	e[k] = 1
	a := t.Cross(e).unit()
	return a, t.Cross(a)
}
