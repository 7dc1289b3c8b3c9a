package pose

import (
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// TestUnrelatedPhotos checks that there is no answer for matches of photos of different things, the
// keypoints of which are in crowds, and that there is one for two photos of the same.
func TestUnrelatedPhotos(t *testing.T) {
	names := []string{
		"camera_512x512", "coffee_600x400", "chelsea_451x300", "seeding_1920x1080", "life_640x480", "aitzgorri_752x480",
		"astronaut_512x512", "brick_512x512", "grass_512x512", "picos_1241x376", "picos_1280x720",
	}
	thresholds := []float64{3}
	switch {
	case *long:
		thresholds = append(thresholds, 1)
	case testing.Short():
		names = names[:3]
	default:
		names = append(names[3:7], names[9:]...)
	}
	extractor, err := orb.New(orb.Options{})
	require.NoError(t, err)
	matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true})
	require.NoError(t, err)
	keypoints, descriptors := make([][]orb.Keypoint, len(names)), make([][]match.Descriptor, len(names))
	cameras := make([]camera.Camera, len(names))
	for i, name := range names {
		photo := imagetest.Photo(t, name)
		keypoints[i], descriptors[i] = extractor.Extract(photo, nil)
		cameras[i] = camera.Camera{Fx: 500, Fy: 500, Cx: float64(photo.Rect.Dx()) / 2, Cy: float64(photo.Rect.Dy()) / 2}
	}
	for i, name := range names {
		for k, other := range names[:i] {
			a, b, _ := geometry.Pairs(keypoints[k], keypoints[i], matcher.Match(descriptors[k], descriptors[i]))
			for _, threshold := range thresholds {
				e, err := New(Options{InlierThreshold: threshold})
				require.NoError(t, err)
				_, relative := e.Relative(cameras[k], cameras[i], a, b, nil, nil)
				_, fundamental := e.Fundamental(a, b, nil, nil)
				if other == "picos_1241x376" && name == "picos_1280x720" { // parts of one photo
					require.NoError(t, relative)
					continue
				}
				require.ErrorIs(t, relative, ErrSupport, "%s, %s, threshold %g", other, name, threshold)
				require.ErrorIs(t, fundamental, ErrSupport, "%s, %s, threshold %g", other, name, threshold)
			}
		}
	}
}
