package batch

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// However many bundles there are, as many images are worked on as there are workers, and as
// fit into the memory. What alone needs all of it is decoded, too.
func TestGate(t *testing.T) {
	const side = 500
	var working, most atomic.Int32
	image.RegisterFormat("slow", "slow", func(io.Reader) (image.Image, error) {
		n := working.Add(1)
		defer working.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		return image.NewGray(image.Rect(0, 0, side, side)), nil
	}, func(io.Reader) (image.Config, error) {
		return image.Config{ColorModel: color.GrayModel, Width: side, Height: side}, nil
	})
	dir := t.TempDir()
	for i := range 24 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("slow"), 0o666))
	}
	const room = side * side * (detectBytes + 2) // that one image may take
	for name, test := range map[string]struct {
		workers int
		memory  int64
		most    int32
	}{
		"one worker":       {1, 100 * room, 1},
		"two workers":      {2, 100 * room, 2},
		"room for one":     {4, 1.5 * room, 1},
		"room for two":     {4, 2.5 * room, 2},
		"less than for it": {4, 0.6 * room, 1},
	} {
		t.Run(name, func(t *testing.T) {
			most.Store(0)
			output := t.TempDir()
			require.NoError(t, run(t, func(s beam.Scope) error {
				return FeaturesJob{Layout: Layout{output, 8, 4}, Input: dir + "/*", Memory: test.memory, Workers: test.workers, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
			}))
			require.Len(t, table[Corners](t, output, FeaturesTable), 24)
			require.LessOrEqual(t, most.Load(), test.most)
			require.Positive(t, most.Load())
		})
	}
}

// However many bundles there are, no more groups are worked on than keep the workers busy, and many
// small ones are.
func TestOpenGroups(t *testing.T) {
	for name, test := range map[string]struct {
		images, groups int // of each group, and how many of them are worked on at a time
	}{"large": {5, 2}, "small": {1, 4}} {
		begun, goOn := make(chan bool), make(chan bool)
		image.RegisterFormat("open "+name, "open "+name, func(io.Reader) (image.Image, error) {
			begun <- true
			<-goOn
			return image.NewGray(image.Rect(0, 0, 9, 9)), nil
		}, func(io.Reader) (image.Config, error) {
			return image.Config{ColorModel: color.GrayModel, Width: 9, Height: 9}, nil
		})
		g := newGrouped(t, t.TempDir()) // with two workers
		dir := t.TempDir()
		done := make(chan error)
		for i := range 8 {
			var names []string
			for k := range test.images {
				path := filepath.Join(dir, fmt.Sprint(i, "-", k))
				require.NoError(t, os.WriteFile(path, []byte("open "+name), 0o666))
				names = append(names, path)
			}
			go func() {
				_, err := g.work(t.Context(), names...)
				done <- err
			}()
		}
		most := 0
		count := func() int {
			drafts, err := filepath.Glob(filepath.Join(g.output, piecesName, "*/*/*", draftPrefix+"*"))
			require.NoError(t, err)
			most = max(most, len(drafts))
			return most
		}
		for left, images := 8, 8*test.images; left > 0; {
			select {
			case <-begun:
				count()
				if images--; images%2 == 0 { // two are decoded at a time
					// Until they go on, more groups begin.
					require.Eventually(t, func() bool { return count() > test.groups/2 }, time.Minute, time.Millisecond)
					goOn <- true
					goOn <- true
				}
			case err := <-done:
				require.NoError(t, err)
				left--
			}
		}
		require.LessOrEqual(t, most, test.groups, name)
		require.Greater(t, most, test.groups/2, name)
	}
}

// A slot has nothing of the file before: not the time that was waited for it, nor its memory if that
// is large.
func TestSlot(t *testing.T) {
	g := gateOf(gateLimits{workers: 1, memory: 79}) // of no other test
	first, err := g.enter(t.Context())
	require.NoError(t, err)
	require.NoError(t, first.take(t.Context(), 10))
	first.file.Grow(keptFile + 1)
	first.waited = time.Hour
	first.leave()
	second, err := g.enter(t.Context())
	require.NoError(t, err)
	defer second.leave()
	require.Same(t, first, second)
	require.Zero(t, second.waited)
	require.Zero(t, second.held)
	require.Zero(t, second.file.Cap())
}

// The bundles of a process share what finds features, and the runtime knows its limit.
func TestRuntime(t *testing.T) {
	if os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("GOMEMLIMIT is set")
	}
	defer debug.SetMemoryLimit(math.MaxInt64)
	output := t.TempDir()
	opts := orb.Options{Features: 77}
	require.NoError(t, run(t, func(s beam.Scope) error {
		return FeaturesJob{Layout: Layout{output, 8, 4}, Input: "../../../testdata/photos/*.png", Memory: memory, Workers: 1, RuntimeMemory: 1 << 35, ORB: &opts}.Build(t.Context(), s)
	}))
	require.Equal(t, int64(1<<35), debug.SetMemoryLimit(-1))
	require.Len(t, orbExtractions.free[opts], 1)
}

// Pairs are matched by as many workers as there are, too: none while they are busy.
func TestMatchGate(t *testing.T) {
	features, output := t.TempDir(), t.TempDir()
	require.NoError(t, run(t, func(s beam.Scope) error {
		return FeaturesJob{Layout: Layout{features, 1, 1}, Input: "../../../testdata/photos/c*.png", Memory: memory, ORB: new(orb.Options)}.Build(t.Context(), s)
	}))
	const workers = 77 // of no other test
	gate := gateOf(gateLimits{workers: workers})
	var slots []*slot
	for range workers {
		s, err := gate.enter(t.Context())
		require.NoError(t, err)
		slots = append(slots, s)
	}
	done := make(chan error)
	go func() {
		p, s := beam.NewPipelineWithRoot()
		err := MatchesJob{Layout: Layout{output, 1, 2}, Features: features, Workers: workers}.Build(context.Background(), s)
		if err == nil {
			err = ptest.Run(p)
		}
		done <- err
	}()
	select {
	case err := <-done:
		require.Fail(t, "pairs were matched", "%v", err)
	case <-time.After(time.Second):
	}
	for _, s := range slots {
		s.leave()
	}
	require.NoError(t, <-done)
	require.Len(t, table[Matches](t, output, MatchesTable), 3)
}
