// Consumer is a program that uses the module as anyone's program would. A check builds it
// in a module of its own, outside the repository.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"log"
	"slices"

	"github.com/fastcorners/fast"
)

func main() {
	// A bright square with four brighter corners. Several pixels near each of them pass
	// the test, and suppression keeps only the corner itself.
	img := image.NewGray(image.Rect(0, 0, 100, 80))
	square := image.Rect(30, 20, 70, 60)
	draw.Draw(img, square, image.NewUniform(color.Gray{Y: 200}), image.Point{}, draw.Src)
	want := []fast.Corner{{X: 30, Y: 20, Score: 249}, {X: 69, Y: 20, Score: 249}, {X: 30, Y: 59, Score: 249}, {X: 69, Y: 59, Score: 249}}
	for _, c := range want {
		img.SetGray(int(c.X), int(c.Y), color.Gray{Y: 250})
	}

	all := fast.Detect(img, 25)
	detector, err := fast.New(fast.Options{Threshold: 25, NonmaxSuppression: true})
	if err != nil {
		log.Fatal(err)
	}
	best := detector.Detect(img)
	fmt.Println("kernels:", fast.Kernels())
	fmt.Println("corners:", all)
	fmt.Println("after suppression:", best)
	if len(all) <= len(best) {
		log.Fatal("suppression dropped no corner")
	}
	if !slices.Equal(best, want) {
		log.Fatalf("suppression should keep %v", want)
	}
}
