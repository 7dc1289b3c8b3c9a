package batch

import (
	"fmt"
	"image"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/point"
)

// An Image is a decoded image.
type Image struct {
	Name                  string
	Width, Height, Stride int32 // in pixels, which are bytes
	Pix                   []byte
}

// Gray returns the image as an image.Gray that shares its pixels.
func (img *Image) Gray() *image.Gray {
	return &image.Gray{Pix: img.Pix, Stride: int(img.Stride), Rect: image.Rect(0, 0, int(img.Width), int(img.Height))}
}

// A descriptor is that of package orb, or that of package sift.
type descriptor interface {
	match.Descriptor | match.Vector
}

// bytesOf returns the bytes of a descriptor, which share its memory.
func bytesOf[D descriptor](d *D) []byte {
	switch d := any(d).(type) {
	case *match.Descriptor:
		return d[:]
	case *match.Vector:
		return d[:]
	}
	return nil
}

// A KeypointOf is a keypoint with a descriptor of type D.
type KeypointOf[D match.Descriptor | match.Vector] struct {
	X          float32 `parquet:"x"`
	Y          float32 `parquet:"y"`
	Size       float32 `parquet:"size"`
	Angle      float32 `parquet:"angle"`
	Response   float32 `parquet:"response"`
	Octave     int32   `parquet:"octave"`
	Descriptor D       `parquet:"descriptor"`
}

// A Keypoint is a keypoint of package orb with its descriptor.
type Keypoint = KeypointOf[match.Descriptor]

// A SIFTKeypoint is a keypoint of package sift with its descriptor. sift.Level unpacks its Octave.
type SIFTKeypoint = KeypointOf[match.Vector]

// Pt returns the pixel nearest to X and Y, as that of a point.Keypoint does.
func (k KeypointOf[D]) Pt() image.Point {
	return point.Keypoint{X: k.X, Y: k.Y}.Pt()
}

// Position returns X and Y.
func (k KeypointOf[D]) Position() (x, y float32) {
	return k.X, k.Y
}

// Strength returns the Response of k.
func (k KeypointOf[D]) Strength() float32 {
	return k.Response
}

// KeypointsOf are the keypoints of an image, with descriptors of type D, in the order of the
// package that finds them.
type KeypointsOf[D match.Descriptor | match.Vector] struct {
	Name      string          `parquet:"name"`
	Width     int32           `parquet:"width"` // of the image, in pixels
	Height    int32           `parquet:"height"`
	Keypoints []KeypointOf[D] `parquet:"keypoints,list"`
}

// Keypoints are the keypoints that package orb has found in an image.
type Keypoints = KeypointsOf[match.Descriptor]

// SIFTKeypoints are the keypoints that package sift has found in an image.
type SIFTKeypoints = KeypointsOf[match.Vector]

// A Corner is a corner of package fast or vpi, with the score as the response, of package harris,
// or of package lococo, which alone sets DX, DY and KernelSize.
type Corner struct {
	X          int32   `parquet:"x"`
	Y          int32   `parquet:"y"`
	Response   float32 `parquet:"response"`
	DX         float32 `parquet:"dx"`
	DY         float32 `parquet:"dy"`
	KernelSize int32   `parquet:"kernel_size"`
}

// Pt returns X and Y as a point.
func (c Corner) Pt() image.Point {
	return image.Pt(int(c.X), int(c.Y))
}

// Position returns the location of c between pixels, X+DX and Y+DY.
func (c Corner) Position() (x, y float32) {
	return float32(c.X) + c.DX, float32(c.Y) + c.DY
}

// Strength returns the Response of c.
func (c Corner) Strength() float32 {
	return c.Response
}

// Corners are the corners of an image, in the order of the package that finds them.
type Corners struct {
	Name    string   `parquet:"name"`
	Width   int32    `parquet:"width"` // of the image, in pixels
	Height  int32    `parquet:"height"`
	Corners []Corner `parquet:"corners,list"`
}

