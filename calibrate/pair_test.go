package calibrate

import (
	"slices"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// pairs returns what the cameras of the problems left and right see, the views of both, and the
// calibrations with these. Corners are rounded to float32, as OpenCV does.
func stereoViews(t testing.TB) (views [][2]View, a, b Calibration) {
	t.Helper()
	var sides [2][]View
	var found [2]Calibration
	for _, p := range problems(t) {
		k := slices.Index([]string{"left", "right"}, p.Name)
		if k < 0 {
			continue
		}
		sides[k] = p.views()
		for _, v := range sides[k] {
			for i, at := range v.Image {
				v.Image[i] = geometry.Point{X: float64(float32(at.X)), Y: float64(float32(at.Y))}
			}
		}
		var err error
		found[k], err = calibrator(t, p.options()).Calibrate(p.size(), sides[k])
		require.NoError(t, err)
	}
	for i := range sides[0] {
		views = append(views, [2]View{sides[0][i], sides[1][i]})
	}
	require.Len(t, views, 13)
	return views, found[0], found[1]
}

// TestPair compares with OpenCV 4.6: stereoCalibrate of the same corners and of the cameras that its
// calibrateCamera finds, with CALIB_FIX_INTRINSIC, and with CALIB_USE_INTRINSIC_GUESS, after up to 500
// steps.
func TestPair(t *testing.T) {
	views, a, b := stereoViews(t)
	for _, c := range []struct {
		refine bool
		rms    float64
		pose   pose.Pose
		fields [2][numFields]float64
	}{
		{
			rms: 0.1748150592728019,
			pose: pose.Pose{
				R: pose.Rotation{
					0.9999855414566006, 0.0036691297943535913, 0.003931203925215478,
					-0.003642423048146309, 0.9999703865808621, -0.006779285777969211,
					-0.00395596158825833, 0.006764868651587394, 0.9999692929885592,
				},
				T: pose.Vector{-3.327521157322142, 0.038034332764392005, -1.7161902290181122e-05},
			},
			fields: [2][numFields]float64{
				{533.568984980353, 533.6923043693341, 342.2947786759606, 234.21020059760076, -0.28272822262368047, 0.036834592580633506, 0.0010735443130828126, 0.00010406301377487918, 0.15091197603533546},
				{537.4826995235444, 536.9833769448204, 327.3375929357842, 249.14820616061965, -0.29447068688530686, 0.13901960086275247, -0.0005762590964366455, 0.0004840321323383231, -0.05414527625530088},
			},
		},
		{
			refine: true,
			rms:    0.17390468425094907,
			pose: pose.Pose{
				R: pose.Rotation{
					0.9999853482153536, 0.003497619728638976, 0.004131586965310716,
					-0.0034702119912456107, 0.9999720506463253, -0.006622352672490166,
					-0.004154633961482669, 0.006607918160575075, 0.99996953675311,
				},
				T: pose.Vector{-3.3266179096177266, 0.03773270906801841, -0.007929286975990336},
			},
			fields: [2][numFields]float64{
				{533.854785312473, 533.8652975939722, 342.3415671018404, 234.99797764552133, -0.2834962421551399, 0.047635938185013986, 0.0011263821175734109, 1.0640129080869476e-05, 0.11615992730798155},
				{537.2991765128162, 536.8482849363693, 327.2381979769977, 249.84694218671316, -0.2942299601332571, 0.1342332550945528, -0.00042903904011817276, 0.00035565760080923483, -0.045629005040461044},
			},
		},
	} {
		p, err := calibrator(t, Options{RefineCameras: c.refine}).Pair(a, b, views)
		require.NoError(t, err)
		require.InDelta(t, c.rms, p.RMS, 1e-10)
		require.InDeltaSlice(t, c.pose.R[:], p.Pose.R[:], 1e-8)
		require.InDeltaSlice(t, c.pose.T[:], p.Pose.T[:], 1e-7)
		for i, camera := range []*camera.Camera{&p.A, &p.B} {
			for k, field := range fieldsOf(camera) {
				require.InDelta(t, c.fields[i][k], *field, 1e-5, "camera %d, field %d", i, k)
			}
		}
		if !c.refine {
			require.Equal(t, a.Camera, p.A)
			require.Equal(t, b.Camera, p.B)
		}
		require.True(t, p.Converged)
		require.Zero(t, p.Beyond)
		require.Len(t, p.Poses, len(views))
	}
}
