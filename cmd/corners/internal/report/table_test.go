package report

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"
)

// Tables are those of text/tabwriter, and records those of encoding/csv.
func TestColumns(t *testing.T) {
	cells := []string{"", "a", " b", "c,d", `e"f`, "g\rh", `\.`, "длинный", "\u00a0", "12.5", "█▏"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var text, wantText, records, wantRecords strings.Builder
		table, wantTable := NewTable(&text), tabwriter.NewWriter(&wantText, 0, 0, 2, ' ', 0)
		c, wantCSV := NewCSV(&records), csv.NewWriter(&wantRecords)
		columns := 1 + random.IntN(4)
		for range random.IntN(5) {
			fields := make([]string, columns)
			for i := range fields {
				fields[i] = cells[random.IntN(len(cells))]
			}
			fmt.Fprintln(table, strings.Join(fields, "\t"))
			fmt.Fprintln(wantTable, strings.Join(fields, "\t"))
			if columns > 1 { // package csv tells an empty field from an empty line
				require.NoError(t, c.Add(fields...))
				require.NoError(t, wantCSV.Write(fields))
			}
		}
		fmt.Fprintln(table, "without columns")
		fmt.Fprintln(wantTable, "without columns")
		require.NoError(t, table.Flush())
		require.NoError(t, wantTable.Flush())
		require.Equal(t, wantText.String(), text.String())
		require.NoError(t, c.Flush())
		wantCSV.Flush()
		require.Equal(t, wantRecords.String(), records.String())
	}
}
