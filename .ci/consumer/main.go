// Consumer is a program that uses the module as anybody's would. The script
// beside it builds it in a module of its own, outside the repository.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"log"

	"github.com/fastcorners/fast"
)

func main() {
	img := image.NewGray(image.Rect(0, 0, 100, 80))
	draw.Draw(img, image.Rect(30, 20, 70, 60), image.NewUniform(color.Gray{Y: 200}), image.Point{}, draw.Src)

	all := fast.Detect(img, 25)
	detector, err := fast.New(fast.Options{Threshold: 25, NonmaxSuppression: true})
	if err != nil {
		log.Fatal(err)
	}
	best := detector.Detect(img)
	fmt.Println("corners:", all)
	fmt.Println("after suppression:", best)
	if len(all) == 0 || len(best) == 0 || len(best) > len(all) {
		log.Fatal("a bright square has corners, and suppression adds none")
	}
	for _, c := range all {
		if !near(c.Pt().X, 30, 69) || !near(c.Pt().Y, 20, 59) {
			log.Fatalf("%v is nowhere near a corner of the square", c)
		}
	}
}

// near reports whether x is within 3 of a or b.
func near(x, a, b int) bool {
	return max(x-a, a-x) <= 3 || max(x-b, b-x) <= 3
}
