package main

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/stretchr/testify/require"
)

// Images are processed and reported, however much of the memory they and their lists have.
func TestPool(t *testing.T) {
	const size = 100
	images := 2000
	if testing.Short() {
		images = 500
	}
	p := newPool(t.Context(), size)
	process := func(i int, res *result) *result {
		bytes := 1 + rand.Int64N(size)
		if p.acquire(i, bytes) != nil {
			return nil
		}
		if rand.IntN(8) == 0 {
			time.Sleep(100 * time.Microsecond)
		}
		if res.bytes = rand.Int64N(bytes + 1); res.bytes > 0 {
			p.keep(i, res)
		}
		p.release(bytes)
		return res
	}
	dropped, next := 0, 0
	lifetime.InOrder(t.Context(), t.Context(), images, 8, func(i int) *result { return process(i, new(result)) }, func(res *result) {
		if res.dropped {
			dropped++
			process(next, res)
		}
		p.reported(next, 0)
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
	p := newPool(ctx, 10<<20)
	p.hold(4 << 20)
	refused := make(chan error)
	go func() { refused <- p.acquire(1, 7<<20) }()
	require.NoError(t, p.acquire(0, 6<<20))
	require.False(t, p.more(1))
	p.release(6 << 20)
	p.reported(0, 0)
	require.EqualError(t, <-refused, "it needs 7 MiB of memory, and other images leave 6 MiB (-memory)")

	// Waiting ends when the context does.
	go func() { refused <- p.acquire(2, 7<<20) }()
	cancel()
	require.ErrorIs(t, <-refused, context.Canceled)
}

// The list that is dropped is that which is reported last.
func TestPoolDrops(t *testing.T) {
	p := newPool(t.Context(), 100)
	lists := make([]*result, 9)
	for i := range lists {
		lists[i] = &result{finding: finding{bytes: 10}}
		p.keep(i, lists[i])
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
