package calibrate_test

import (
	"errors"
	"fmt"
	"image"
	"log"

	"github.com/fastcorners/fast/calibrate"
)

// photo returns an image of a chessboard with the given numbers of squares, whose sides are 30 pixels. A pixel is
// the mean of four places, as edges have some blur in photos.
func photo(columns, rows int) *image.Gray {
	light := func(x, y int) bool {
		i, j := (x+59)/60-2, (y+59)/60-2
		return i < 0 || j < 0 || i >= columns || j >= rows || (i+j)%2 == 1
	}
	img := image.NewGray(image.Rect(0, 0, 640, 480))
	for y := range 2 * 480 {
		for x := range 2 * 640 {
			if light(x, y) {
				img.Pix[y/2*img.Stride+x/2] += 60
			}
		}
	}
	return img
}

func ExampleFinder() {
	finder, err := calibrate.NewFinder(calibrate.FinderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range finder.Find(photo(10, 7)) {
		fmt.Printf("%d by %d corners, %d found, from %.1f to %.1f\n", b.Columns, b.Rows, b.Count, b.At(0, 0), b.At(8, 5))
	}
	// Output: 9 by 6 corners, 54 found, from {60.0 60.0} to {300.0 210.0}
}

// Only complete boards of the right size are of use to some programs.
func ExampleFinder_FindOne() {
	finder, err := calibrate.NewFinder(calibrate.FinderOptions{Columns: 9, Rows: 6})
	if err != nil {
		log.Fatal(err)
	}
	_, err = finder.FindOne(photo(9, 7))
	fmt.Println(errors.Is(err, calibrate.ErrSize), err)
	// Output: true calibrate: no board of that size: found 8 by 6, not 9 by 6
}

// The squares have sides of 25 mm.
func ExampleBoard_View() {
	finder, err := calibrate.NewFinder(calibrate.FinderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	board, err := finder.FindOne(photo(10, 7))
	if err != nil {
		log.Fatal(err)
	}
	view := board.View(25)
	last := len(view.World) - 1
	fmt.Printf("%.0f is seen at %.1f\n", view.World[last], view.Image[last])
	// Output: [200 125 0] is seen at {300.0 210.0}
}
