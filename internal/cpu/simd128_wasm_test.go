//go:build js && simd128

package cpu

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSIMD128 checks that the program is connected with its kernels, unless the test shall
// run without them.
func TestSIMD128(t *testing.T) {
	require.Equal(t, os.Getenv("NOSIMD128") == "", Has(SIMD128))
}
