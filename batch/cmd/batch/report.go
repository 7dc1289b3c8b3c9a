package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/fastcorners/fast/batch/internal/batch"
)

// A line of the report tells a counter, in some unit.
type line struct {
	title, counter string
	unit           float64
}

// writeReport writes what a pipeline has done.
func writeReport(w io.Writer, lines []line, results metrics.Results, manifest batch.Manifest) error {
	// Each branch of a pipeline has counters of its own.
	sums := make(map[string]int64)
	ours := results.Query(func(r metrics.SingleResult) bool { return r.Namespace() == batch.Namespace })
	for _, c := range ours.Counters() {
		sums[c.Name()] += c.Result()
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		digits := 0
		if l.unit != 1 {
			digits = 2
		}
		fmt.Fprintf(table, "%s\t%.*f\n", l.title, digits, float64(sums[l.counter])*l.unit)
	}
	files := 0
	for _, list := range manifest.Tables {
		files += len(list)
	}
	fmt.Fprintf(table, "files\t%d\n", files)
	return table.Flush()
}
