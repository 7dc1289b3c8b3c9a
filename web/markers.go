//go:build js && wasm && boards

package main

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
)

// Options are what the page asks for.
type options struct {
	method    string
	family    string        // of markers, such as aruco4x4:50
	view      float64       // the horizontal field of view in degrees, of a camera that is not known
	known     camera.Camera // what the camera is, with images of knownSize, unless that is 0
	knownSize image.Point
	lens      string // how the lens of the camera is modeled
	attempt   int    // the number of the calibration
}

// readOptions reads the options from an object with a property for each.
func readOptions(v js.Value) options {
	o := options{
		method:  v.Get("method").String(),
		family:  v.Get("family").String(),
		view:    v.Get("view").Float(),
		lens:    v.Get("lens").String(),
		attempt: v.Get("attempt").Int(),
	}
	if known := v.Get("known"); known.Truthy() { // as calibrateFinder describes it
		o.known.Model = camera.Model(known.Get("model").Int())
		for i, field := range fieldsOf(&o.known) {
			*field = known.Get("fields").Index(i).Float()
		}
		o.knownSize = image.Pt(known.Get("width").Int(), known.Get("height").Int())
	}
	return o
}

// fieldsOf returns the fields of a camera, but for its model.
func fieldsOf(c *camera.Camera) [12]*float64 {
	return [...]*float64{&c.Fx, &c.Fy, &c.Cx, &c.Cy, &c.K1, &c.K2, &c.P1, &c.P2, &c.K3, &c.K4, &c.K5, &c.K6}
}

// newFinder returns the finder for options, which may go on with what the last one has.
func newFinder(o options, last finder) (finder, error) {
	switch o.method {
	case "markers":
		return newMarkerFinder(o)
	case "calibrate":
		return newCalibrateFinder(o, last)
	}
	return nil, fmt.Errorf("unknown method %q", o.method)
}

// A markerFinder finds markers, and where they are in front of the camera.
type markerFinder struct {
	options  options
	detector *tag.Detector
	tags     []tag.Tag
	camera   camera.Camera
}

// readFamily returns the family with a name such as aruco4x4:50.
func readFamily(name string) (f tag.Family, err error) {
	kind, codes, some := strings.Cut(name, ":")
	if err := f.Kind.UnmarshalText([]byte(kind)); err != nil {
		return f, err
	}
	if some {
		f.Codes, err = strconv.Atoi(codes)
	}
	return f, err
}

func newMarkerFinder(o options) (finder, error) {
	family, err := readFamily(o.family)
	if err != nil {
		return nil, err
	}
	d, err := tag.New(tag.Options{Families: []tag.Family{family}})
	if err != nil {
		return nil, err
	}
	return &markerFinder{options: o, detector: d}, nil
}

func (f *markerFinder) find(pictures *[slots]picture) {
	img := &pictures[0].gray
	f.tags = f.detector.Append(f.tags[:0], img)
	f.camera = f.options.cameraFor(img.Rect.Size())
}

// cameraFor returns the camera of images of a size: the known one if it has images of that shape,
// and otherwise one with a field of view.
func (o *options) cameraFor(size image.Point) camera.Camera {
	if o.knownSize.X > 0 && o.knownSize.X*size.Y == o.knownSize.Y*size.X {
		return o.known.Resized(o.knownSize, size)
	}
	return camera.FromFieldOfView(o.view, float64(size.X), size)
}

// top are the corners of a cube that stands on a marker, those above the Corners, in the unit of its
// side.
var top = [4]pose.Vector{{-0.5, -0.5, -1}, {0.5, -0.5, -1}, {0.5, 0.5, -1}, {-0.5, 0.5, -1}}

// appendTo appends the number of each marker, its corners, whether it is hidden, how far away it is
// in sides, and the corners of the top of the cube. What is not known of the last two is NaN.
func (f *markerFinder) appendTo(dst []float32) ([]float32, int) {
	for _, t := range f.tags {
		hidden := float32(0)
		if t.Hidden {
			hidden = 1
		}
		at, known := t.Pose(f.camera, 1)
		distance := math.NaN()
		if known {
			distance = at.Pose.T.Norm()
		}
		dst = append(dst, float32(t.ID))
		for _, p := range t.Corners {
			dst = appendPoint(dst, p)
		}
		dst = append(dst, hidden, float32(distance))
		for _, corner := range top {
			p := geometry.Point{X: math.NaN(), Y: math.NaN()}
			if known {
				if seen, ok := f.camera.Project(at.Pose.Apply(corner)); ok {
					p = seen
				}
			}
			dst = appendPoint(dst, p)
		}
	}
	return dst, 1 + 2*4 + 2 + 2*len(top)
}

func appendPoint(dst []float32, p geometry.Point) []float32 {
	return append(dst, float32(p.X), float32(p.Y))
}

func (f *markerFinder) report() report {
	return report{
		subject: "families",
		method:  f.options.family,
		members: []member{{"border", 1}, {"inverted", false}, {"contrast", 16}, {"correct", -1}, {"samples", 800}},
		things:  "tags",
		columns: []string{
			"family", "id", "x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3", "corrected", "noise", "misfit", "hidden",
		},
		count: len(f.tags),
		record: func(i int) []any {
			t := f.tags[i]
			values := []any{t.Family.Kind, t.ID}
			for _, p := range t.Corners {
				values = append(values, p.X, p.Y)
			}
			return append(values, t.Corrected, t.Noise, t.Misfit, t.Hidden)
		},
	}
}
