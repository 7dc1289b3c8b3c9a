// Command calibrate measures a camera with photos of a chessboard, and straightens another photo,
// since a wide lens bends what is straight in the world. Without photos it takes some of a room of
// its own, whose camera is known.
//
//	go run ./examples/calibrate
//	go run ./examples/calibrate -set bad           # a board that is hardly tilted, in the middle
//	go run ./examples/calibrate -square 30 *.jpg   # squares of 30 mm
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"log"
	"os"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

func main() {
	log.SetFlags(0)
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: calibrate [flags] [PHOTO...]")
		flag.PrintDefaults()
	}
	set := flag.String("set", "good", "the built-in `SET` of photos, good or bad, if none are given")
	square := flag.Float64("square", 25, "the side of a square of the board, in `MM`")
	model := camera.BrownConrady
	flag.TextVar(&model, "model", model, "the `MODEL` of the lens: brown-conrady, or kannala-brandt for fisheyes")
	next := flag.String("next", "", "the `PHOTO` to straighten (default: the last one)")
	out := flag.String("out", "camera.yaml", "the `FILE` to write: the camera, as OpenCV and other examples read it")
	straight := flag.String("straight", "straight.png", "the `PNG` to write: a photo before and after")
	views := flag.String("views", "views.png", "the `PNG` to write: where corners were seen, and how uncertain the camera is")
	flag.Parse()
	if !(*square > 0) {
		log.Fatal("-square must be positive")
	}

	var s *session
	var last image.Image
	if flag.NArg() == 0 {
		s, last = visit(*set)
	} else {
		s = newSession(*square)
	}
	for _, name := range flag.Args() {
		last = pictures.Load(name)
		s.add(name, last)
	}
	if *next != "" {
		last = pictures.Load(*next)
	}
	c, err := s.calibrate(calibrate.Options{Model: model})
	if err != nil && !errors.Is(err, calibrate.ErrFocal) {
		log.Fatal(err)
	}
	pictures.Save(*views, picture(&c))
	if err != nil {
		log.Fatal(err, ": take more photos, in which the board is tilted")
	}
	save(*out, camera.Info{Camera: c.Camera, Width: s.size.X, Height: s.size.Y})
	if last.Bounds().Size() != s.size {
		log.Fatal("the photo to straighten has another size")
	}
	pictures.Save(*straight, beforeAndAfter(last, c.Camera))
}

// A session has the boards in the photos of a camera.
type session struct {
	finder *calibrate.Finder
	square float64
	size   image.Point
	names  []string
	views  []calibrate.View
	board  calibrate.Board // the one with the most corners
}

