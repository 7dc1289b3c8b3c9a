package files

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/stretchr/testify/require"
)

// A testList is as large as it says.
type testList struct {
	bytes   int64
	dropped bool
}

func (l *testList) Bytes() int64 { return l.bytes }
func (l *testList) Drop()        { l.dropped = true }

// Images are processed and reported, however much of the memory they and their lists have.
func TestPool(t *testing.T) {
	const size = 100
	images := 2000
	if testing.Short() {
		images = 500
	}
	p := NewPool(t.Context(), size)
	process := func(i int, res *testList) *testList {
		bytes := 1 + rand.Int64N(size)
		if p.Acquire(i, bytes) != nil {
			return nil
		}
		if rand.IntN(8) == 0 {
			time.Sleep(100 * time.Microsecond)
		}
		if res.bytes = rand.Int64N(bytes + 1); res.bytes > 0 {
			p.Keep(i, res)
		}
		p.Release(bytes)
		return res
	}
	dropped, next := 0, 0
	lifetime.InOrder(t.Context(), t.Context(), images, 8, func(i int) *testList { return process(i, new(testList)) }, func(res *testList) {
		if res.dropped {
			dropped++
			process(next, res)
		}
		p.Reported(next, 0)
		next++
	})
	require.Equal(t, images, next)
	require.Positive(t, dropped)
	require.EqualValues(t, size, p.free)
	require.Zero(t, p.users)
	require.Empty(t, p.waiting)
}

// An image that there is never enough memory for is refused when it is its turn.
func TestPoolTooSmall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := NewPool(ctx, 10<<20)
	p.Hold(4 << 20)
	refused := make(chan error)
	go func() { refused <- p.Acquire(1, 7<<20) }()
	require.NoError(t, p.Acquire(0, 6<<20))
	require.False(t, p.More(1))
	p.Release(6 << 20)
	p.Reported(0, 0)
	require.EqualError(t, <-refused, "it needs 7 MiB of memory, and other images leave 6 MiB (-memory)")

	// Waiting ends when the context does.
	go func() { refused <- p.Acquire(2, 7<<20) }()
	cancel()
	require.ErrorIs(t, <-refused, context.Canceled)
}

// The list that is dropped is that which is reported last.
func TestPoolDrops(t *testing.T) {
	p := NewPool(t.Context(), 100)
	lists := make([]*testList, 9)
	for i := range lists {
		lists[i] = &testList{bytes: 10}
		p.Keep(i, lists[i])
	}
	for i := len(lists) - 1; i >= 0; i-- {
		require.True(t, p.drop())
		for k, list := range lists {
			require.Equal(t, k >= i, list.dropped)
		}
	}
	require.False(t, p.drop())
	require.EqualValues(t, 100, p.free)
}
