package stabilize_test

import (
	"fmt"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/stabilize"
	"github.com/stretchr/testify/require"
)

// TestOptions checks the ends of the ranges of options.
func TestOptions(t *testing.T) {
	for field, test := range map[string]struct{ good, bad [2]stabilize.Options }{
		"Points":          {[2]stabilize.Options{{Points: 20}, {Points: 100_000}}, [2]stabilize.Options{{Points: 19}, {Points: 100_001}}},
		"Interval":        {[2]stabilize.Options{{Interval: 1}, {Interval: 1000}}, [2]stabilize.Options{{Interval: -1}, {Interval: 1001}}},
		"SmoothingRadius": {[2]stabilize.Options{{SmoothingRadius: 1}, {SmoothingRadius: 1000}}, [2]stabilize.Options{{SmoothingRadius: -1}, {SmoothingRadius: 1001}}},
		"Zoom":            {[2]stabilize.Options{{Zoom: 1}, {Zoom: 10}}, [2]stabilize.Options{{Zoom: 0.999}, {Zoom: 10.001}}},
		"MaxZoom":         {[2]stabilize.Options{{Zoom: 2, MaxZoom: 2}, {MaxZoom: 10}}, [2]stabilize.Options{{Zoom: 2, MaxZoom: 1.999}, {MaxZoom: 10.001}}},
		"Kind":            {[2]stabilize.Options{{Kind: geometry.Translation}, {Kind: geometry.Homography}}, [2]stabilize.Options{{Kind: geometry.Homography + 1}, {Kind: 255}}},
	} {
		for i, good := range test.good {
			_, err := stabilize.New(good)
			require.NoError(t, err)
			_, err = stabilize.New(test.bad[i])
			require.ErrorContains(t, err, fmt.Sprintf("stabilize: Options.%s is ", field))
		}
	}
}