func newSession(square float64) *session {
	finder, err := calibrate.NewFinder(calibrate.FinderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return &session{finder: finder, square: square}
}

// visit returns a session with a built-in set of photos, and another photo of the same camera.
func visit(set string) (s *session, next image.Image) {
	boards, ok := sets[set]
	if !ok {
		log.Fatalf("there is no set %q", set)
	}
	s = newSession(25)
	taken, next := photos(boards)
	for i, img := range taken {
		s.add(fmt.Sprint("photo ", i+1), img)
	}
	return s, next
}

// add finds the board in a photo. It prints what is wrong if there is none.
func (s *session) add(name string, img image.Image) {
	if s.size == (image.Point{}) {
		s.size = img.Bounds().Size()
	}
	if img.Bounds().Size() != s.size {
		fmt.Println(name, "is left out: it has another size")
		return
	}
	board, err := s.finder.FindOne(fast.Gray(img))
	if err != nil {
		fmt.Printf("%s is left out: %v\n", name, err)
		return
	}
	if board.Count > s.board.Count {
		s.board = board
	}
	s.names = append(s.names, name)
	s.views = append(s.views, board.View(s.square))
}

// calibrate finds the camera, and prints what there is to know about it.
func (s *session) calibrate(opts calibrate.Options) (calibrate.Calibration, error) {
	calibrator, err := calibrate.New(opts)
	if err != nil {
		return calibrate.Calibration{}, err
	}
	c, err := calibrator.Calibrate(s.size, s.views)
	if err != nil && !errors.Is(err, calibrate.ErrFocal) {
		return c, err
	}
	deviations := c.StandardDeviations()
	fmt.Printf("%d photos of a board, whose corners are %.2f pixels from where they should be\n", len(s.views), c.RMS)
	fmt.Printf("focal length %.1f ± %.1f pixels, middle %.1f ± %.1f, %.1f ± %.1f\n",
		c.Camera.Fx, deviations[0], c.Camera.Cx, deviations[2], c.Camera.Cy, deviations[3])
	middle := c.Uncertainty(geometry.Point{X: float64(s.size.X) / 2, Y: float64(s.size.Y) / 2})
	if corner := c.Uncertainty(geometry.Point{}); corner == corner {
		fmt.Printf("uncertain by %.2f pixels in the middle, and by %.2f in the upper left corner\n", middle, corner)
	} else {
		fmt.Printf("uncertain by %.2f pixels in the middle, and unknown in the upper left corner\n", middle)
	}
	if halves, err := calibrator.Halves(s.size, s.views); err == nil {
		fmt.Printf("half of the photos lead to a camera that differs from that of the others by %.2f pixels; %.2f are expected\n",
			halves.Difference, halves.Predicted)
	}
	for i, influence := range c.Influence() {
		if influence > 5 {
			fmt.Println("look at", s.names[i], "which contradicts the others")
		}
	}
	h := c.Suggest(s.board.Columns, s.board.Rows)
	fmt.Printf("what would help most: the board around %v, %.0f %% of the width, its top %s and its right side %s\n",
		h.At.Pt(), 100*h.Size, lean(h.TiltX), lean(h.TiltY))
	fmt.Printf("with that, uncertain by %.2f pixels on average instead of %.2f\n", h.After, h.Before)
	return c, err
}

// lean describes an angle by which a side of a board leans away.
func lean(degrees float64) string {
	switch {
	case degrees > 0:
		return fmt.Sprintf("%.0f degrees away", degrees)
	case degrees < 0:
		return fmt.Sprintf("%.0f degrees nearer", -degrees)
	}
	return "straight"
}

// save writes a camera to a file of OpenCV.
func save(name string, info camera.Info) {
	f, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(info.WriteOpenCV(f), f.Close()); err != nil {
		log.Fatal(err)
	}
}

// picture returns a picture of where a calibration has seen corners, and how uncertain it is.
func picture(c *calibrate.Calibration) image.Image {
	dst := image.NewRGBA(image.Rectangle{Max: c.Size})
	c.Draw(dst)
	return dst
}

// beforeAndAfter returns a photo beside what a camera without distortion would have seen.
func beforeAndAfter(photo image.Image, c camera.Camera) *image.RGBA {
	const gap = 16
	size := photo.Bounds().Size()
	both := image.NewRGBA(image.Rect(0, 0, 2*size.X+gap, size.Y))
	draw.Draw(both, both.Rect, image.White, image.Point{}, draw.Src)
	before := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(before, before.Rect, photo, photo.Bounds().Min, draw.Src)
	warper, err := warp.New(warp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	after := image.NewRGBA(before.Rect)
	warper.RGBA(after, before, warp.Undistortion(c, size.X, size.Y))
	write(before, "before")
	write(after, "after")
	draw.Draw(both, before.Rect, before, image.Point{}, draw.Src)
	draw.Draw(both, after.Rect.Add(image.Pt(size.X+gap, 0)), after, image.Point{}, draw.Src)
	return both
}

// write writes a word in the lower left corner of a picture, on black.
func write(dst *image.RGBA, word string) {
	parsed, err := opentype.Parse(gobold.TTF)
	if err != nil {
		log.Fatal(err)
	}
	height := dst.Rect.Dy() / 16
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: float64(height), DPI: 72})
	if err != nil {
		log.Fatal(err)
	}
	d := font.Drawer{Dst: dst, Src: image.White, Face: face}
	width := d.MeasureString(word).Ceil() + height
	box := image.Rect(0, dst.Rect.Dy()-2*height, width, dst.Rect.Dy())
	draw.Draw(dst, box, image.NewUniform(color.NRGBA{0, 0, 0, 170}), image.Point{}, draw.Over)
	d.Dot = fixed.P(height/2, dst.Rect.Dy()-height*13/20)
	d.DrawString(word)
}
