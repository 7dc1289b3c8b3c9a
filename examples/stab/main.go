// Command stab removes camera shake from a video, an animated GIF.
package main

import (
	"flag"
	"fmt"
	"image"
	"log"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
)

func main() {
	in := flag.String("in", "examples/testdata/clip.gif", "the animated GIF to read")
	out := flag.String("out", "steady.gif", "the animated GIF to write")
	radius := flag.Int("radius", 15, "how far the path of the camera is smoothed, in frames")
	flag.Parse()
	frames := pictures.LoadVideo(*in)

	stabilizer, err := stabilize.New(stabilize.Options{SmoothingRadius: *radius})
	if err != nil {
		log.Fatal(err)
	}
	warper, err := warp.New(warp.Options{Border: border.Replicate})
	if err != nil {
		log.Fatal(err)
	}

	// The result of a frame says where its steady pixels come from. It comes when the
	// frames after it have been seen; a program that reads from a camera keeps radius
	// frames until then.
	var steady []*image.Gray
	show := func(r stabilize.Result) {
		frame := image.NewGray(frames[r.Frame].Rect)
		warper.Gray(frame, frames[r.Frame], warp.Of(r.Source))
		steady = append(steady, frame)
	}
	for _, frame := range frames {
		if r, ok := stabilizer.Push(frame); ok {
			show(r)
		}
	}
	for r, ok := stabilizer.Flush(); ok; r, ok = stabilizer.Flush() {
		show(r)
	}
	pictures.SaveVideo(*out, steady)
	fmt.Println(len(steady), "frames made steady")
}
