package fast

import (
	"fmt"
	"image"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// DetectInParts is d.Detect by so many workers in about so many parts, however
// small the image is. It is for the tests of the other package.
func (d *Detector) DetectInParts(img *image.Gray, workers, parts int) []Corner {
	p := planeOf(img)
	if p.w < 2*radius+1 || p.h < 2*radius+1 {
		return nil
	}
	corners := appendParts(nil, p, &d.opts, workers, max((p.h-2*radius)/parts, 1))
	translate(corners, img.Rect.Min)
	return corners
}

// TestParts compares the corners that several workers find in parts of small
// images, with many seams, with those of one.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ w, h int }{{7, 7}, {9, 31}, {70, 8}, {71, 40}, {129, 53}, {200, 97}} {
		p := plane{make([]byte, size.w*size.h), size.w, size.w, size.h}
		for i := range p.pix {
			p.pix[i] = byte(rng.IntN(4) * 60) // scores tie often
		}
		for _, k := range Kernels() {
			for _, nonmax := range []bool{false, true} {
				opts := &Options{Threshold: 20, ArcLength: 10, Score: true, NonmaxSuppression: nonmax, Kernel: k}
				before := []Corner{{1, 2, 3}}
				want := appendCorners(before, p, opts)
				for workers := 1; workers <= 9; workers++ {
					for _, rows := range []int{1, 3, 20} {
						got := appendParts(before, p, opts, workers, rows)
						require.Equal(t, want, got, "%v, %v, nonmax %v, %d workers, %d rows", size, k, nonmax, workers, rows)
					}
				}
			}
		}
	}
}

// TestPartsLeaveNothing looks for goroutines that are left, also after a panic.
func TestPartsLeaveNothing(t *testing.T) {
	p := plane{make([]byte, 400*400), 400, 400, 400}
	opts := &Options{Threshold: 20, ArcLength: 10, Kernel: Scalar}
	before := runtime.NumGoroutine()
	for range 20 {
		appendParts(nil, p, opts, 8, 8)
		for _, rows := range []int{200, 399} {
			short := p
			short.pix = p.pix[:rows*400] // what planeOf would not let pass
			require.Panics(t, func() { appendParts(nil, short, opts, 8, 8) })
		}
	}
	for i := 0; runtime.NumGoroutine() > before; i++ {
		require.Less(t, i, 100, "goroutines are left")
		time.Sleep(10 * time.Millisecond)
	}
}

// TestPartsAllocate holds the promise of Append for several workers.
func TestPartsAllocate(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector makes sync.Pool drop things")
	}
	if testing.Short() {
		t.Skip("takes many rounds")
	}
	p := plane{make([]byte, 400*400), 400, 400, 400}
	for i := range p.pix {
		p.pix[i] = byte(i * i >> 3)
	}
	opts := &Options{Threshold: 20, ArcLength: 10, NonmaxSuppression: true, Kernel: bestKernel()}
	for _, workers := range []int{2, 8} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			// A collection would empty the pools, and the first rounds fill them.
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			var dst []Corner
			var before, after runtime.MemStats
			const rounds = 1000
			for i := range 100 + rounds {
				if i == 100 {
					runtime.ReadMemStats(&before)
				}
				dst = appendParts(dst[:0], p, opts, workers, 24)
			}
			runtime.ReadMemStats(&after)
			require.NotEmpty(t, dst)
			require.Less(t, (after.TotalAlloc-before.TotalAlloc)/rounds, uint64(1024*workers))
		})
	}
}

// TestScratch checks what a scratch must be like between two images.
func TestScratch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		k := Kernels()[rng.IntN(len(Kernels()))]
		s := scratchPool.Get().(*scratch)
		require.Equal(t, run{}, s.run, "what belongs to the caller is left")
		if !s.dirty {
			require.Equal(t, make([]byte, len(s.scores)), s.scores, "scores are left")
		}
		if l := s.gridLayout; l.blocks > 0 {
			for i, origin := range s.gridOrigins {
				require.Equal(t, uint32(carriedRows+i/l.blocks)<<16|uint32(i%l.blocks*l.pixels), origin)
			}
		}
		scratchPool.Put(s)

		p := plane{w: 7 + rng.IntN(200), h: 7 + rng.IntN(120)}
		p.stride = p.w
		p.pix = make([]byte, p.w*p.h)
		for i := range p.pix {
			p.pix[i] = byte(rng.IntN(3) * 100)
		}
		appendCorners(nil, p, &Options{
			Threshold:         uint8(rng.IntN(3) * 50),
			ArcLength:         10,
			Score:             true,
			NonmaxSuppression: rng.IntN(3) > 0,
			Kernel:            k,
		})
	}
}
