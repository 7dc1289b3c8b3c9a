package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// TestPoseScenes checks that right pairs are where the truth has them, and how many there are.
func TestPoseScenes(t *testing.T) {
	for _, c := range slices.Concat(relativeScenes(), noMotionScenes(), absoluteScenes(), fundamentalScenes(), noLinesScenes()) {
		c.noise = 0
		trial := c.make(rand.New(rand.NewPCG(1, 2)))
		require.Len(t, trial.a, c.pairs)
		right := 0
		for i, x := range trial.world {
			a, _ := trial.camera.Project(x)
			b, ok := trial.camera.Project(trial.truth.Apply(x))
			require.True(t, ok)
			require.Less(t, math.Hypot(a.X-trial.a[i].X, a.Y-trial.a[i].Y), 1e-9)
			if math.Hypot(b.X-trial.b[i].X, b.Y-trial.b[i].Y) < 1e-9 {
				right++
			}
		}
		require.InDelta(t, float64(c.pairs)*c.right, right, 1e-6)
		if c.still {
			continue
		}
		// F = K^-T E K^-1
		k := trial.camera
		inverse := [9]float64{1 / k.Fx, 0, -k.Cx / k.Fx, 0, 1 / k.Fy, -k.Cy / k.Fy, 0, 0, 1}
		var f [9]float64
		for i, e := range trial.truth.Essential() {
			for r := range 3 {
				for s := range 3 {
					f[3*r+s] += inverse[i/3*3+r] * e * inverse[i%3*3+s]
				}
			}
		}
		require.Less(t, trial.linesMiss(f), 1e-9)
		require.Less(t, motionMiss(trial.truth, trial.truth), 1e-5)
	}
}

// TestMisses checks errors of motions and the area under their curve.
func TestMisses(t *testing.T) {
	angle := func(degrees float64) pose.Pose {
		sin, cos := math.Sincos(degrees * math.Pi / 360)
		return pose.FromQuaternion(cos, 0, sin, 0, pose.Vector{1, 0, 0})
	}
	require.InDelta(t, 30, rotationMiss(angle(50), angle(20)), 1e-6)
	require.InDelta(t, 30, motionMiss(angle(50), angle(20)), 1e-6)
	p := angle(20)
	p.T = pose.Vector{0, 3, 0}
	require.InDelta(t, 90, motionMiss(p, angle(20)), 1e-6)
	p.T = pose.Vector{}
	require.Equal(t, 180.0, motionMiss(p, angle(20)))
	r := poseRecord{errors: []float64{1, 4, 12, math.Inf(1)}, refused: 1, times: []float64{3, 1, 2, 9}}
	require.Equal(t, []string{".25 / .38 / .54", "1", "2.00 ± 50 %"}, r.areas())
	require.Equal(t, []string{"4.0", "1, 1", "2.00 ± 50 %"}, r.misses("%.1f", 5))
	require.Equal(t, []string{"3", "2.00 ± 50 %"}, r.answered())
}

// TestYAML checks that numbers of OpenCV's files are read.
func TestYAML(t *testing.T) {
	const file = "%YAML:1.0\nM1: !!opencv-matrix\n   rows: 1\n   data: [ 5.5e+02, 0.,\n       -3 ]\nD1: !!opencv-matrix\n   data: [ 1. ]\n"
	list, err := yamlNumbers(file, "M1")
	require.NoError(t, err)
	require.Equal(t, []float64{550, 0, -3}, list)
	_, err = yamlNumbers(file, "M2")
	require.Error(t, err)
}
