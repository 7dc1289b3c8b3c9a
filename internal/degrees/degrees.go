// Package degrees has what packages do with the angles of keypoints.
package degrees

import "math"

// Normalize returns the angle of the same direction between 0 and 360 degrees, which angles in
// that range already are, or NaN if there is none.
func Normalize(angle float32) float32 {
	if angle >= 0 && angle <= 360 {
		return angle
	}
	rest := math.Mod(float64(angle), 360)
	if rest < 0 {
		rest += 360
	}
	return float32(rest)
}
