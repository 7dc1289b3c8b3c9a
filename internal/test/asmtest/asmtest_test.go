package asmtest

import (
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	if testing.Short() && len(want) > 1 { // without the portable one
		want = slices.DeleteFunc(want, func(name string) bool { return name == cpu.Portable })
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

// TestInstructions checks that the Requires lines of all assembly for amd64, which the generator
// writes, have what the manual says of instructions that few processors have.
func TestInstructions(t *testing.T) {
	features := map[string]*regexp.Regexp{
		"BMI":             regexp.MustCompile(`^(ANDN|BEXTR|BLSI|BLSMSK|BLSR|TZCNT)[LQ]$`),
		"BMI2":            regexp.MustCompile(`^((SARX|SHLX|SHRX|BZHI|PDEP|PEXT|MULX|RORX)[LQ])$`),
		"POPCNT":          regexp.MustCompile(`^POPCNT[WLQ]$`),
		"FMA3":            regexp.MustCompile(`^VFN?M(ADD|SUB)\d+P[SD]$`),
		"AVX512BW":        regexp.MustCompile(`^(VMOVDQU(8|16)|VPMOV[BW]2M|VPMOVM2[BW]|VPMOVWB|VPCMPU?[BW]|VPTESTN?M[BW]|K\w+[DQ])$`),
		"AVX512DQ":        regexp.MustCompile(`^(V(INSERT|EXTRACT|BROADCAST)[FI](32X2|64X2|32X8)|VCVTU?QQ2PS|VCVTPS2U?QQ|VPMOV[DQ]2M|VPMOVM2[DQ]|VPMULLQ|K(ADD|AND|ANDN|MOV|OR|ORTEST|SHIFT[LR]|TEST|XN?OR)B)$`),
		"AVX512VBMI":      regexp.MustCompile(`^(VPERMB|VPERM[IT]2B|VPMULTISHIFTQB)$`),
		"AVX512VBMI2":     regexp.MustCompile(`^(VPCOMPRESS[BW]|VPEXPAND[BW]|VPSH[LR]DV?[WDQ])$`),
		"AVX512VNNI":      regexp.MustCompile(`^VPDP(BU|WS)SDS?$`),
		"AVX512VPOPCNTDQ": regexp.MustCompile(`^VPOPCNT[DQ]$`),
	}
	seen := map[string]int{}
	require.NoError(t, filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "simd_amd64.s" {
			return err
		}
		asm, err := os.ReadFile(path)
		require.NoError(t, err)
		var requires []string
		for line := range strings.Lines(string(asm)) {
			if strings.HasPrefix(line, "// func ") {
				requires = nil
			}
			if list, ok := strings.CutPrefix(line, "// Requires: "); ok {
				requires = strings.Split(strings.TrimSpace(list), ", ")
			}
			op, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, ".", " ")), " ")
			for feature, instructions := range features {
				if instructions.MatchString(op) && !(feature == "FMA3" && strings.Contains(line, "Z")) { // those are of AVX512F
					require.Contains(t, requires, feature, "%s: %s", path, line)
					seen[feature]++
				}
			}
		}
		return nil
	}))
	require.Len(t, seen, len(features))
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
