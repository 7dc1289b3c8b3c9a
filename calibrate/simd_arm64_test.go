//go:build !purego

package calibrate

import (
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
)

// TestNEON checks that arm64 always has NEON, so that the other tests here are of it.
func TestNEON(t *testing.T) { asmtest.RequireFirst(t, "neon", table) }
