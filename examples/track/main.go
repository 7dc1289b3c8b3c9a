// Command track follows several objects through a video, an animated GIF, and draws their
// outlines and where they have been.
package main

import (
	"flag"
	"fmt"
	"image"
	"log"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/overlay"
)

// An object is what is followed: an outline, points in it, and where its middle has been.
type object struct {
	outline []geometry.Point
	points  []flow.Point
	path    []geometry.Point
}

func main() {
	in := flag.String("in", "examples/testdata/clip.gif", "the animated GIF to read")
	out := flag.String("out", "tracked.gif", "the animated GIF to write")
	boxes := flag.String("boxes", "16,12,88,86 162,125,228,179", "the objects in the first frame: left,top,right,bottom of each")
	flag.Parse()
	frames := pictures.LoadVideo(*in)

	detector, err := harris.New(harris.GoodFeatures(60, 0.01, 4))
	if err != nil {
		log.Fatal(err)
	}
	tracker, err := flow.New(flow.Options{Confirm: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	estimator, err := geometry.New(geometry.Options{Kind: geometry.Similarity})
	if err != nil {
		log.Fatal(err)
	}

	// The corners found in a SubImage have the coordinates of the frame.
	var objects []*object
	for _, box := range strings.Fields(*boxes) {
		var x0, y0, x1, y1 int
		if _, err := fmt.Sscanf(box, "%d,%d,%d,%d", &x0, &y0, &x1, &y1); err != nil {
			log.Fatalf("box %s: %v", box, err)
		}
		part := frames[0].SubImage(image.Rect(x0, y0, x1, y1)).(*image.Gray)
		objects = append(objects, &object{
			outline: outline(x0, y0, x1, y1),
			points:  flow.Points(detector.Detect(part, nil)),
		})
	}

	var drawn []*image.Gray
	before := tracker.Pyramid(frames[0])
	for n, frame := range frames {
		after := tracker.Pyramid(frame)
		var outlines, paths [][]geometry.Point
		for i, o := range objects {
			if len(o.points) == 0 {
				continue
			}
			// The points of an object move together. Those that do not are on the
			// background, and are dropped.
			tracks := tracker.Track(before, after, o.points, nil)
			a, b := geometry.Tracks(o.points, tracks)
			inliers := make([]bool, len(a))
			motion, err := estimator.Estimate(a, b, nil, inliers)
			o.points = o.points[:0]
			if err != nil {
				fmt.Printf("frame %d: object %d is lost: %v\n", n, i, err)
				continue
			}
			for k, track := range tracks {
				if inliers[k] {
					o.points = append(o.points, track.Point())
				}
			}
			motion.Transform.ApplyAll(o.outline, o.outline)
			o.path = append(o.path, middle(o.outline))
			outlines, paths = append(outlines, o.outline), append(paths, o.path)
		}
		before = after

		// Draw on a copy, since the pyramid refers to the pixels of the frame.
		canvas := overlay.Canvas(frame)
		overlay.Polygons(canvas, outlines)
		overlay.Tracks(canvas, paths)
		drawn = append(drawn, fast.Gray(canvas))
	}
	for i, o := range objects {
		if len(o.path) == 0 {
			fmt.Printf("object %d has too few corners to follow\n", i)
			continue
		}
		fmt.Printf("object %d has %d points left; it moved from %v to %v\n", i, len(o.points), o.path[0].Pt(), o.path[len(o.path)-1].Pt())
	}
	pictures.SaveVideo(*out, drawn)
}

func outline(x0, y0, x1, y1 int) []geometry.Point {
	l, t, r, b := float64(x0), float64(y0), float64(x1), float64(y1)
	return []geometry.Point{{X: l, Y: t}, {X: r, Y: t}, {X: r, Y: b}, {X: l, Y: b}}
}

func middle(outline []geometry.Point) geometry.Point {
	return geometry.Point{X: (outline[0].X + outline[2].X) / 2, Y: (outline[0].Y + outline[2].Y) / 2}
}
