package clock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGHz(t *testing.T) {
	if !Known {
		t.Skip("it is not known how long a multiplication takes here")
	}
	// An emulator may be slow, but no core is that fast.
	require.Greater(t, GHz(), 0.0)
	require.Less(t, GHz(), 10.0)
}
