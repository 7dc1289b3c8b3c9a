// Command onscreen watches screenshots for small pictures, such as buttons, and prints what appears
// and disappears, and where.
//
//	go run ./examples/onscreen                             # a built-in screen
//	go run ./examples/onscreen -in shots/ ok.png cancel.png
//	go run ./examples/onscreen -in shots/ -watch 0.2s ok.png
//	ffmpeg -v error -f x11grab -i :0 -pix_fmt gray -f yuv4mpegpipe - | go run ./examples/onscreen -in - ok.png
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"iter"
	"log"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/overlay"
)

func main() {
	in := flag.String("in", "", "a directory of screenshots, a Y4M video, or - for a video from standard input, instead of the built-in screen")
	watch := flag.Duration("watch", 0, "check the directory again after this time, until interrupted")
	minScore := flag.Float64("min-score", 0.9, "the lowest score of a place, up to 1")
	full := flag.Bool("full", false, "search all of each frame")
	out := flag.String("out", "onscreen.png", "the PNG to write: the last screenshot, and what is found in it")
	flag.Parse()

	var patterns []*pattern
	add := func(name string, img image.Image) {
		p, err := newPattern(name, img)
		if err != nil {
			log.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	for _, name := range flag.Args() {
		add(name, pictures.Load(name))
	}
	var frames iter.Seq[*image.Gray]
	switch {
	case *in == "":
		d, err := newDesktop()
		if err != nil {
			log.Fatal(err)
		}
		for i, icon := range d.icons {
			add(fmt.Sprint("icon ", i), icon)
		}
		frames = d.frames()
	case *watch > 0:
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		frames = pictures.Watch(ctx, *in, *watch)
	default:
		frames = pictures.Frames(*in)
	}
	if len(patterns) == 0 {
		log.Fatal("no pictures to look for")
	}
	w, err := newWatcher(*minScore, patterns)
	if err != nil {
		log.Fatal(err)
	}

	var whole, partly summary
	seen := make([][]locate.Match, len(patterns))
	n := 0
	for frame := range frames {
		if *full {
			w.forget()
		}
		start := time.Now()
		pixels := w.push(frame)
		var changes []string
		for i, p := range patterns {
			now := p.seen()
			changes = append(changes, compare(p.name, seen[i], now)...)
			seen[i] = now
		}
		elapsed := time.Since(start)
		if pixels == area(frame.Rect) {
			whole.add(elapsed)
		} else {
			partly.add(elapsed)
		}
		for _, change := range changes {
			fmt.Printf("frame %d: %s\n", n, change)
		}
		n++
	}
	if n == 0 {
		log.Fatal("no screenshots")
	}
	fmt.Printf("%d pictures in %d frames of %v\n", len(patterns), n, w.before.Rect.Size())
	fmt.Println("searched as a whole:", whole)
	fmt.Println("searched where they changed:", partly)
	canvas := overlay.Canvas(w.before)
	var outlines []image.Rectangle
	for i, p := range patterns {
		for _, m := range seen[i] {
			outlines = append(outlines, p.template.Bounds(m))
		}
	}
	overlay.Rectangles(canvas, outlines)
	pictures.Save(*out, canvas)
}

// compare returns lines that say which places of a name were gone and are new.
func compare(name string, before, now []locate.Match) (lines []string) {
	has := func(list []locate.Match, m locate.Match) bool {
		return slices.ContainsFunc(list, func(other locate.Match) bool { return other.Pt() == m.Pt() })
	}
	for _, m := range before {
		if !has(now, m) {
			lines = append(lines, fmt.Sprintf("%s is gone from %v", name, m.Pt()))
		}
	}
	for _, m := range now {
		if !has(before, m) {
			lines = append(lines, fmt.Sprintf("%s is at %v, score %.4f", name, m.Pt(), m.Score))
		}
	}
	return lines
}

// A summary has the times of frames.
type summary []time.Duration

func (s *summary) add(d time.Duration) { *s = append(*s, d) }

// String returns how many frames there are, and the median and the largest of their times.
func (s summary) String() string {
	if len(s) == 0 {
		return "none"
	}
	slices.Sort(s)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	return fmt.Sprintf("%d frames, %.1f ms each in the median, %.1f ms at most", len(s), ms(s[(len(s)-1)/2]), ms(s[len(s)-1]))
}
