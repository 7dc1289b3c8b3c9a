package sift

import (
	"image"

	"github.com/fastcorners/fast/internal/pixel"
)

// A Keypoint is a blob in an image that can be found again in other images.
type Keypoint struct {
	// X and Y are the coordinates in the image, in pixels.
	X, Y float32
	// Size is the diameter of the blob, in pixels of the image. The patch that is described
	// is about 7.5 times as wide.
	Size float32
	// Angle is the dominant direction of the gradients around the keypoint, in degrees, at least 0
	// and less than 360. It increases clockwise, since the y axis points down.
	Angle float32
	// Response is the contrast of the keypoint with its surroundings: the difference between two
	// layers of the pyramid, with pixels from 0 to 1.
	Response float32
	// Octave is the location of the keypoint in the pyramid, packed as in OpenCV: the octave in the
	// lowest byte, where 255 is -1, the layer in the second byte, and the position between two
	// layers, 0 to 255, in the third. Level unpacks it.
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

// Level returns the octave of the pyramid, and the layer of that octave, in which k was found.
// Octave -1 begins with the image at twice its size, octave 0 with the image itself, and each later
// one with half the size of the one before it.
func (k Keypoint) Level() (octave, layer int) {
	return int(int8(k.Octave)), int(uint8(k.Octave >> 8))
}
