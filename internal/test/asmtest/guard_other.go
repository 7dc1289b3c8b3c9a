//go:build !linux

package asmtest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// GuardedMemory returns n bytes between others whose values are checked when the
// test ends.
func GuardedMemory(t testing.TB, n int) []byte {
	const fence = 128
	memory := slices.Repeat([]byte{0xa5}, fence+n+fence)
	clear(memory[fence : fence+n])
	want := slices.Repeat([]byte{0xa5}, fence)
	t.Cleanup(func() {
		require.Equal(t, want, memory[:fence], "written before a buffer")
		require.Equal(t, want, memory[fence+n:], "written behind a buffer")
	})
	return memory[fence : fence+n : fence+n]
}

// ReservedMemory skips the test: it needs memory that is not there until it is touched.
func ReservedMemory(t testing.TB, _ int64) []byte {
	t.Skip("this system does not reserve memory")
	return nil
}

// GuardedPages skips the test: it needs pages that fault.
func GuardedPages(t testing.TB, _ int) []byte {
	t.Skip("this system's pages do not fault")
	return nil
}
