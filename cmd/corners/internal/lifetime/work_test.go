package lifetime

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInOrder(t *testing.T) {
	for _, jobs := range []int{1, 3, 50} {
		var got []int
		InOrder(t.Context(), t.Context(), 40, jobs, func(i int) int { return i * i }, func(v int) { got = append(got, v) })
		require.Len(t, got, 40)
		for i, v := range got {
			require.Equal(t, i*i, v)
		}
	}
	// When the context ends, what has begun is still done, and no more begins.
	ctx, cancel := context.WithCancel(t.Context())
	var got []int
	InOrder(ctx, t.Context(), 40, 4, func(i int) int {
		if i == 3 {
			cancel()
		}
		<-ctx.Done()
		return i
	}, func(v int) { got = append(got, v) })
	require.Equal(t, []int{0, 1, 2, 3}, got)
	// When it has ended before, none does.
	for range 10 {
		InOrder(ctx, t.Context(), 40, 4, func(i int) int { return i }, func(i int) { t.Errorf("%d was begun", i) })
	}
}
