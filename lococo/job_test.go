package lococo

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEqualResponses checks the order of corners with equal responses: by their kernels, then
// by rows and then by columns, whatever order they are found in.
func TestEqualResponses(t *testing.T) {
	d, err := New(Options{KernelSizes: []int{3, 5}})
	require.NoError(t, err)
	want := []Corner{
		{X: 5, Y: 5, Response: 2, KernelSize: 5},
		{X: 3, Y: 1, Response: 1, KernelSize: 3},
		{X: 9, Y: 1, Response: 1, KernelSize: 3},
		{X: 1, Y: 2, Response: 1, KernelSize: 3},
		{X: 2, Y: 1, Response: 1, KernelSize: 5},
		{X: 3, Y: 1, Response: 1, KernelSize: 5},
		{X: 1, Y: 9, Response: 0.5, KernelSize: 3},
	}
	j := newJob(d)
	for i := range want {
		found := append(slices.Clone(want[i:]), want[:i]...)
		require.Equal(t, want, j.appendBest(nil, found))
		slices.Reverse(found)
		require.Equal(t, want, j.appendBest(nil, found))
	}
}
