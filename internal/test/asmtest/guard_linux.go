package asmtest

import (
	"math"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

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

// ReservedMemory returns n zeros, of which only the pages that are touched take memory. It
// skips the test if the system cannot reserve as many. Until the test ends a fault is a
// panic.
func ReservedMemory(t testing.TB, n int64) []byte {
	t.Helper()
	if n > math.MaxInt {
		t.Skipf("%d bytes do not fit into the address space", n)
	}
	mem, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		t.Skipf("cannot reserve %d bytes: %v", n, err)
	}
	old := debug.SetPanicOnFault(true)
	t.Cleanup(func() {
		debug.SetPanicOnFault(old)
		require.NoError(t, unix.Munmap(mem))
	})
	return mem
}

// GuardedPages returns at least n bytes between two pages that fault. Until the test ends
// such a fault is a panic. On other systems it skips the test.
func GuardedPages(t testing.TB, n int) []byte {
	t.Helper()
	old := debug.SetPanicOnFault(true)
	t.Cleanup(func() { debug.SetPanicOnFault(old) })
	page := unix.Getpagesize()
	mem := GuardedMemory(t, (n+page-1)/page*page)
	for _, i := range []int{-1, len(mem)} {
		guard := (*byte)(unsafe.Add(unsafe.Pointer(&mem[0]), i))
		require.Panics(t, func() { *guard++ }, "guard pages do not fault")
	}
	return mem
}
