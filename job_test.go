package fast

import (
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// DetectInParts is d.Detect by a number of workers in about the given number of parts,
// however small the image is. It is for the tests of the other package.
func (d *Detector) DetectInParts(img *image.Gray, workers, parts int) []Corner {
	p := raster.NewPlane("fast", img)
	if p.W < 2*radius+1 || p.H < 2*radius+1 || d.opts.Threshold == 255 {
		return nil
	}
	corners := detectInParts(nil, p, &d.opts, workers, max((p.H-2*radius)/parts, 1))
	translate(corners, img.Rect.Min)
	return corners
}

// blackPlane returns an image whose pixels are 0.
func blackPlane(w, h int) raster.Plane {
	return raster.Plane{Pix: make([]byte, w*h), Stride: w, W: w, H: h}
}

// TestParts compares the corners that several workers find in parts of small
// images, with many seams, with those of one.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	step := 1
	if testing.Short() {
		step = 4
	}
	for _, size := range []struct{ w, h int }{{7, 7}, {9, 31}, {70, 8}, {71, 40}, {129, 53}, {200, 97}} {
		p := blackPlane(size.w, size.h)
		for i := range p.Pix {
			p.Pix[i] = byte(rng.IntN(4) * 60) // scores tie often
		}
		for _, k := range Kernels() {
			for _, nonmax := range []bool{false, true} {
				opts := &Options{Threshold: 20, ArcLength: 10, Score: true, NonmaxSuppression: nonmax, Kernel: k}
				before := []Corner{{1, 2, 3}}
				want := search(before, p, opts)
				for workers := 1; workers <= 9; workers += step {
					for _, rows := range []int{1, 3, 20} {
						got := detectInParts(before, p, opts, workers, rows)
						imagetest.RequireSame(t, want, got, "%v, %v, nonmax %v, %d workers, %d rows", size, k, nonmax, workers, rows)
					}
				}
			}
		}
	}
}

// TestDivide checks how an image is divided: parts cover the rows, none is smaller than the least
// but the last one, and each is the share of what is left that keeps all workers busy.
func TestDivide(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	for range 300 {
		workers, rows, h := 1+rng.IntN(9), 1+rng.IntN(40), 2*radius+rng.IntN(3000)
		j := &job{Plane: raster.Plane{H: h}}
		j.divide(workers, rows)
		require.Len(t, j.found, workers)
		begin := radius
		for p := j.take(); p != nil; p = j.take() {
			left := h - radius - begin
			require.Equal(t, begin, p.begin)
			n := p.end - p.begin
			require.Equal(t, min(left, max(rows, left/(2*workers))), n)
			if n > rows {
				require.LessOrEqual(t, n, left/2)
			}
			begin = p.end
		}
		require.Equal(t, h-radius, begin)
		require.Nil(t, j.take())
	}
}

// TestPartsLeaveNothing looks for goroutines that are left, also after a panic.
func TestPartsLeaveNothing(t *testing.T) {
	p := blackPlane(400, 400)
	opts := &Options{Threshold: 20, ArcLength: 10, Kernel: Scalar}
	before := runtime.NumGoroutine()
	if runtime.GOOS == "js" {
		before++ // the goroutine that handles events of JavaScript comes and goes
	}
	for range 20 {
		detectInParts(nil, p, opts, 8, 8)
		for _, rows := range []int{200, 399} {
			short := p
			short.Pix = p.Pix[:rows*400] // what NewPlane would not let pass
			require.Panics(t, func() { detectInParts(nil, short, opts, 8, 8) })
		}
	}
	for start := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.Less(t, time.Since(start), tooLong, "goroutines are left")
	}
}

// changeStages changes the row of a sieve until the test ends.
func changeStages(t *testing.T, k Kernel, change func(st *stages)) {
	st := &kernels[k].sieves[0].Kernels
	before := *st
	t.Cleanup(func() { *st = before })
	change(st)
}

// tooLong is how long a test waits for what should happen at once.
const tooLong = time.Minute

