package pictures

import (
	"errors"
	"image"
	"image/color"
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

// TestFrames checks that a folder and a stream of the same pictures have the same frames.
func TestFrames(t *testing.T) {
	folder := t.TempDir()
	video := "YUV4MPEG2 W5 H3 F30:1 Cmono\n"
	var want []*image.Gray
	for i, name := range []string{"000.png", "001.png", "010.png"} {
		img := image.NewGray(image.Rect(0, 0, 5, 3))
		img.SetGray(i, 1, color.Gray{200})
		want = append(want, img)
		Save(filepath.Join(folder, name), img)
		video += "FRAME\n" + string(img.Pix)
	}
	stream := filepath.Join(t.TempDir(), "a.y4m")
	require.NoError(t, os.WriteFile(stream, []byte(video), 0o666))
	for _, name := range []string{folder, stream} {
		var got []*image.Gray
		for frame := range Frames(name) {
			got = append(got, frame)
		}
		require.Equal(t, want, got, name)
	}
	for range Frames(stream) {
		break
	}
}
