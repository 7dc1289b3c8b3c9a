package sift

import (
	"image"

	"github.com/fastcorners/fast/internal/pixel"
)

// A Keypoint is a blob of an image, which can be found again in others.
type Keypoint struct {
	// X and Y are the coordinates in the image, in pixels.
	X, Y float32
	// Size is the diameter of the blob, in pixels of the image. The patch that is described
	// is about 7.5 times as wide.
	Size float32
	// Angle is the direction that most gradients around the keypoint have, in degrees, at
	// least 0 and less than 360. As the y axis points downward, it grows clockwise.
	Angle float32
	// Response is how much the keypoint differs from what is around it: the difference of
	// two layers of the pyramid, where the pixels are 0 to 1.
	Response float32
	// Octave is the place of the keypoint in the pyramid, packed as OpenCV does: the octave in
	// the lowest byte, -1 is 255, the layer in the second one, and in the third the place
	// between two layers, 0 to 255. Level unpacks it.
	Octave int32
}

// Pt returns the pixel nearest to X and Y, with math.MaxInt32 for a coordinate that is NaN or
// does not fit in 32 bits.
func (k Keypoint) Pt() image.Point {
	return pixel.Nearest(float64(k.X), float64(k.Y))
}

// Position returns X and Y.
func (k Keypoint) Position() (x, y float32) {
	return k.X, k.Y
}

// Strength returns the Response of k.
func (k Keypoint) Strength() float32 {
	return k.Response
}

// Level returns the octave of the pyramid and the layer of the octave in which k was found.
// Octave 0 begins with the image, octave -1 with the image in twice its size, and each other
// one with half the size of the one before it.
func (k Keypoint) Level() (octave, layer int) {
	return int(int8(k.Octave)), int(uint8(k.Octave >> 8))
}
