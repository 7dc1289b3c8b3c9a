package orb_test

import (
	"image"
	"runtime/debug"
	"testing"

	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one: the memory there faults.
func TestGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	photo := photo(t, "camera_512x512")
	page := unix.Getpagesize()
	size := 300 * 300 / page * page
	all, err := unix.Mmap(-1, 0, page+size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(all)) })
	require.NoError(t, unix.Mprotect(all[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(all[page+size:], unix.PROT_NONE))
	mem := all[page : page+size]
	require.Panics(t, func() { all[page-1]++ }, "guard pages do not fault")
	require.Panics(t, func() { all[page+size]++ }, "guard pages do not fault")

	for _, opts := range []orb.Options{{}, {EdgeThreshold: 22}, {PatchSize: 10, EdgeThreshold: 8}, {FirstLevel: 2}, {ScaleFactor: 2}} {
		e := extractor(t, opts)
		for w := 64; w < 290; w += 13 {
			h := min(size/w, 250)
			for _, pix := range [][]byte{mem[: w*h : w*h], mem[size-w*h:]} {
				img := &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
				for y := range h {
					copy(img.Pix[y*w:][:w], photo.Pix[(100+y)*photo.Stride+120:])
				}
				kps, _ := e.Extract(img, nil)
				e.Describe(kps, img)
			}
		}
	}
}
