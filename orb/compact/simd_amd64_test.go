//go:build !purego

package compact

import (
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
)

// TestRequiredFeatures compares the features that the assembly functions use with those
// that the rows of the table need.
func TestRequiredFeatures(t *testing.T) { asmtest.RequireFeatures(t, table) }
