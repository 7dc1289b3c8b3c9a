package sift

import "github.com/fastcorners/fast/point"

// A Keypoint is a blob in an image that can be found again in other images. Level unpacks its Octave.
type Keypoint = point.Keypoint

// Level returns the octave of the pyramid, and the layer of that octave, in which k was found.
// Octave -1 begins with the image at twice its size, octave 0 with the image itself, and each later
// one with half the size of the one before it.
func Level(k Keypoint) (octave, layer int) {
	return int(int8(k.Octave)), int(uint8(k.Octave >> 8))
}
