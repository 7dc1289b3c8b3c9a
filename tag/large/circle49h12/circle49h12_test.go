package circle49h12_test

import (
	"testing"

	"github.com/fastcorners/fast/internal/test/tagtest"
	"github.com/fastcorners/fast/tag"
	_ "github.com/fastcorners/fast/tag/large/circle49h12"
)

// TestDictionary compares all markers with the images that apriltag_to_image of AprilTag 3.3.0
// returns, and draws and finds some.
func TestDictionary(t *testing.T) {
	tagtest.RequireDrawings(t, tag.Circle49h12, 65535, "dc371c873555dad720ff5f8b46016595c4a14132b48cc1d24d2154e512b538eb")
	tagtest.RequireKind(t, tag.Circle49h12)
}
