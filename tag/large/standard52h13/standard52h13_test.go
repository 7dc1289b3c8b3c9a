package standard52h13_test

import (
	"testing"

	"github.com/fastcorners/fast/internal/test/tagtest"
	"github.com/fastcorners/fast/tag"
	_ "github.com/fastcorners/fast/tag/large/standard52h13"
)

// TestDictionary compares all markers with the images that apriltag_to_image of AprilTag 3.3.0
// returns, and draws and finds some.
func TestDictionary(t *testing.T) {
	tagtest.RequireDrawings(t, tag.Standard52h13, 48714, "6b44a9c7e9a549f000d7ec2755c763133139374862b115cac76655399e9e0ddd")
	tagtest.RequireKind(t, tag.Standard52h13)
}
