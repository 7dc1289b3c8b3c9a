package calibrate_test

import (
	"errors"
	"fmt"
	"image"
	"log"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/tag"
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

// half returns an image of half the size, as edges have some blur in photos.
func half(drawing *image.Gray) *image.Gray {
	size := drawing.Rect.Size().Div(2)
	img := image.NewGray(image.Rectangle{Max: size})
	for y := range 2 * size.Y {
		for x := range 2 * size.X {
			img.Pix[y/2*img.Stride+x/2] += drawing.Pix[y*drawing.Stride+x] / 4
		}
	}
	return img
}

// The lower right part of a board is seen, whose squares have sides of 40 mm.
func ExampleFinder_Charuco() {
	board := tag.Charuco{Family: tag.Family{Kind: tag.ArUco5x5, Codes: 50}, Columns: 8, Rows: 6, Square: 40, Marker: 30}
	detector, err := tag.New(tag.Options{Families: []tag.Family{board.Family}})
	if err != nil {
		log.Fatal(err)
	}
	finder, err := calibrate.NewFinder(calibrate.FinderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	img := half(board.Draw(9)).SubImage(image.Rect(130, 90, 400, 300)).(*image.Gray)

	world, points, ids, err := finder.Charuco(img, board, detector.Detect(img))
	if err != nil {
		log.Fatal(err) // such as calibrate.ErrLayout
	}
	view := calibrate.View{World: world, Image: points}
	fmt.Printf("%d corners\n", len(ids))
	fmt.Printf("corner %d, %.0f on the board, is seen at %.1f\n", ids[0], view.World[0], view.Image[0])
	// Output:
	// 15 corners
	// corner 16, [120 120 0] on the board, is seen at {131.5 131.5}
}

// The markers of a board have sides of 88 mm.
func ExampleFinder_AprilGrid() {
	board := tag.NewAprilGrid(6, 6, 88, 0.3*88)
	detector, err := tag.New(tag.Options{Families: []tag.Family{board.Family}})
	if err != nil {
		log.Fatal(err)
	}
	finder, err := calibrate.NewFinder(calibrate.FinderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	img := half(board.Draw(10))
	world, points, _, err := finder.AprilGrid(img, board, detector.Detect(img))
	if err != nil {
		log.Fatal(err)
	}
	view := calibrate.View{World: world, Image: points}
	last := len(view.World) - 1
	fmt.Printf("%d corners, %.1f is seen at %.1f\n", last+1, view.World[last], view.Image[last])
	// Output: 144 corners, [572.0 660.0 0.0] is seen at {344.5 394.5}
}
