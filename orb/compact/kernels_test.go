package compact

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// TestReadPatch compares the kernels with the portable one, for patches whose last row ends 16 pixels
// after its first one, before a page that faults.
func TestReadPatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		stride := patchStride + rng.IntN(40)
		pix := asmtest.GuardedMemory(t, (patchSide-1)*stride+patchStride)
		values := []uint8{0, 255, uint8(rng.Uint32())}[:1+rng.IntN(3)]
		for i := range pix {
			pix[i] = values[rng.IntN(len(values))]
		}
		var want patch
		run := patchRun{pix: pix, stride: stride, weights: &patchWeights, patch: &want}
		readPatchPortable(&run)
		for row := range table.Available() {
			var got patch
			same := run
			same.patch, same.m10, same.m01 = &got, 7, 7
			row.Kernels.readPatch(&same)
			require.Equal(t, []int64{run.m10, run.m01}, []int64{same.m10, same.m01}, row.Name)
			for y := range patchSide {
				require.Equal(t, want[y*patchStride:][:patchSide], got[y*patchStride:][:patchSide], row.Name)
			}
			require.Equal(t, want[patchSide*patchStride:], got[patchSide*patchStride:], "%s writes beyond the patch", row.Name)
			same.patch, same.m10, same.m01 = run.patch, run.m10, run.m01
			require.Equal(t, run, same, "%s changes other fields", row.Name)
		}
	}
}

// TestComparePatch compares the kernels with the portable one, for places all over a patch.
func TestComparePatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var p patch
		var at places
		few := 1 + rng.IntN(256)
		for i := range p {
			p[i] = uint8(rng.IntN(few))
		}
		for i := range at {
			for k := range at[i] {
				at[i][k] = uint8(rng.IntN(patchSide)*patchStride + rng.IntN(patchSide))
			}
		}
		want := comparisonRun{patch: &p, places: &at}
		comparePatchPortable(&want)
		for row := range table.Available() {
			got := comparisonRun{patch: &p, places: &at, bits: 7}
			row.Kernels.comparePatch(&got)
			require.Equal(t, want, got, row.Name)
		}
	}
}
