package assembly

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/stretchr/testify/require"
)

const example = `
#include "textflag.h"

// func kernel(n int)
TEXT ·kernel(SB), NOSPLIT, $0-8
	VPBROADCASTB AX, Y0
	PCALIGN $0x40

block:
	VMOVDQU  (DX), Y1
	VPADDUSB Y0, Y1, Y2

	// Check 1: ring pixels 1 and 9.
	VPMAXUB    Y4, Y3, Y5
	VPINSRQ    $0x01, (AX), X1, X1
	VPTEST     Y4, Y4
	JEQ        next

	// Check 2: ring pixels 5 and 13.
	KORTESTQ   K1, K2
	PREFETCHT0 (AX)
	VINSERTI128 $0x01, X2, Y1, Y1
	JEQ        next

	// Something is left: the exact test.
	POPCNTL AX, AX
	PMINUB  X1, X2

next:
	DECQ DI
	JNE  block
	RET

// func screen()
TEXT ·screen(SB), NOSPLIT, $0-8
block:
	PMINUB X1, X2
	MOVQ   DX, (CX)
	PMINUB X1, X2
	PXOR   X1, X2
	MOVQ   DX, 8(CX)
	SUBQ   $0x02, AX
	JGE    block

few:
	PXOR X1, X1
	RET

// func empty()
TEXT ·empty(SB), NOSPLIT, $0-8
	RET
`

func TestExample(t *testing.T) {
	functions, err := Parse(strings.NewReader(example))
	require.NoError(t, err)
	require.Len(t, functions, 3)

	b, err := functions["kernel"].Block()
	require.NoError(t, err)
	require.Equal(t, Block{Setup: 1, Checks: [8]int{3, 1}, Exact: 1}, b)
	n, err := functions["screen"].Screen()
	require.NoError(t, err)
	require.Equal(t, 1.5, n)
	exact, err := functions["kernel"].Exact()
	require.NoError(t, err)
	require.Equal(t, 4, exact)

	_, err = functions["screen"].Block()
	require.ErrorContains(t, err, "function screen lacks an exact test")
	_, err = functions["kernel"].Screen()
	require.ErrorContains(t, err, "function kernel lacks a loop")
	_, err = functions["empty"].Exact()
	require.ErrorContains(t, err, "function empty lacks the label block")
}

// TestLibrary checks that the functions of package fast have the form that is
// expected of them.
func TestLibrary(t *testing.T) {
	root, err := tree.Root()
	require.NoError(t, err)
	file, err := os.Open(filepath.Join(root, "simd_amd64.s"))
	require.NoError(t, err)
	defer file.Close()
	functions, err := Parse(file)
	require.NoError(t, err)
	for _, name := range []string{
		"blocks16x1SSE2",
		"blocks32x1AVX2", "blocks16x2AVX2", "blocks8x4AVX2",
		"blocks64x1AVX512", "blocks32x2AVX512", "blocks16x4AVX512", "blocks8x8AVX512",
	} {
		require.Contains(t, functions, name)
		b, err := functions[name].Block()
		require.NoError(t, err)
		require.GreaterOrEqual(t, b.Setup, 2, name)
		for _, n := range b.Checks {
			require.GreaterOrEqual(t, n, 4, name) // two minima or maxima and two comparisons
		}
		require.GreaterOrEqual(t, b.Exact, 40, name)
		t.Logf("%s: %+v", name, b)
	}
	for _, set := range []string{"SSE2", "AVX2", "AVX512"} {
		require.Contains(t, functions, "screen"+set)
		n, err := functions["screen"+set].Screen()
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, 9.0)
		require.Contains(t, functions, "exact10"+set)
		exact, err := functions["exact10"+set].Exact()
		require.NoError(t, err)
		require.GreaterOrEqual(t, exact, 40)
		t.Logf("%s: %.1f operations in the first stage, %d in the second", set, n, exact)
	}
}
