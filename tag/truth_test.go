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
// which this package differs: in what is Hidden, and in the weight of inner pixels of small tags. The errors
// are root mean squares, in pixels.
func TestTruth(t *testing.T) {
	const file = "testdata/truth.txt"
	var table strings.Builder
	fmt.Fprintf(&table, "%-15s %-15s %6s  %-15s %s\n", "image", "family", "marker", "prototype", "package tag")
	var squares [2]float64 // the sums over tags that both find
	for i := range goldens(t) {
		g := &goldens(t)[i]
		tags := g.detector(t).Detect(g.image)
		for _, truth := range g.Truth {
			var before, now outcome
			for _, tag := range g.Tags {
				before.add(&truth, tag.ID, points(tag.Corners), tag.Hidden)
			}
			for _, tag := range tags {
				now.add(&truth, tag.ID, tag.Corners, tag.Hidden)
			}
			if before.found && now.found {
				squares[0] += before.error * before.error
				squares[1] += now.error * now.error
			}
			fmt.Fprintf(&table, "%-15s %-15s %6d  %-15s %s\n", g.File, truth.Family, truth.ID, before, now)
		}
	}
	require.Less(t, squares[1], squares[0])
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(table.String()), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), table.String(), "where a change is meant, go test -run TestTruth . -args -update")
}

// An outcome is what was found of a tag.
type outcome struct {
	found, hidden bool
	error         float64
}

// add adds a tag that was found, if it is the one that was rendered.
func (o *outcome) add(truth *goldenTruth, id int, corners [4]geometry.Point, hidden bool) {
	sum := 0.0
	for i, p := range truth.P {
		d := distance(corners[i], geometry.Point{X: p[0], Y: p[1]})
		sum += d * d / 4
	}
	if e := math.Sqrt(sum); id == truth.ID && e < 10 {
		*o = outcome{true, hidden, e}
	}
}

func (o outcome) String() string {
	switch {
	case !o.found:
		return "-"
	case o.hidden:
		return fmt.Sprintf("%.4f Hidden", o.error)
	}
	return fmt.Sprintf("%.4f", o.error)
}
