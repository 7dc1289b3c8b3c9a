package tag

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTurned turns drawings.
func TestTurned(t *testing.T) {
	for k := range dictionaries {
		if dictionaries[k].Bits == 0 {
			continue
		}
		d := Family{Kind: Kind(k)}.design()
		code := d.code(5)
		turned := d.turned(code)
		for y := -d.margin; y < d.cells+d.margin; y++ {
			for x := -d.margin; x < d.cells+d.margin; x++ {
				require.Equal(t, d.white(code, d.cells-1-y, x), d.white(turned, x, y), "%v %d,%d", Kind(k), x, y)
				require.Equal(t, d.white(code, x, y), d.picture(code)[y+d.margin][x+d.margin], "%v %d,%d", Kind(k), x, y)
			}
		}
		require.Equal(t, code, d.turned(d.turned(d.turned(turned))))
	}
}

// TestDistance compares the codes of each dictionary with each other. One of ArUcoOriginal's looks
// the same upside down.
func TestDistance(t *testing.T) {
	for k := range dictionaries {
		if dictionaries[k].Bits == 0 {
			continue
		}
		d := Family{Kind: Kind(k)}.design()
		least := d.bits
		for id := range d.codes {
			words := [4]uint64{d.code(id)}
			for r := range 3 {
				words[r+1] = d.turned(words[r])
				least = min(least, bits.OnesCount64(words[0]^words[r+1]))
			}
			for other := range id {
				code := d.code(other)
				for _, w := range words {
					least = min(least, bits.OnesCount64(code^w))
				}
			}
		}
		require.Equal(t, d.distance(), least, Kind(k))
	}
}

// TestMostCorrected checks the numbers of bits that are corrected by default.
func TestMostCorrected(t *testing.T) {
	for _, c := range []struct {
		family    Family
		corrected int
		weak      bool
	}{
		{Family{}, 2, false},
		{Family{Kind: Tag25h9}, 2, true},
		{Family{Kind: Tag16h5}, 0, true},
		{Family{Kind: Standard41h12}, 2, false},
		{Family{Kind: ArUco4x4}, 0, true},
		{Family{Kind: ArUco4x4, Codes: 50}, 0, true},
		{Family{Kind: ArUco5x5}, 0, true},
		{Family{Kind: ArUco5x5, Codes: 100}, 1, true},
		{Family{Kind: ArUco5x5, Codes: 50}, 2, true},
		{Family{Kind: ArUco6x6}, 2, false},
		{Family{Kind: ArUco7x7}, 2, false},
		{Family{Kind: ArUcoMIP36h12}, 2, false},
		{Family{Kind: Tag36h10}, 2, false},
		{Family{Kind: ArUcoOriginal}, 0, true},
		{Family{Kind: Circle21h7}, 1, true},
	} {
		d := c.family.design()
		require.Equal(t, c.corrected, d.mostCorrected(), "%+v", c.family)
		require.Equal(t, c.weak, d.weak(0), "%+v", c.family)
	}
	d := Family{Inverted: true}.design()
	require.False(t, d.weak(2))
	require.True(t, d.weak(3))
}
