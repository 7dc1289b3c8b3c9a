package stabilize_test

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/stabilize"
)

// shot returns a frame of a video of a checkered wall that a camera sees shaking.
func shot(n int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 160, 120))
	dx, dy := 100+n%3*2, 100-n%2*3
	for y := range 120 {
		for x := range 160 {
			if (x+dx)/20%2 != (y+dy)/20%2 {
				img.Pix[img.PixOffset(x, y)] = byte(100 + (x+dx)/20*5)
			}
		}
	}
	return img
}

func Example() {
	s, err := stabilize.New(stabilize.Options{SmoothingRadius: 6})
	if err != nil {
		panic(err)
	}
	show := func(r stabilize.Result) {
		m := stabilize.MovementOf(r.Motion, image.Pt(160, 120))
		fmt.Printf("%d: %v, moved by %.1f, %.1f\n", r.Frame, r.Status, m.DX, m.DY)
	}
	for n := range 8 {
		if r, ok := s.Push(shot(n)); ok {
			show(r)
		}
	}
	for r, ok := s.Flush(); ok; r, ok = s.Flush() {
		show(r)
	}
	// Output:
	// 0: cut, moved by 0.0, 0.0
	// 1: followed, moved by -2.0, 3.0
	// 2: followed, moved by -2.0, -3.0
	// 3: followed, moved by 4.0, 3.0
	// 4: followed, moved by -2.0, -3.0
	// 5: followed, moved by -2.0, 3.0
	// 6: followed, moved by 4.0, -3.0
	// 7: followed, moved by -2.0, 3.0
}

// The Motion of a Result as readable numbers.
func ExampleMovementOf() {
	shift := geometry.Transform{1, 0, 3, 0, 1, -2, 0, 0, 1}
	m := stabilize.MovementOf(shift, image.Pt(640, 480))
	fmt.Printf("%.0f pixels to the right, %.0f up, turned by %.0f°, scale %.0f\n", m.DX, -m.DY, m.Rotation*57.3, m.Scale)
	// Output: 3 pixels to the right, 2 up, turned by 0°, scale 1
}
