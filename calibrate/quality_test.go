package calibrate

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuality compares what calibrations say about themselves with what those of another implementation
// say.
func TestQuality(t *testing.T) {
	qualities := readGolden[quality](t, "quality.json")
	for _, p := range problems(t) {
		for _, q := range qualities {
			if q.Name != p.Name {
				continue
			}
			t.Run(p.Name, func(t *testing.T) {
				c := p.solve(t)
				// The prototype had the noise of all views, where Influence has that of the others.
				influence := c.Influence()
				require.Len(t, influence, len(q.Influence))
				for i, want := range q.Influence {
					moved, deviation, variance := c.found.without(i)
					requireRelative(t, want, moved/(deviation*c.Sigma), 1e-3, "influence")
					requireRelative(t, want*c.Sigma/math.Sqrt(variance), influence[i], 1e-3, "influence")
				}
				sum, count := 0.0, 0
				for _, at := range places(p.size()) {
					if u := c.Uncertainty(at); u == u {
						sum += u * u
						count++
					}
				}
				requireRelative(t, q.Left, math.Sqrt(sum/float64(count)), 1e-4, "uncertainty")
				hint := c.Suggest(p.Columns, p.Rows)
				require.Equal(t, q.Hint.At, hint.At)
				require.Equal(t, q.Hint.Size, hint.Size)
				require.Equal(t, [2]float64{q.Hint.TiltX, q.Hint.TiltY}, [2]float64{hint.TiltX, hint.TiltY})
				requireRelative(t, q.Hint.Before, hint.Before, 1e-4, "before")
				requireRelative(t, q.Hint.After, hint.After, 1e-4, "after")
			})
		}
	}
}

// rightPredictions are those of Halves that differ from solve.json, which divides the sums of both
// halves by the number of places that the camera of the odd views sees. That is another number than for
// the even views in this case only.
var rightPredictions = map[string]float64{"left rational": 6.984}

// TestHalves compares both halves and their difference with those of another implementation.
func TestHalves(t *testing.T) {
	qualities := readGolden[quality](t, "quality.json")
	for _, p := range problems(t) {
		for _, q := range qualities {
			if q.Name != p.Name {
				continue
			}
			t.Run(p.Name, func(t *testing.T) {
				c := calibrator(t, p.options())
				var halves [2][]View
				for i, v := range p.views() {
					halves[i&1] = append(halves[i&1], v)
				}
				for i, views := range halves {
					half, err := c.Calibrate(p.size(), views)
					if half.found == nil {
						t.Fatal(err)
					}
					requireRelative(t, q.Halves[i], half.RMS, 1e-8, "rms")
					for k, field := range fieldsOf(&half.Camera) {
						require.InDelta(t, q.Fields[i][k], *field, 1e-4*max(1, math.Abs(q.Fields[i][k])), "half %d, field %d", i, k)
					}
				}
				h, err := c.Halves(p.size(), p.views())
				require.NoError(t, err)
				requireRelative(t, p.Halves, h.Difference, 1e-3, "difference")
				if want, ok := rightPredictions[p.Name]; ok {
					require.InDelta(t, want, h.Predicted, 5e-4)
					require.Greater(t, math.Abs(h.Predicted-p.HalvesSays), 0.5)
				} else {
					requireRelative(t, p.HalvesSays, h.Predicted, 1e-3, "prediction")
				}
			})
		}
	}
}

// TestWrongView checks that the view is named of which a row of corners is mistaken for the next one, as if it
// were left out.
func TestWrongView(t *testing.T) {
	s := newRig(3)
	views := s.noisy(s.views(12), 0.01)
	const wrong = 4
	good := slices.Delete(slices.Clone(views), wrong, wrong+1)
	views[wrong].World = slices.Clone(views[wrong].World)
	for k, x := range views[wrong].World {
		if x[1] == 2 {
			views[wrong].World[k][0]++
		}
	}
	c := calibrator(t, Options{MaxFocalError: -1})
	found, err := c.Calibrate(webcamSize, views)
	require.NoError(t, err)
	rest, err := c.Calibrate(webcamSize, good)
	require.NoError(t, err)
	influence := found.Influence()
	t.Log(influence, Difference(found.Camera, rest.Camera, webcamSize), rest.Sigma, found.Sigma)
	for i, v := range influence {
		if i != wrong {
			require.Less(t, v, 5.0, i)
		}
	}
	require.Greater(t, influence[wrong], 5.0)
}
