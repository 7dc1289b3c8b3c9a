package calibrate

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// scatter collects values, and what is said about their deviation.
type scatter struct {
	n                  int
	sum, squares, said float64
}

func (s *scatter) add(v, said float64) {
	s.n++
	s.sum += v
	s.squares += v * v
	s.said += said * said
}

// ratio returns the standard deviation of the values in units of the one that is said.
func (s *scatter) ratio() float64 {
	n := float64(s.n)
	return math.Sqrt((s.squares - s.sum*s.sum/n) / (n - 1) / (s.said / n))
}

// TestScatter compares deviations with the scatter of many calibrations with noise: those of the fields,
// of Sigma, of the pose of a pair, and of projections at infinity. The scatter of n values is known to 1 in
// the square root of 2n, 3 % for 600.
func TestScatter(t *testing.T) {
	skipUnderRace(t)
	runs, tolerance := 600, 0.10
	if testing.Short() {
		runs, tolerance = 60, 0.3
	}
	const noise = 0.002 // so little that the equations are linear within its reach
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 420, Fy: 421, Cx: 322, Cy: 238, K1: -0.03, K2: 0.004, K3: -0.002, K4: 0.0003}
	for name, c := range map[string]struct {
		camera   camera.Camera
		options  Options
		weighted bool // the noise of every second point is three times as large
	}{
		"webcam":   {webcam, Options{}, false},
		"weighted": {webcam, Options{}, true},
		"aspect":   {webcam, Options{Fixed: FixAspect, Start: webcam, Bend: true}, false},
		"fisheye":  {fisheye, Options{Model: camera.KannalaBrandt}, false},
	} {
		if testing.Short() && name != "webcam" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := newRig(4)
			s.camera = c.camera
			views := s.views(10)
			typical := noise
			if c.weighted {
				for i := range views {
					views[i].Deviations = slices.Repeat([]float64{1, 3}, len(views[i].World)/2)
				}
				typical = noise / math.Sqrt((1+1.0/9)/2)
			}
			calibrator := calibrator(t, c.options)
			var fields [numFields]scatter
			var sigma float64
			var difference, predicted float64
			for range runs {
				found, err := calibrator.Calibrate(webcamSize, s.noisy(views, noise))
				require.NoError(t, err)
				deviations := found.StandardDeviations()
				for i, f := range fieldsOf(&found.Camera) {
					fields[i].add(*f, deviations[i])
				}
				sigma += found.Sigma / float64(runs)
				d := Difference(found.Camera, c.camera, webcamSize)
				difference += d * d
				b := found.Suggest(8, 6).Before // in both directions
				predicted += b * b
			}
			for i := range fields {
				if fields[i].said > 0 {
					require.InDelta(t, 1, fields[i].ratio(), tolerance, "field %d", i)
				}
			}
			require.InDelta(t, typical, sigma, 0.01*typical)
			require.InDelta(t, 1, math.Sqrt(difference/predicted), tolerance)
		})
	}
	t.Run("pair", func(t *testing.T) {
		s := newRig(4)
		var turns, shifts [3]scatter
		between := s.pose()
		between.T = pose.Vector{-1, 0.1, 0.2}
		var a, b []View
		for range 8 {
			p := s.pose()
			a, b = append(a, s.see(webcam, p)), append(b, s.see(fisheye, between.Mul(p)))
		}
		for range runs {
			na, nb := s.noisy(a, noise), s.noisy(b, noise)
			pairs := make([][2]View, len(na))
			for i := range pairs {
				pairs[i] = [2]View{na[i], nb[i]}
			}
			found, err := calibrator(t, Options{}).Pair(Calibration{Camera: webcam}, Calibration{Camera: fisheye}, pairs)
			require.NoError(t, err)
			turn := found.Pose.Mul(between.Inverse()).R
			for i, v := range [3]float64{turn[7] - turn[5], turn[2] - turn[6], turn[3] - turn[1]} {
				turns[i].add(v/2, found.Turn[i])
				shifts[i].add(found.Pose.T[i], found.Shift[i])
			}
		}
		for i := range 3 {
			require.InDelta(t, 1, turns[i].ratio(), tolerance, "turn %d", i)
			require.InDelta(t, 1, shifts[i].ratio(), tolerance, "shift %d", i)
		}
	})
}

// TestMany calibrates with a million points.
func TestMany(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	s := newRig(8)
	s.columns, s.rows = 40, 25
	views := s.noisy(s.views(1000), 0.1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	c, err := calibrator(t, Options{}).Calibrate(webcamSize, views)
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	t.Logf("%v, %d bytes, %d steps", took, after.TotalAlloc-before.TotalAlloc, c.Iterations)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
	require.InDelta(t, 0.1, c.Sigma, 0.001)
	for i, f := range fieldsOf(&c.Camera) {
		require.InDelta(t, *fieldsOf(&webcam)[i], *f, 5*c.StandardDeviations()[i])
	}
}
