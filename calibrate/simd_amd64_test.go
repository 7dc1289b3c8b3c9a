//go:build !purego

package calibrate

import (
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
)

// TestRequiredFeatures checks that the rows ask for what their functions use.
func TestRequiredFeatures(t *testing.T) {
	asmtest.RequireFeatures(t, table)
}
