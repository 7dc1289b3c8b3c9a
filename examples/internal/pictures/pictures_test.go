package pictures

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWrite checks that a file is whole or not there.
func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.png")
	half := func(err error) error {
		return write(name, func(w io.Writer) error {
			io.WriteString(w, "half")
			return err
		})
	}
	require.NoError(t, half(nil))
	require.FileExists(t, name)
	full := errors.New("full")
	require.ErrorIs(t, half(full), full)
	require.NoFileExists(t, name)
	// A link to a device, which the test can lose.
	if os.Symlink(os.DevNull, name) == nil {
		require.ErrorIs(t, half(full), full)
		_, err := os.Lstat(name)
		require.NoError(t, err)
	}
}
