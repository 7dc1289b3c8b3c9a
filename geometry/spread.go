package geometry

import "math"

// A spread has the mean of points and their covariance.
type spread struct{ x, y, xx, xy, yy float64 }

// add adds to the covariance.
func (s *spread) add(x, y float64) {
	x, y = x-s.x, y-s.y
	s.xx += float64(x * x)
	s.xy += float64(x * y)
	s.yy += float64(y * y)
}

// exceeds reports whether the variance across the line that fits the points best, or for a
// Similarity or a Rigid transform along it, is more than a limit.
func (s *spread) exceeds(kind Kind, limit float64) bool {
	mean, root := float64((s.xx+s.yy)/2), math.Sqrt(square(float64((s.xx-s.yy)/2))+square(s.xy)) // of the eigenvalues
	if kind <= Similarity {
		return mean+root > limit
	}
	return mean-root > limit
}

// moments are those of inliers in both frames.
type moments struct{ a, b spread }

// determine reports whether inliers determine a transform. A translation is determined by any.
func (m *moments) determine(kind Kind, l limits) bool {
	return kind == Translation || m.a.exceeds(kind, l.a) && m.b.exceeds(kind, l.b)
}
