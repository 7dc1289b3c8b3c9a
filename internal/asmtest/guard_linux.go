package asmtest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// GuardedMemory returns n bytes that are followed by a page that faults. Before
// them lie less than a page, whose values are checked when the test ends, and
// another page that faults.
func GuardedMemory(t testing.TB, n int) []byte {
	t.Helper()
	page := unix.Getpagesize()
	room := (n + page - 1) / page * page
	mem, err := unix.Mmap(-1, 0, page+room+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(mem)) })
	for _, guard := range [][]byte{mem[:page], mem[page+room:]} {
		require.NoError(t, unix.Mprotect(guard, unix.PROT_NONE))
	}
	before := mem[page : page+room-n]
	for i := range before {
		before[i] = 0xa5
	}
	t.Cleanup(func() {
		require.Equal(t, slices.Repeat([]byte{0xa5}, len(before)), before, "written before a buffer")
	})
	return slices.Clip(mem[page+room-n : page+room])
}
