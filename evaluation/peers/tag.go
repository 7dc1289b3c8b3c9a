package peers

import (
	"image"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/tag"
)

// A MarkerFinder finds fiducial markers.
type MarkerFinder int

// OpenCV has its detectMarkers with its defaults, and OpenCVRefined refines the corners by
// cornerSubPix. AprilTag does not decimate, and must be there.
const (
	OpenCV MarkerFinder = iota
	OpenCVRefined
	AprilTag
)

func (f MarkerFinder) String() string {
	return [...]string{"OpenCV", "OpenCV, CORNER_REFINE_SUBPIX", "AprilTag"}[f]
}

// Finds reports whether f knows markers of a kind.
func (f MarkerFinder) Finds(kind tag.Kind) bool {
	switch kind {
	case tag.Tag36h11, tag.Tag25h9, tag.Tag16h5:
		return true
	case tag.Standard41h12:
		return f == AprilTag
	case tag.ArUco4x4, tag.ArUco5x5, tag.ArUco6x6, tag.ArUco7x7:
		return f != AprilTag
	}
	return false
}

// A Marker is what a peer finds. Its corners are those of package tag, in the same order.
type Marker struct {
	ID      int
	Corners [4]geometry.Point
}

// MarkerFinders returns those that are there.
func (p *Peers) MarkerFinders() []MarkerFinder {
	if p.calls.hasAprilTag() {
		return []MarkerFinder{AprilTag, OpenCV, OpenCVRefined}
	}
	return []MarkerFinder{OpenCV, OpenCVRefined}
}

// Markers returns the markers of a kind that f finds.
func (p *Peers) Markers(f MarkerFinder, kind tag.Kind, img *image.Gray) []Marker {
	return p.calls.marks(found(f.String(), p.calls.mark(f, kind, img)))
}

// VersionOfAprilTag returns that of AprilTag.
func VersionOfAprilTag() string {
	return versions("libapriltag-dev")
}

// MarkerTest returns the test of finding markers of tag36h11.
func (p *Peers) MarkerTest() Test[*image.Gray] {
	t := Test[*image.Gray]{"markers", contenders(TagPackages, func() func(*image.Gray) {
		d := Must(tag.New(tag.Options{}))
		var tags []tag.Tag
		return func(img *image.Gray) { tags = d.Append(tags[:0], img) }
	})}
	for _, f := range p.MarkerFinders() {
		t.contenders = append(t.contenders, contender[*image.Gray]{f.String(), true, func(img *image.Gray) { p.Markers(f, tag.Tag36h11, img) }})
	}
	return t
}
