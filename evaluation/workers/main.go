// Workers measures how much faster each package is with several workers, beside whole frames in
// parallel, and prints a page. It needs no compiler and no other file than the photos:
//
//	CGO_ENABLED=0 go build -o /tmp/workers ./workers
//	/tmp/workers -photos ../testdata/photos -commit $(git rev-parse --short HEAD) >results/workers.md
//
// On 16 cores it takes about three minutes.
package main

import (
	"flag"
	"fmt"
	"image"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/frames"
)

var (
	photos = flag.String("photos", "", "the `directory` of the photos")
	commit = flag.String("commit", "unknown", "print that the program is of this `COMMIT`")
	rounds = flag.Int("rounds", 9, "measure everything `n` times")
	least  = flag.Duration("least", 12*time.Millisecond, "repeat a call until it takes as long")
	only   = flag.String("only", "", "measure only the work whose names contain `TEXT`")
	pause  = flag.Duration("pause", 0, "sleep before each call, so that no processor is awake")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "workers:", err)
		os.Exit(1)
	}
}

// sizes are those of the frames.
var sizes = []image.Point{{640, 480}, {1920, 1080}, {3840, 2160}}

// counts returns the numbers of workers that are compared with one.
func counts() []int {
	var list []int
	for n := 2; n <= runtime.GOMAXPROCS(0) && n <= 16; n *= 2 {
		list = append(list, n)
	}
	return list
}

func run() error {
	list, err := frames.Load(os.DirFS(*photos))
	if err != nil {
		return err
	}
	header := []string{"work", "ms with one"}
	for _, n := range counts() {
		header = append(header, fmt.Sprintf("%d workers", n))
	}
	header = append(header, "frames in parallel")
	fmt.Printf("# Workers\n\n%s, %d processors · %s %s/%s · %s · commit %s\n\n%s\n", cpu.Name(), runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, time.Now().Format(time.DateOnly), *commit, about())
	for _, size := range sizes {
		fmt.Printf("\n## %dx%d\n\n%s|---|%s\n", size.X, size.Y, row(header), strings.Repeat("--:|", len(header)-1))
		views := newViews(list, size)
		for _, w := range works {
			if strings.Contains(w.name, *only) {
				fmt.Print(row(measureWork(w, views)))
			}
		}
	}
	return nil
}

func about() string {
	calls := "Calls follow each other without a pause, so that workers often still wait for the next one. "
	if *pause > 0 {
		calls = fmt.Sprintf("Before each call of workers that share a frame nothing happens for %v, so that all but one have to be woken. ", *pause)
	}
	return "How many times as fast several workers are as one, for each package whose options have Workers, and whole frames in parallel, one goroutine with one worker " +
		"for each processor. " + calls + fmt.Sprintf("Medians of %d rounds, in which all take turns. The frames are crops of photos, each of "+
		"them twice, the second time a few pixels further.", *rounds)
}

// row returns a row of a Markdown table.
func row(cells []string) string {
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// viewCount is the number of frames, of which each two show the same.
const viewCount = 8

// newViews returns frames of a size, and each of them moved by a few pixels after it.
func newViews(photos []*image.Gray, size image.Point) []*image.Gray {
	const moved = 8
	var views []*image.Gray
	for _, frame := range frames.Make(photos, size.X+moved, size.Y+moved, viewCount/2) {
		for _, at := range []image.Point{{2, 1}, {5, 5}} {
			view := image.NewGray(image.Rectangle{Max: size})
			for y := range size.Y {
				copy(view.Pix[y*view.Stride:][:size.X], frame.Pix[(y+at.Y)*frame.Stride+at.X:])
			}
			views = append(views, view)
		}
	}
	return views
}

// measureWork returns the row of a kind of work.
func measureWork(w work, views []*image.Gray) []string {
	counts := counts()
	repeats := 1
	var contenders []func(int)
	create := w.prepare(views)
	for _, n := range append([]int{1}, counts...) {
		call := create(n)
		next := 0
		contenders = append(contenders, func(int) {
			for range repeats {
				time.Sleep(*pause)
				call(next % viewCount)
				next++
			}
		})
	}
	processors := runtime.GOMAXPROCS(0)
	calls := make([]func(int), processors)
	for i := range calls {
		calls[i] = create(1)
	}
	contenders = append(contenders, func(int) {
		var wait sync.WaitGroup
		for i, call := range calls {
			wait.Go(func() {
				for k := range repeats {
					call((i + k) % viewCount)
				}
			})
		}
		wait.Wait()
	})
	contenders[0](0)
	for took := time.Duration(0); took < *least; repeats *= 2 {
		start := time.Now()
		contenders[0](0)
		took = time.Since(start) - time.Duration(repeats)*(*pause)
	}
	times := make([][]float64, len(contenders))
	for round := range *rounds + 1 {
		for i := range contenders {
			i := (i + round) % len(contenders)
			start := time.Now()
			contenders[i](0)
			if took := time.Since(start); round > 0 {
				times[i] = append(times[i], took.Seconds())
			}
		}
	}
	one := measure.Median(slices.Clone(times[0]))
	cells := []string{w.name, fmt.Sprintf("%.3f", one/float64(repeats)*1e3)}
	for i := range counts {
		cells = append(cells, fmt.Sprintf("%.2f", one/measure.Median(times[1+i])))
	}
	return append(cells, fmt.Sprintf("%.1f", float64(processors)*one/measure.Median(times[len(times)-1])))
}
