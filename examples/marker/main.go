// Command marker places a cube on a marker in a video, from the frames of a camera whose numbers are
// known: augmented reality. Without a video it films a table of its own.
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"log"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"golang.org/x/image/vector"
)

func main() {
	video := flag.String("video", "", "the `FOLDER` of pictures in which a marker of tag36h11 is seen (default: a table)")
	calibration := flag.String("camera", "", "a `FILE` with the camera of the video, as package camera reads them")
	out := flag.String("out", "marker.gif", "the animated GIF to write")
	flag.Parse()

	var frames []image.Image
	c := tableCamera
	if *video != "" {
		frames = pictures.LoadAll(*video)
		c = camera.FromFieldOfView(60, float64(frames[0].Bounds().Dx()), frames[0].Bounds().Size())
	} else {
		frames = film()
	}
	if *calibration != "" {
		c = pictures.LoadCamera(*calibration)
	}

	detector, err := tag.New(tag.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var shown []image.Image
	seen := 0
	for _, frame := range frames {
		picture := image.NewRGBA(image.Rectangle{Max: frame.Bounds().Size()})
		draw.Draw(picture, picture.Rect, frame, frame.Bounds().Min, draw.Src)
		for _, marker := range detector.Detect(fast.Gray(picture)) {
			// With a side of 2, the corners of the marker are at -1 and 1.
			if at, ok := marker.Pose(c, 2); ok {
				drawCube(picture, c, at.Pose)
				seen++
			}
		}
		shown = append(shown, picture)
	}
	fmt.Printf("%d markers in %d frames\n", seen, len(frames))
	pictures.SaveColorVideo(*out, shown)
}

// A face of the cube has its corners in an order that is clockwise from outside.
type face struct {
	corners [4]pose.Vector
	color   color.NRGBA
}

// faces are those of a cube that stands on a square from -1 to 1. z points away from the viewer of
// the marker, so that up is negative. The bottom is never seen.
var faces = [...]face{
	{[4]pose.Vector{{-1, -1, -2}, {1, -1, -2}, {1, 1, -2}, {-1, 1, -2}}, color.NRGBA{250, 200, 60, 235}},
	{[4]pose.Vector{{-1, 1, -2}, {1, 1, -2}, {1, 1, 0}, {-1, 1, 0}}, color.NRGBA{230, 90, 60, 235}},
	{[4]pose.Vector{{1, -1, -2}, {-1, -1, -2}, {-1, -1, 0}, {1, -1, 0}}, color.NRGBA{70, 130, 220, 235}},
	{[4]pose.Vector{{1, 1, -2}, {1, -1, -2}, {1, -1, 0}, {1, 1, 0}}, color.NRGBA{60, 170, 110, 235}},
	{[4]pose.Vector{{-1, -1, -2}, {-1, 1, -2}, {-1, 1, 0}, {-1, -1, 0}}, color.NRGBA{150, 90, 190, 235}},
}

// drawCube draws a cube that stands on the marker. No face of a convex body hides another one that
// faces the camera.
func drawCube(dst draw.Image, c camera.Camera, at pose.Pose) {
	for _, f := range faces {
		var outline []geometry.Point
		for _, v := range f.corners {
			if p, ok := c.Project(at.Apply(v)); ok {
				outline = append(outline, p)
			}
		}
		if len(outline) == 4 && area(outline) > 0 {
			fill(dst, outline, f.color)
		}
	}
}

// area returns twice the area of a polygon, above 0 if it is clockwise.
func area(outline []geometry.Point) (sum float64) {
	for i, p := range outline {
		q := outline[(i+1)%len(outline)]
		sum += p.X*q.Y - q.X*p.Y
	}
	return sum
}

// fill fills a polygon. The center of the first pixel is 0, 0, where that of the rasterizer is half a
// pixel away.
func fill(dst draw.Image, outline []geometry.Point, c color.Color) {
	size := dst.Bounds().Size()
	r := vector.NewRasterizer(size.X, size.Y)
	for i, p := range outline {
		if i == 0 {
			r.MoveTo(float32(p.X+.5), float32(p.Y+.5))
		} else {
			r.LineTo(float32(p.X+.5), float32(p.Y+.5))
		}
	}
	r.ClosePath()
	r.Draw(dst, dst.Bounds(), image.NewUniform(c), image.Point{})
}
