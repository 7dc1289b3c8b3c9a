package calibrate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The numbers in this file are those of mrcal 2.2 for the problems of solve.json: optimize with
// LENSMODEL_OPENCV5, without regularization and without outlier rejection, from poses of
// estimate_monocular_calobject_poses_Rt_tocam, first without distortions, then five times with all of
// them; and projection_uncertainty with atinfinity and worstdirection-stdev, unprojected from the places.

// TestUncertaintyOfMrcal compares the uncertainty, by its root mean square over the places and its largest
// value. mrcal derives the noise from the errors without regard to the number of unknowns, and takes
// account of what the camera sees by the poses of the boards rather than by a turn, which differs most
// where the uncertainty is small.
func TestUncertaintyOfMrcal(t *testing.T) {
	want := map[string]struct{ mean, worst float64 }{
		"left":  {0.7655688, 5.408934},
		"right": {0.2167891, 0.9412068},
		"wide0": {0.3331813, 2.064112},
	}
	for _, p := range problems(t) {
		w, ok := want[p.Name]
		if !ok {
			continue
		}
		c := p.solve(t)
		sum, count, worst := 0.0, 0, 0.0
		for _, at := range places(p.size()) {
			u := c.Uncertainty(at)
			sum += u * u
			count++
			worst = max(worst, u)
		}
		requireRelative(t, w.mean, math.Sqrt(sum/float64(count)), 0.12, p.Name)
		requireRelative(t, w.worst, worst, 0.03, p.Name)
	}
}

// TestBend compares bent boards, whose numbers mrcal calls calobject_warp.
func TestBend(t *testing.T) {
	want := map[string]struct {
		rms    float64
		bend   [2]float64
		fields [9]float64
	}{
		"left": {
			0.14920741228879392,
			[2]float64{0.0023362213787808664, -0.007105760944328476},
			[9]float64{533.6860132413303, 533.876563902319, 342.1873135542273, 234.45513790214733, -0.2794494265899264, 0.013636434498673472, 0.001042936306038147, 8.547072013069526e-05, 0.19946032112669201},
		},
		"right": {
			0.14412343905870148,
			[2]float64{0.00302020313335555, -0.006969882136020705},
			[9]float64{537.386679461463, 536.9576272429277, 327.4654371229736, 249.3379794994128, -0.2975585613224809, 0.1548887512397767, -0.0005461560399357495, 0.0004214823474712729, -0.07601012992448809},
		},
		"wide0": {
			0.1367034692314637,
			[2]float64{-0.0006073977528482828, 0.0004047081448703195},
			[9]float64{419.84268594956853, 423.9804559530077, 325.1319322926903, 235.84435047749076, -0.2791107986849514, 0.06808927098013043, 0.0006910791758570924, -0.00034887616335270857, 0.011537285331772198},
		},
	}
	for _, p := range problems(t) {
		w, ok := want[p.Name]
		if !ok {
			continue
		}
		opts := p.options()
		flat := p.solve(t)
		require.Zero(t, flat.Bend)
		opts.Bend = true
		c, err := calibrator(t, opts).Calibrate(p.size(), p.views())
		require.NoError(t, err)
		requireRelative(t, w.rms, c.RMS, 1e-9, p.Name)
		for i, want := range w.bend {
			require.InDelta(t, want, c.Bend[i], 1e-7, p.Name)
		}
		for i, want := range w.fields {
			require.InDelta(t, want, *fieldsOf(&c.Camera)[i], 2e-5*max(1, math.Abs(want)), "%s, field %d", p.Name, i)
		}
		require.Less(t, c.RMS, flat.RMS)

		// A board in other units bends by as many of them.
		views := p.views()
		for i := range views {
			for k := range views[i].World {
				views[i].World[k] = views[i].World[k].Scale(25)
			}
		}
		scaled, err := calibrator(t, opts).Calibrate(p.size(), views)
		require.NoError(t, err)
		for i, b := range c.Bend {
			require.InDelta(t, 25*b, scaled.Bend[i], 1e-6)
		}
		hint, again := c.Suggest(p.Columns, p.Rows), scaled.Suggest(p.Columns, p.Rows)
		require.InDelta(t, hint.After, again.After, 1e-6)
		require.Less(t, hint.After, hint.Before)
		require.InDeltaSlice(t, c.Influence(), scaled.Influence(), 1e-3)
	}
}
