package cli

import (
	"os"
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
	}).Print(&text, HelpWidth)
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

// TestParse checks what is said of values that cannot be read.
func TestParse(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("photo.jpg", nil, 0o666))
	for args, want := range map[string]string{
		"-threshold photo.jpg":         "flag -threshold has no value, but the name of a file, photo.jpg: want 0 to 255",
		"-threshold=photo.jpg":         `invalid value "photo.jpg" for flag -threshold: want 0 to 255`,
		"-threshold none.jpg":          `invalid value "none.jpg" for flag -threshold: want 0 to 255`,
		"-threshold 300":               "invalid value 300 for flag -threshold: want 0 to 255",
		"-threshold 1e3":               `invalid value "1e3" for flag -threshold: want 0 to 255`,
		"-threshold":                   "flag needs an argument: -threshold",
		"-nonmax=photo.jpg":            `invalid value "photo.jpg" for flag -nonmax: want true or false`,
		"-level photo.jpg":             "flag -level has no value, but the name of a file, photo.jpg: want a whole number",
		"-share x":                     `invalid value "x" for flag -share: want a number`,
		"-time photo.jpg":              "flag -time has no value, but the name of a file, photo.jpg: want a time, such as 3s",
		"-method photo.jpg":            `invalid value "photo.jpg" for flag -method: want a or b`,
		"-colour -threshold x":         "flag provided but not defined: -colour",
		"-threshold 9 -nonmax -colour": "flag provided but not defined: -colour",
	} {
		flags := New(func(flags *Set) {
			flags.IntIn(new(int), "threshold", 25, From(0, 255), "")
			flags.Bool("nonmax", false, "")
			flags.Int("level", 0, "")
			flags.Float64("share", 0, "")
			flags.Duration("time", 0, "")
			flags.Var(OneOf(new(string), []string{"a", "b"}), "method", "")
		})
		_, err := flags.Parse(strings.Fields(args))
		require.EqualError(t, err, want, args)
	}
}