// A Tag is a marker of package tag. Its corners are those of the border, clockwise from the upper left one
// of the upright marker.
type Tag struct {
	Family    string  `parquet:"family"` // the name of its kind
	ID        int32   `parquet:"id"`
	X0        float64 `parquet:"x0"`
	Y0        float64 `parquet:"y0"`
	X1        float64 `parquet:"x1"`
	Y1        float64 `parquet:"y1"`
	X2        float64 `parquet:"x2"`
	Y2        float64 `parquet:"y2"`
	X3        float64 `parquet:"x3"`
	Y3        float64 `parquet:"y3"`
	Corrected int32   `parquet:"corrected"`
	Noise     float64 `parquet:"noise"`
	Misfit    float64 `parquet:"misfit"`
	Hidden    bool    `parquet:"hidden"`
}

// Tags are the markers of an image, in the order of package tag.
type Tags struct {
	Name   string `parquet:"name"`
	Width  int32  `parquet:"width"` // of the image, in pixels
	Height int32  `parquet:"height"`
	Tags   []Tag  `parquet:"tags,list"`
}

// A DeadLetter is a file or an image that could not be processed, and the reason.
type DeadLetter struct {
	Name   string `parquet:"name"`
	Reason string `parquet:"reason"`
}

// escape returns a name in which each byte that is not UTF-8 is \x and two hexadecimal digits.
func escape(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var text strings.Builder
	for i, r := range name {
		if _, size := utf8.DecodeRuneInString(name[i:]); r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&text, `\x%02x`, name[i])
			continue
		}
		text.WriteRune(r)
	}
	return text.String()
}

// Descriptors are the descriptors of an image, one after the other: 32 bytes each for package orb,
// and 128 for package sift.
type Descriptors struct {
	Name string
	Bits []byte
}

// A NamePair names two images to match.
type NamePair struct{ Query, Train string }

// A Pair holds the descriptors of two images to match.
type Pair struct{ Query, Train Descriptors }

// A DescriptorMatch is a match of package match: the indices of two keypoints, and the distance
// between their descriptors, which is the number of bits that differ or, for SIFT, the sum of
// squared differences of their elements.
type DescriptorMatch struct {
	Query    int32 `parquet:"query"`
	Train    int32 `parquet:"train"`
	Distance int32 `parquet:"distance"`
}

// Matches are the matches of two images, in the order of the query's keypoints.
type Matches struct {
	Query   string            `parquet:"query"`
	Train   string            `parquet:"train"`
	Matches []DescriptorMatch `parquet:"matches,list"`
}

// A Row is an element that can be written to files.
type Row interface {
	Keypoints | SIFTKeypoints | Corners | Tags | DeadLetter | Matches | Source
	shardName() string // the name whose shard the row is in
	memory() int       // bytes, about
}

func (k KeypointsOf[D]) shardName() string { return k.Name }
func (c Corners) shardName() string        { return c.Name }
func (t Tags) shardName() string           { return t.Name }
func (d DeadLetter) shardName() string     { return d.Name }
func (m Matches) shardName() string        { return m.Query }
func (f Source) shardName() string         { return escape(f.Name) } // as dead letters have it

func (k KeypointsOf[D]) memory() int {
	return len(k.Name) + int(unsafe.Sizeof(KeypointOf[D]{}))*len(k.Keypoints)
}
func (c Corners) memory() int    { return len(c.Name) + 24*len(c.Corners) }
func (t Tags) memory() int       { return len(t.Name) + int(unsafe.Sizeof(Tag{}))*len(t.Tags) }
func (d DeadLetter) memory() int { return len(d.Name) + len(d.Reason) }
func (m Matches) memory() int    { return len(m.Query) + len(m.Train) + 12*len(m.Matches) }
func (f Source) memory() int     { return len(f.Name) + len(f.ETag) + 16 }
