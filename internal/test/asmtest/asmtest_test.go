package asmtest

import (
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// TestRequireInBounds checks that images are given to the functions of every instruction set,
// not only those of the best one.
func TestRequireInBounds(t *testing.T) {
	table := cpu.NewTable(
		"asmtest", cpu.Portable,
		cpu.Row[string]{Name: "avx512", Needs: cpu.AVX512, Kernels: "avx512"},
		cpu.Row[string]{Name: "avx2", Needs: cpu.AVX2, Kernels: "avx2"},
		cpu.Row[string]{Name: "neon", Needs: cpu.NEON, Kernels: "neon"},
	)
	var want []string
	for row := range table.Available() {
		want = append(want, row.Name)
	}
	var got []string
	RequireInBounds(t, []int{1, 5}, []int{3}, func() func(img *image.Gray) {
		name := *table.Best()
		got = append(got, name)
		return func(img *image.Gray) { require.Equal(t, name, *table.Best()) }
	}, "asmtest")
	require.ElementsMatch(t, want, got)
}

// TestZeroUpper checks the text of all assembly for amd64: a function that uses vectors of
// more than 16 bytes executes VZEROUPPER before it returns, so that the SSE instructions
// of others do not become slow.
func TestZeroUpper(t *testing.T) {
	files, wide := 0, 0
	require.NoError(t, filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_amd64.s") {
			return err
		}
		asm, err := os.ReadFile(path)
		require.NoError(t, err)
		files++
		for _, text := range strings.Split(string(asm), "\nTEXT ")[1:] {
			if wideRegister.MatchString(text) {
				wide++
			}
			require.Empty(t, dirtyReturns(text), "%s: %s", path, strings.Fields(text)[0])
		}
		return nil
	}))
	require.Greater(t, files, 5)
	require.Greater(t, wide, 50)
}

// TestDirtyReturns checks what TestZeroUpper finds.
func TestDirtyReturns(t *testing.T) {
	for body, want := range map[string][]int{
		"VPADDB Y1, Y2, Y3\nVZEROUPPER\nRET":                                         nil,
		"VPADDB Y1, Y2, Y3\nRET":                                                     {2},
		"VMOVDQU (AX), X1\nRET":                                                      nil,
		"JEQ end\nVPXORQ Z1, Z2, Z17\nVZEROUPPER\nend:\nRET":                         nil,
		"VPXORQ Z1, Z2, Z17\nJEQ end\nVZEROUPPER\nend:\nRET":                         {5},
		"VPXORQ Z1, Z2, Z17\nJMP end\nRET\nend: // of all\nVZEROUPPER\n\n// Y0\nRET": nil,
		"JMP second\nfirst:\nVZEROUPPER\nRET\nsecond:\nVMOVDQU (AX), Y1\nJMP first":  nil,
		"again:\nDECQ CX\nJEQ end\nVMOVDQU (AX), Y1\nJMP again\nend:\nRET":           {7},
	} {
		require.Equal(t, want, dirtyReturns("·f(SB), NOSPLIT, $0-8\n"+body), body)
	}
}

// wideRegister matches the vector registers of more than 16 bytes.
var wideRegister = regexp.MustCompile(`\b[YZ]\d+\b`)

// dirtyReturns returns the lines of a function, which follow its name, that return with
// something in the upper halves of wide vectors.
func dirtyReturns(text string) (returns []int) {
	lines := strings.Split(text, "\n")
	labels := map[string]int{}
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "//")
		lines[i] = strings.TrimSpace(line)
		if label, ok := strings.CutSuffix(lines[i], ":"); ok {
			labels[label] = i
		}
	}
	// followed tells which lines have been followed with clean halves, and with dirty ones.
	followed := map[bool][]bool{false: make([]bool, len(lines)), true: make([]bool, len(lines))}
	var follow func(at int, dirty bool)
	follow = func(at int, dirty bool) {
		for ; at < len(lines) && !followed[dirty][at]; at++ {
			followed[dirty][at] = true
			fields := append(strings.Fields(lines[at]), "", "")
			switch op, target := fields[0], fields[1]; {
			case op == "RET":
				if dirty {
					returns = append(returns, at)
				}
				return
			case op == "VZEROUPPER":
				dirty = false
			case strings.HasPrefix(op, "J"):
				follow(labels[target], dirty)
				if op == "JMP" {
					return
				}
			default:
				dirty = dirty || wideRegister.MatchString(lines[at])
			}
		}
	}
	follow(1, false)
	return returns
}
