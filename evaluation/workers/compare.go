package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/fastcorners/fast/evaluation/internal/measure"
)

// losing is how many times as fast as one worker several have to be at least, in images of
// losingSize.
const (
	losing     = 0.97
	losingSize = "1920x1080"
)

// A row key is what a row of a page is about.
type rowKey struct{ size, work string }

// ratios are how many times as fast as one worker several are, by numbers of workers, in each page.
type ratios map[rowKey]map[int][]float64

// readPages reads the tables of pages that this program has printed.
func readPages(names []string) (ratios, error) {
	all := ratios{}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		err = all.read(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// read adds those of a page.
func (all ratios) read(page io.Reader) error {
	size, columns := "", []int{} // the numbers of workers of columns, or 0
	lines := bufio.NewScanner(page)
	for lines.Scan() {
		line := lines.Text()
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			size = heading
		}
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if cells[0] == "work" {
			columns = make([]int, len(cells))
			for i, cell := range cells {
				fmt.Sscanf(cell, "%d workers", &columns[i])
			}
			continue
		}
		key := rowKey{size, cells[0]}
		if all[key] == nil {
			all[key] = map[int][]float64{}
		}
		for i, cell := range cells {
			if i < len(columns) && columns[i] > 0 {
				var ratio float64
				if _, err := fmt.Sscan(cell, &ratio); err != nil {
					return fmt.Errorf("%q: %w", cell, err)
				}
				all[key][columns[i]] = append(all[key][columns[i]], ratio)
			}
		}
	}
	return lines.Err()
}

// means returns the geometric means of the works of some sizes, each the median of its pages, by
// numbers of workers.
func (all ratios) means(of func(size string) bool) map[int]float64 {
	sums, counts := map[int]float64{}, map[int]float64{}
	for key, row := range all {
		for n, list := range row {
			if of(key.size) {
				sums[n] += math.Log(measure.Median(list))
				counts[n]++
			}
		}
	}
	for n := range sums {
		sums[n] = math.Exp(sums[n] / counts[n])
	}
	return sums
}

// compare prints the geometric means of two lists of pages, and which works lose in those of the
// second one.
func compare(w io.Writer, before, after ratios) {
	sizes := map[string]bool{}
	for key := range after {
		sizes[key.size] = true
	}
	columns := slices.Sorted(maps.Keys(after.means(func(string) bool { return true })))
	header := []string{"size", ""}
	for _, n := range columns {
		header = append(header, fmt.Sprintf("%d workers", n))
	}
	fmt.Fprintf(w, "%s|---|---|%s\n", row(header), strings.Repeat("--:|", len(columns)))
	printMeans := func(name string, of func(size string) bool) {
		old, now := before.means(of), after.means(of)
		for _, r := range []struct {
			name  string
			value func(n int) float64
		}{
			{"before", func(n int) float64 { return old[n] }},
			{"after", func(n int) float64 { return now[n] }},
			{"after over before", func(n int) float64 { return now[n] / old[n] }},
		} {
			cells := []string{name, r.name}
			for _, n := range columns {
				cells = append(cells, fmt.Sprintf("%.3f", r.value(n)))
			}
			fmt.Fprint(w, row(cells))
		}
	}
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		printMeans(size, func(s string) bool { return s == size })
	}
	printMeans("all", func(string) bool { return true })
	keys := slices.SortedFunc(maps.Keys(after), func(a, b rowKey) int { return cmp.Compare(a.work, b.work) })
	for _, key := range keys {
		for _, n := range columns {
			if list := after[key][n]; key.size == losingSize && len(list) > 0 && measure.Median(list) < losing {
				fmt.Fprintf(w, "\n%s, %s, %d workers: %.2f times as fast as one\n", key.work, key.size, n, measure.Median(list))
			}
		}
	}
}
