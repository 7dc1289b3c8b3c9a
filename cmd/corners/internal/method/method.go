// Package method has the ways to find corners and keypoints that the program has: their flags, what
// they find, the memory that they take, and their help.
package method

import (
	"image"
	"image/draw"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
)

// A Method is a way to find corners or keypoints, with flags of its own.
type Method interface {
	// Define defines the flags that not all methods have.
	Define(flags *cli.Set)
	// Prepare makes what Find needs from the flags.
	Prepare(workers int) error
	// Find searches an image, or the part of it where the mask is not 0 if there is a
	// mask.
	Find(img, mask *image.Gray) Finding
	// Repeater returns a function whose time is measured for the table. It is for one
	// goroutine.
	Repeater() func(img *image.Gray)
	// Memory returns the number of bytes per pixel that Find and the repeater take at most for
	// photos.
	Memory() int64
	// Lists returns the number of bytes that they and drawing take at most besides, for all that
	// is found in an image. It searches the image, unless it may assume the worst.
	Lists(img *image.Gray, worst bool) int64
	// Limit returns the largest image that Find takes, after Prepare.
	Limit() limits.Limit
}

// A Finding is what a Method found in an image.
type Finding struct {
	Rows   [][]any           // the method's cells in the lines of a table
	Count  int               // the number of corners or keypoints
	Record func(i int) []any // returns the columns of one of them
	Draw   func(dst draw.Image)
	Bytes  int64 // that they take
}

// An Info describes a Method.
type Info struct {
	Name, Summary string
	New           func() Method
	Packages      []string // whose instruction sets corners bench compares, or nil
	Things        string   // what it finds: corners or keypoints
	Titles        []string // of the method's columns in a table
	Columns       []string // of a corner or keypoint in csv, and its members in JSON
	Members       []string // of JSON for flags
	Intro         string   // the beginning of the help text
	Rest          string   // the help text after the description of the report
	Ratio         float64  // the default of -ratio where its keypoints are matched
	MaxDistance   string   // what -max-distance is for there
}

// All lists all methods. The first one is the default.
var All = []Info{
	fastInfo,
	orbInfo,
	siftInfo,
	harrisInfo("harris", "Harris corners, by the structure tensor", harris.Harris),
	harrisInfo("shi-tomasi", "Shi-Tomasi corners, the good features to track", harris.MinEigenvalue),
	lococoInfo,
	vpiInfo,
}

// Named returns the method of a name, or an Info without a name.
func Named(name string) Info {
	for _, m := range All {
		if m.Name == name {
			return m
		}
	}
	return Info{}
}

// rings describes how corners are drawn.
const rings = `
The stronger a corner, the larger its ring in the picture and the warmer its
color, from blue through green and yellow to red for the strongest one of the
image.
`
