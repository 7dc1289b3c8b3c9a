package sift

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPyramidMemory checks that planes have memory of their own for as long as they are needed, and
// how much memory there is.
func TestPyramidMemory(t *testing.T) {
	for _, size := range [][2]int{{64, 48}, {75, 50}, {12, 170}, {17, 23}} {
		for layers := 4; layers <= maxLayers+3; layers++ {
			for _, brief := range []bool{false, true} {
				const octaves = 4
				var p pyramid
				p.reset(size[0], size[1], true, octaves, layers, brief)
				require.Len(t, p.planes, octaves*layers)
				owners := make([]int, len(p.mem)) // one more than the plane, or 0
				for i, plane := range p.planes {
					require.Equal(t, 2*size[0]>>(i/layers), plane.width)
					require.Equal(t, 2*size[1]>>(i/layers), plane.height)
					require.Len(t, plane.pix, plane.stride*plane.height+vectorWidth)
					for at := range plane.stride * plane.height {
						owner := &owners[p.begins[i]+at]
						if o := *owner - 1; o >= 0 {
							layer := o % layers
							if !brief || i/layers <= o/layers || layer > 0 && layer <= layers-3 {
								require.Failf(t, "memory is shared", "plane %d takes that of plane %d", i, o)
							}
						}
						*owner = i + 1
					}
					require.Same(t, &p.mem[p.begins[i]], &plane.pix[0])
				}
			}
		}
	}
	var p pyramid
	p.reset(640, 480, true, octavesOf(640, 480, true), 6, true)
	require.Less(t, 4*len(p.mem), 98*640*480)
}
