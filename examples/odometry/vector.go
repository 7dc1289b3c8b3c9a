package main

import (
	"math"

	"github.com/fastcorners/fast/pose"
)

func minus(a, b pose.Vector) pose.Vector { return pose.Vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func dot(a, b pose.Vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func norm(a pose.Vector) float64 { return math.Sqrt(dot(a, a)) }

// angle returns the angle at which x sees the cameras at a and b, in radians.
func angle(x, a, b pose.Vector) float64 {
	p, q := minus(a, x), minus(b, x)
	return math.Acos(max(-1, min(1, dot(p, q)/(norm(p)*norm(q)))))
}
