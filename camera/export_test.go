package camera

// Angle and Sincos are tested alone.
var (
	Angle  = angle
	Sincos = sincos
)
