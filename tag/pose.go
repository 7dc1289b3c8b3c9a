package tag

import (
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

const (
	// leastNoise is the standard deviation of a coordinate, in pixels, that is assumed besides
	// Noise, since lenses and paper are not what they are taken for.
	leastNoise = 0.03
	// sameNormal is the cosine of the angle, 0.01 radians, up to which two poses are alike.
	sameNormal = 0.99995
)

// A Placement is where a marker is. Poses map from the marker (x to the right, y down, z away from
// the viewer, 0 at its center) to the frame of the camera, in the unit of the side's length.
//
// From far away, a marker tilted one way looks like one tilted the other way. Pose has the smaller
// error, but noise may have exchanged the two.
type Placement struct {
	// Pose is the pose with the least error.
	Pose pose.Pose
	// Other is the other pose at which the error has a minimum, or Pose if there is none.
	Other pose.Pose
	// Error and OtherError are the roots of the mean squared distances of the four corners from
	// where Pose and Other project them, in undistorted pixels.
	Error, OtherError float64
	// Ambiguous reports that noise may have exchanged Pose and Other.
	Ambiguous bool
	// Covariance is that of the errors of Pose which errors of the corners' coordinates lead to, if
	// these are independent, small, and have the Noise of the Tag as standard deviation; it is 0 if
	// that is. The first three rows and columns are angles in radians, by which the marker turns
	// about axes through its center that are parallel to the camera's x, y and z axes. The others
	// are shifts of its center along x, y and z, in the unit of the side's length. Turns by angles
	// rx, ry, rz that are small, and shifts by tx, ty, tz, move a point of the marker that is q
	// away from its center, in the frame of the camera, by (rx, ry, rz) x q + (tx, ty, tz). Where
	// lenses bend much, standard deviations are larger, because Pose has the least error in
	// undistorted pixels: 15 percent, 60 degrees from the axis of a fisheye lens.
	Covariance [6][6]float64
}

// Pose returns where a marker is whose quad has sides of the given length. It reports false if a
// corner has no ray, or if the rays are not those of a convex quad with its corners clockwise. It
// panics if side is not positive and finite, or if [camera.Camera.Check] returns an error.
func (t Tag) Pose(c camera.Camera, side float64) (Placement, bool) {
	requireLength("side", side)
	var rays [4]geometry.Point
	for i, p := range t.Corners {
		x, y, ok := c.Ray(p)
		if !ok {
			return Placement{}, false
		}
		rays[i] = geometry.Point{X: x, Y: y}
	}
	for i := range rays {
		a, b, c := rays[i], rays[(i+1)&3], rays[(i+2)&3]
		if !(cross(minus(b, a), minus(c, b)) > 0) {
			return Placement{}, false
		}
	}
	h := side / 2
	world := [4]pose.Vector{{-h, -h, 0}, {h, -h, 0}, {h, h, 0}, {-h, h, 0}}
	noise := math.Sqrt(float64(t.Noise*t.Noise) + leastNoise*leastNoise)
	found, err := pose.LeastSquares(c, world[:], t.Corners[:], noise)
	if err != nil {
		return Placement{}, false
	}
	first, other := found.Minima[0], found.Minima[len(found.Minima)-1]
	return Placement{
		Pose: first.Pose, Other: other.Pose,
		Error: first.Error, OtherError: other.Error,
		Ambiguous:  found.Ambiguous && normal(first.Pose).Dot(normal(other.Pose)) < sameNormal,
		Covariance: covariance(&c, &first.Pose, &world, t.Noise),
	}, true
}

// covariance returns the Covariance of the pose of a marker with the given corners. It is the inverse of
// the matrix of the normal equations, times the square of noise.
func covariance(c *camera.Camera, p *pose.Pose, world *[4]pose.Vector, noise float64) (m [6][6]float64) {
	for _, w := range world {
		at := p.Apply(w)
		arm := at.Sub(p.T)
		d, _ := c.Derivatives(at)
		for _, shift := range d.Point {
			turn := arm.Cross(shift)
			row := [6]float64{turn[0], turn[1], turn[2], shift[0], shift[1], shift[2]}
			for i := range row {
				for j := range row {
					m[i][j] += float64(row[i] * row[j])
				}
			}
		}
	}
	invert(&m)
	for i := range m {
		for j := range i + 1 {
			m[i][j] *= float64(noise * noise)
			m[j][i] = m[i][j]
		}
	}
	return m
}

// invert inverts a matrix that is symmetric and positive, by the method of Gauss and Jordan.
func invert(m *[6][6]float64) {
	for k := range m {
		pivot := m[k][k]
		m[k][k] = 1
		for j := range m {
			m[k][j] /= pivot
		}
		for i := range m {
			if i == k {
				continue
			}
			factor := m[i][k]
			m[i][k] = 0
			for j := range m {
				m[i][j] -= float64(factor * m[k][j])
			}
		}
	}
}

// normal returns the direction in which a marker's z axis points.
func normal(p pose.Pose) pose.Vector { return pose.Vector{p.R[2], p.R[5], p.R[8]} }
