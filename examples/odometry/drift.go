package main

import (
	"math"

	"github.com/fastcorners/fast/pose"
)

// align returns the places found in meters. Those found and the true ones are in the frame of
// the first camera, but one camera does not tell the scale: that one is taken, with a shift, that
// suits the first fifth of the way best.
func align(found, truth []pose.Vector) []pose.Vector {
	n := (len(found) + 4) / 5
	a, b := mean(found[:n]), mean(truth[:n])
	var up, down float64
	for i := range n {
		p := found[i].Sub(a)
		up += p.Dot(truth[i].Sub(b))
		down += p.Dot(p)
	}
	aligned := make([]pose.Vector, len(found))
	for i, v := range found {
		p := v.Sub(a)
		for k := range p {
			aligned[i][k] = p[k]*up/down + b[k]
		}
	}
	return aligned
}

// drift returns how far the end of the way is from the true one, as a share of its length.
func drift(aligned, truth []pose.Vector) float64 {
	last := len(truth) - 1
	return aligned[last].Sub(truth[last]).Norm() / length(truth)
}

// deviation returns the root of the mean squared distance between two ways, as a share of the
// length of the true one, after the rotation, shift and scale that make it least (B. Horn,
// "Closed-form solution of absolute orientation using unit quaternions", JOSA A 4, 1987).
func deviation(found, truth []pose.Vector) float64 {
	a, b := mean(found), mean(truth)
	var m [3][3]float64 // sums of products
	var aa, bb float64
	for i := range found {
		p, q := found[i].Sub(a), truth[i].Sub(b)
		for k := range 3 {
			for l := range 3 {
				m[k][l] += p[k] * q[l]
			}
		}
		aa += p.Dot(p)
		bb += q.Dot(q)
	}
	// The largest eigenvalue of Horn's matrix is the sum of the products of the places of one
	// way, turned, and of the other. High powers of the matrix have one eigenvector only.
	h := square{
		{m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]},
		{m[1][2] - m[2][1], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2]},
		{m[2][0] - m[0][2], m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1]},
		{m[0][1] - m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1]},
	}
	power := h
	for k := range power {
		power[k][k] += math.Sqrt(aa * bb) // makes all eigenvalues positive
	}
	for range 50 {
		power = power.times(power)
		trace := power.trace()
		for k := range power {
			for l := range power {
				power[k][l] /= trace
			}
		}
	}
	products := power.times(h).trace()
	return math.Sqrt(max(0, bb-products*products/aa)/float64(len(found))) / length(truth)
}

func mean(way []pose.Vector) (m pose.Vector) {
	for _, p := range way {
		for k := range m {
			m[k] += p[k] / float64(len(way))
		}
	}
	return m
}

func length(way []pose.Vector) float64 {
	sum := 0.0
	for i := range way[1:] {
		sum += way[i+1].Sub(way[i]).Norm()
	}
	return sum
}

// A square is a matrix of four rows by four columns.
type square [4][4]float64

func (a square) times(b square) (c square) {
	for i := range c {
		for j := range c {
			for k := range c {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

func (a square) trace() float64 { return a[0][0] + a[1][1] + a[2][2] + a[3][3] }