// TestWorkersShare checks that as many goroutines work on an image at the same time as
// the options say.
func TestWorkersShare(t *testing.T) {
	const workers = 3
	var inside atomic.Int32
	all := make(chan struct{}) // closed when all are inside
	changeStages(t, Scalar, func(st *stages) {
		screen := st.screen
		st.screen = func(r *sieveRun) {
			// Nobody leaves before all have come.
			if inside.Add(1) == workers {
				close(all)
			}
			select {
			case <-all:
			case <-time.After(tooLong):
				panic("workers are missing")
			}
			screen(r)
		}
	})
	d, err := New(Options{Kernel: Scalar, Workers: workers})
	require.NoError(t, err)
	require.NotPanics(t, func() { d.Detect(image.NewGray(image.Rect(0, 0, 1000, 600))) })
}

// TestCallersPanic checks that a panic of the caller waits for the workers, which
// use the image.
func TestCallersPanic(t *testing.T) {
	p := blackPlane(400, 400)
	entered, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	changeStages(t, Scalar, func(st *stages) {
		st.screen = func(r *sieveRun) {
			if &r.pix[0] == &p.Pix[0] {
				select {
				case <-entered:
				case <-time.After(tooLong):
				}
				panic("of the caller")
			}
			once.Do(func() { close(entered) })
			<-release
		}
	})
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		detectInParts(nil, p, &Options{ArcLength: 10, Kernel: Scalar}, 2, 100)
	}()
	var panicked any
	select {
	case panicked = <-done:
		t.Error("the panic went on while a worker was working")
		close(release)
	case <-time.After(100 * time.Millisecond):
		close(release)
		panicked = <-done
	}
	require.Equal(t, "of the caller", panicked)
}

// TestWorkersPanic checks that a worker's panic comes to the caller with the
// worker's stack.
func TestWorkersPanic(t *testing.T) {
	p := blackPlane(400, 400)
	failed := make(chan struct{})
	var once sync.Once
	changeStages(t, Scalar, func(st *stages) {
		st.screen = func(r *sieveRun) {
			if &r.pix[0] != &p.Pix[0] {
				once.Do(func() {
					defer close(failed)
					failingStage()
				})
				return
			}
			// The caller, in the first part, leaves the others to the worker.
			select {
			case <-failed:
			case <-time.After(tooLong):
			}
		}
	})
	defer func() {
		err, ok := recover().(error)
		require.True(t, ok, "the panic is no error")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.ErrorContains(t, err, "fast: ")
		require.ErrorContains(t, err, "failingStage")
	}()
	detectInParts(nil, p, &Options{ArcLength: 10, Kernel: Scalar}, 2, 100)
	t.Error("no panic")
}

func failingStage() { panic(io.ErrUnexpectedEOF) }

// TestPartsConcurrent lets detections with several workers each run at the same
// time. They share the memory for the corners that workers find.
func TestPartsConcurrent(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	opts := &Options{Threshold: 20, ArcLength: 9, Score: true, Kernel: sieves.Best().kernel}
	rounds := 400
	if testing.Short() {
		rounds = 20
	}
	var wait sync.WaitGroup
	for range 8 {
		p := blackPlane(300, 200)
		for i := range p.Pix {
			p.Pix[i] = byte(rng.IntN(4) * 60)
		}
		want := search(nil, p, opts)
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range rounds {
				if got := detectInParts(nil, p, opts, 3, 5); !slices.Equal(want, got) {
					t.Error("other corners than one worker finds")
					return
				}
			}
		}()
	}
	wait.Wait()
}

// TestPartsAllocate holds the promise of Append for several workers, sooner or later: which of
// them finds how many corners, and needs memory for them, depends on what else runs.
func TestPartsAllocate(t *testing.T) {
	imagetest.SkipRace(t)
	p := blackPlane(400, 400)
	for i := range p.Pix {
		p.Pix[i] = byte(i * i >> 3)
	}
	opts := &Options{Threshold: 20, ArcLength: 10, NonmaxSuppression: true, Kernel: sieves.Best().kernel}
	for _, workers := range []int{2, 8} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			// A collection would empty the pools.
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			var dst []Corner
			rounds := 100
			if testing.Short() {
				rounds = 20
			}
			for try := 1; ; try++ {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range rounds {
					dst = detectInParts(dst[:0], p, opts, workers, 24)
				}
				runtime.ReadMemStats(&after)
				require.NotEmpty(t, dst)
				bytes := (after.TotalAlloc - before.TotalAlloc) / uint64(rounds)
				if bytes < uint64(1024*workers) {
					break
				}
				require.Less(t, try, 20, "%d bytes are allocated", bytes)
			}
		})
	}
}
