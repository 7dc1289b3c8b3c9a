package clockrate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGHz(t *testing.T) {
	if !Known {
		t.Skip("the number of cycles of a multiplication is not known here")
	}
	// An emulator may be slow, but no core is that fast.
	require.Greater(t, GHz(), 0.0)
	require.Less(t, GHz(), 10.0)
}
