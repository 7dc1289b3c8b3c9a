package batch

import (
	"encoding/json"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// The options that manifests have find the same as those that they are made of.
func TestResolve(t *testing.T) {
	img := gray(t, photos[0])
	corners := func(d Detector) []Corner {
		find, err := d.finder()
		require.NoError(t, err)
		found := find(img, nil)
		require.NotEmpty(t, found)
		return found
	}
	resolved := func(options any) any {
		r, err := resolve(options)
		require.NoError(t, err)
		return r
	}
	f := resolved(&fast.Options{Threshold: 40}).(fast.Options)
	require.Equal(t, fast.Options{Threshold: 40, ArcLength: 10, Score: true}, f)
	require.Equal(t, corners(Detector{FAST: &fast.Options{Threshold: 40}}), corners(Detector{FAST: &f}))
	for _, o := range []harris.Options{
		{},
		{Measure: harris.Harris},
		{Gradient: harris.Gaussian, WindowSigma: 1.3},
		{Gradient: harris.Gaussian, GradientSigma: 2, MinResponse: 1e-6},
		{Quality: 0.1},
	} {
		r := resolved(&o).(harris.Options)
		require.Equal(t, corners(Detector{Harris: &o}), corners(Detector{Harris: &r}))
	}
	for _, o := range []lococo.Options{{}, {KernelSizes: []int{5, 9}}} {
		r := resolved(&o).(lococo.Options)
		require.Equal(t, corners(Detector{LoCoCo: &o}), corners(Detector{LoCoCo: &r}))
	}
	for _, o := range []vpi.Options{{}, {CircleRadius: 2, Threshold: 20, MaxCorners: 99}} {
		r := resolved(&o).(vpi.Options)
		require.NotZero(t, r.ArcLength)
		require.Equal(t, corners(Detector{VPI: &o}), corners(Detector{VPI: &r}))
	}
	r := resolved(&orb.Options{}).(orb.Options)
	require.Equal(t, extracted(t, photos[0], orb.Options{}), extracted(t, photos[0], r))
	require.Equal(t, 256, resolved(&match.Options{}).(match.Options).MaxDistance)
	require.Equal(t, 0, resolved(&match.Options{MaxDistance: -1}).(match.Options).MaxDistance)
}

// A manifest has the defaults.
func TestDefaultsInManifest(t *testing.T) {
	m, err := Layout{Shards: 1}.run("", methodORB, new(orb.Options), "")
	require.NoError(t, err)
	var options map[string]any
	require.NoError(t, json.Unmarshal(m.Options, &options))
	require.Equal(t, 500.0, options["Features"])
	require.Equal(t, 1.2, options["ScaleFactor"])
	require.Equal(t, "harris", options["ScoreType"])
}
