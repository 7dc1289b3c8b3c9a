package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPrint checks that lines are no longer than they may be, and that defaults stay whole.
func TestPrint(t *testing.T) {
	var n, m int
	var text strings.Builder
	New(func(flags *Set) {
		flags.IntIn(&n, "n", 0, From(0, 9), "take `N` of them")
		flags.IntIn(&m, "long-name", 123456, From(0, 9), strings.Repeat("word ", 13)+"and `NUMBER`")
	}).Print(&text)
	require.Equal(t, ""+
		"  -long-name NUMBER\tword word word word word word word word word word word\n"+
		"\tword word and NUMBER (default 123456)\n"+
		"  -n N\ttake N of them\n", text.String())
	for width := 1; width < 30; width++ {
		lines := Wrap("a text of some words, extraordinary ones", width)
		require.Equal(t, "a text of some words, extraordinary ones", strings.Join(lines, " "))
		for i, line := range lines {
			require.True(t, len(line) <= width || !strings.Contains(line, " "), line)
			if i > 0 {
				first, _, _ := strings.Cut(line, " ")
				require.Greater(t, len(lines[i-1])+1+len(first), width)
			}
		}
	}
}
