package cpu

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable checks which row of a table is the best one, and which ones can be run.
func TestTable(t *testing.T) {
	defer func(before []registration) { registered = before }(registered)
	table := NewTable("test", 1, Row[int]{"avx2", AVX2, 3}, Row[int]{"sse2", SSE2, 2})
	defer func(before Set) { available = before }(available)
	for available, want := range map[Set][]int{
		AVX2: {3, 2, 1}, SSE2: {2, 1}, 0: {1}, AVX2 &^ popcnt: {2, 1}, VBMI2 | NEON: {3, 2, 1},
	} {
		setAvailable(available)
		require.Equal(t, want[0], *table.Best())
		var got []int
		for row := range table.Available() {
			got = append(got, row.Kernels)
			restore := Limit(row.Needs)
			require.Same(t, &row.Kernels, table.Best())
			restore()
		}
		require.Equal(t, want, got)
	}
	setAvailable(AVX2)
	require.Panics(t, func() { Table[int]{{"neon", NEON, 1}}.Best() })
	require.Zero(t, testing.AllocsPerRun(10, func() { table.Best() }))
}

func setAvailable(s Set) { available = s }

// TestInstructionSets checks that rows of one name are one instruction set, and what
// packages are asked for.
func TestInstructionSets(t *testing.T) {
	defer func(before []registration) { registered = before }(registered)
	registered = nil
	NewTable("a", 1, Row[int]{"avx2", AVX2FMA, 3}, Row[int]{"sse2", SSE2, 2})
	NewTable("b", 1, Row[int]{"avx512", AVX512VNNI, 4}, Row[int]{"avx2", AVX2, 3}, Row[int]{"popcnt", POPCNT, 2})
	defer func(before Set) { available = before }(available)
	names := func(packages ...string) []string {
		var list []string
		for _, s := range InstructionSets(packages...) {
			list = append(list, s.Name)
		}
		return list
	}
	setAvailable(AVX512VNNI | fma)
	require.Equal(t, []string{"portable", "popcnt", "sse2", "avx2", "avx512"}, names())
	require.Equal(t, []string{"portable", "sse2", "avx2"}, names("a"))
	require.Equal(t, []string{"portable", "popcnt", "avx2", "avx512"}, names("b"))
	require.Equal(t, []string{"portable", "popcnt", "sse2", "avx2", "avx512"}, names("a", "b"))
	require.Empty(t, names("c"))
	i := slices.IndexFunc(InstructionSets(), func(s InstructionSet) bool { return s.Name == "avx2" })
	require.Equal(t, AVX2FMA, InstructionSets()[i].Set)
	setAvailable(AVX2)
	require.Equal(t, []string{"portable", "popcnt", "sse2", "avx2"}, names())
	require.Equal(t, AVX2, InstructionSets()[3].Set, "only what the processor can run counts")
	setAvailable(0)
	require.Equal(t, []string{"portable"}, names())
	rows := map[string][]string{}
	for pkg, set := range Rows() {
		rows[pkg] = append(rows[pkg], set.Name)
	}
	require.Equal(t, map[string][]string{"a": {"avx2", "sse2", "portable"}, "b": {"avx512", "avx2", "popcnt", "portable"}}, rows)
}
