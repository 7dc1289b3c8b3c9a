package custom48h12_test

import (
	"testing"

	"github.com/fastcorners/fast/internal/test/tagtest"
	"github.com/fastcorners/fast/tag"
	_ "github.com/fastcorners/fast/tag/large/custom48h12"
)

// TestDictionary compares all markers with the images that apriltag_to_image of AprilTag 3.3.0
// returns, and draws and finds some.
func TestDictionary(t *testing.T) {
	tagtest.RequireDrawings(t, tag.Custom48h12, 42211, "cd05a885b50694e117682c05216ac73cc9bb48e3f539630cfe30bd07918aea8f")
	tagtest.RequireKind(t, tag.Custom48h12)
}
