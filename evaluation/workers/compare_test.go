package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// page is what the program prints for two works and two numbers of workers.
func page(size string, works ...[2]float64) string {
	text := "# Workers\n\nabout | what\n\n## " + size + "\n\n" + row([]string{"work", "ms with one", "2 workers", "4 workers", "frames in parallel"}) + "|---|--:|--:|--:|--:|\n"
	for i, w := range works {
		text += row([]string{fmt.Sprintf("work: %d", i), "1.000 ± 1 %", fmt.Sprintf("%.2f ± 3 %%", w[0]), fmt.Sprintf("%.2f ± 4 %%", w[1]), "3.00 ± 0 %"})
	}
	return text
}

// TestCompare checks geometric means of pages of known numbers.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return file
	}
	before, err := readPages([]string{write("a", page("640x480", [2]float64{1, 2}, [2]float64{4, 2})+page("1920x1080", [2]float64{2, 2}, [2]float64{2, 2}))})
	require.NoError(t, err)
	after, err := readPages([]string{
		write("b", page("640x480", [2]float64{4, 4}, [2]float64{4, 4})+page("1920x1080", [2]float64{.96, 2}, [2]float64{1, 1})),
		write("c", page("640x480", [2]float64{4, 4}, [2]float64{4, 4})+page("1920x1080", [2]float64{.9, 2}, [2]float64{1, 1})),
	})
	require.NoError(t, err)
	var out strings.Builder
	compare(&out, before, after)
	require.Contains(t, out.String(), "| 640x480 | before | 2.000 | 2.000 |\n| 640x480 | after | 4.000 | 4.000 |\n| 640x480 | after over before | 2.000 | 2.000 |\n")
	require.Contains(t, out.String(), "| 1920x1080 | before | 2.000 | 2.000 |\n")
	require.Contains(t, out.String(), "\nwork: 0, 1920x1080, 2 workers: 0.90 times as fast as one\n")
	require.Equal(t, 1, strings.Count(out.String(), "times as fast"))
	_, err = readPages([]string{write("d", strings.ReplaceAll(page("640x480", [2]float64{1, 1}), "1.00 ±", "? ±"))})
	require.ErrorContains(t, err, "d: ")
}
