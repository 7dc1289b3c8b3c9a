package tag

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/truth.txt anew")

// TestTruth compares the corners of tags with those that were rendered, beside those of the prototype, from
// which this package differs: in what is Hidden. The errors are root mean squares, in pixels.
func TestTruth(t *testing.T) {
	const file = "testdata/truth.txt"
	var table strings.Builder
	fmt.Fprintf(&table, "%-15s %-15s %6s  %-15s %s\n", "image", "family", "marker", "prototype", "package tag")
	for i := range goldens(t) {
		g := &goldens(t)[i]
		tags := g.detector(t).Detect(g.image)
		for _, truth := range g.Truth {
			before, now := "-", "-"
			for _, tag := range g.Tags {
				if e := truth.error(points(tag.Corners)); tag.ID == truth.ID && e < 10 {
					before = described(e, tag.Hidden)
				}
			}
			for _, tag := range tags {
				if e := truth.error(tag.Corners); tag.ID == truth.ID && e < 10 {
					now = described(e, tag.Hidden)
				}
			}
			fmt.Fprintf(&table, "%-15s %-15s %6d  %-15s %s\n", g.File, truth.Family, truth.ID, before, now)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(table.String()), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), table.String(), "where a change is meant, go test -run TestTruth . -args -update")
}

// described returns a line of the table about a tag.
func described(e float64, hidden bool) string {
	if hidden {
		return fmt.Sprintf("%.4f Hidden", e)
	}
	return fmt.Sprintf("%.4f", e)
}

// error returns the root mean square of the distances of corners from where they are.
func (g *goldenTruth) error(corners [4]geometry.Point) float64 {
	sum := 0.0
	for i, p := range g.P {
		d := distance(corners[i], geometry.Point{X: p[0], Y: p[1]})
		sum += d * d / 4
	}
	return math.Sqrt(sum)
}
