// Workers measures how much faster each package is with several workers, beside whole frames in
// parallel, and prints a page. It needs no compiler and no other file than the photos:
//
//	CGO_ENABLED=0 go build -o /tmp/workers ./workers
//	/tmp/workers -photos ../testdata/photos -commit $(git rev-parse --short HEAD) >results/emerald-rapids/workers.md
//
// On 16 cores it takes about two minutes. With -pause 3ms -rounds 41, all workers are asleep before each
// call, as between the frames of a camera.
//
// It also compares such pages, such as those of two versions that took turns: how many times
// as fast as one worker several are, as geometric means over all works.
//
//	/tmp/workers -before old1.md,old2.md -after new1.md,new2.md
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
	"github.com/fastcorners/fast/internal/program/frames"
)

var (
	photos      = flag.String("photos", "", "the `directory` of the photos")
	commit      = flag.String("commit", "unknown", "print that the program is of this `COMMIT`")
	rounds      = flag.Int("rounds", 5, "measure everything `n` times")
	least       = flag.Duration("least", 12*time.Millisecond, "repeat the calls of one worker until they take as long")
	only        = flag.String("only", "", "measure only the work whose name is among `NAMES`, separated by commas, as far as they go")
	sizes       = flag.String("sizes", "640x480,1920x1080,3840x2160", "the `SIZES` of the frames, separated by commas")
	pagesBefore = flag.String("before", "", "compare these `PAGES`, separated by commas, with those of -after")
	pagesAfter  = flag.String("after", "", "the `PAGES` that are compared")
	pause       = flag.Duration("pause", 0, "sleep before each call of workers, as between the frames of a camera, and measure single calls, of which more rounds are needed")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "workers:", err)
		os.Exit(1)
	}
}

// counts returns the numbers of workers that are compared with one.
func counts() []int {
	var list []int
	for n := 2; n <= runtime.GOMAXPROCS(0) && n <= 16; n *= 2 {
		list = append(list, n)
	}
	return list
}

func run() error {
	if *pagesBefore != "" {
		old, err := readPages(strings.Split(*pagesBefore, ","))
		if err != nil {
			return err
		}
		now, err := readPages(strings.Split(*pagesAfter, ","))
		if err != nil {
			return err
		}
		compare(os.Stdout, old, now)
		return nil
	}
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
	for text := range strings.SplitSeq(*sizes, ",") {
		var size image.Point
		if _, err := fmt.Sscanf(text, "%dx%d", &size.X, &size.Y); err != nil {
			return fmt.Errorf("size %q: %w", text, err)
		}
		fmt.Printf("\n## %dx%d\n\n%s|---|%s\n", size.X, size.Y, row(header), strings.Repeat("--:|", len(header)-1))
		views := newViews(list, size)
		for _, w := range works {
			if slices.ContainsFunc(strings.Split(*only, ","), func(name string) bool { return strings.HasPrefix(w.name, name) }) {
				fmt.Print(row(measureWork(w, views)))
			}
		}
	}
	return nil
}

func about() string {
	calls, each := "Calls follow each other without a pause, so that workers often still wait for the next one. ", "several calls"
	if *pause > 0 {
		calls = fmt.Sprintf("Before each call of workers that share a frame nothing happens for %v, so that all but one have to be woken. ", *pause)
		each = "a call"
	}
	return "How many times as fast several workers are as one, for each package whose options have Workers, and whole frames in parallel, one goroutine with one worker " +
		"for each processor. " + calls + fmt.Sprintf("Medians of %d rounds, in which all take turns, with %s each, and of the ratios of a round, followed by their spread (±): half of the rounds differ by at most that share. The frames are crops of photos, each of "+
		"them twice, the second time a few pixels further.", *rounds, each)
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

// A call that is not as long as longCall is repeated at least as often as leastRepeats.
const (
	longCall     = 20 * time.Millisecond
	leastRepeats = 5
)

// A contender does a work that often, and returns how long that took without the pauses.
type contender func(repeats int) time.Duration

// measureWork returns the row of a kind of work.
func measureWork(w work, views []*image.Gray) []string {
	counts := counts()
	var contenders []contender
	create := w.prepare(views)
	for _, n := range append([]int{1}, counts...) {
		contenders = append(contenders, inTurn(create(n)))
	}
	contenders = append(contenders, inParallel(create))
	repeats := 1
	if *pause == 0 {
		contenders[0](1)
		took := max(contenders[0](1), 1)
		repeats = int(*least/took) + 1
		if took < longCall {
			repeats = max(repeats, leastRepeats)
		}
	}
	times := make([][]float64, len(contenders))
	for round := range *rounds + 1 {
		for i := range contenders {
			i := (i + round) % len(contenders)
			if *pause == 0 {
				// What others have done in the meantime is not to count.
				for took := time.Duration(0); took < 5*time.Millisecond; {
					took += contenders[i](1)
				}
			}
			if took := contenders[i](repeats); round > 0 {
				times[i] = append(times[i], took.Seconds())
			}
		}
	}
	one, spread := measure.MedianSpread(times[0])
	cells := []string{w.name, fmt.Sprintf("%.3f ± %.0f %%", one/float64(repeats)*1e3, 100*spread)}
	for i, list := range times[1:] {
		ratio, spread := measure.MedianSpread(measure.Ratios(times[0], list))
		if i == len(counts) { // frames in parallel
			ratio *= float64(runtime.GOMAXPROCS(0))
		}
		cells = append(cells, fmt.Sprintf("%.2f ± %.0f %%", ratio, 100*spread))
	}
	return cells
}

// inTurn returns a contender that does one view after the other, after pauses.
func inTurn(call func(view int)) contender {
	next := 0
	return func(repeats int) (took time.Duration) {
		for range repeats {
			time.Sleep(*pause)
			start := time.Now()
			call(next % viewCount)
			took += time.Since(start)
			next++
		}
		return took
	}
}

// inParallel returns a contender that does as many views at once as there are processors, each by
// one worker.
func inParallel(create func(workers int) func(view int)) contender {
	calls := make([]func(int), runtime.GOMAXPROCS(0))
	for i := range calls {
		calls[i] = create(1)
	}
	return func(repeats int) time.Duration {
		start := time.Now()
		var wait sync.WaitGroup
		for i, call := range calls {
			wait.Go(func() {
				for k := range repeats {
					call((i + k) % viewCount)
				}
			})
		}
		wait.Wait()
		return time.Since(start)
	}
}
