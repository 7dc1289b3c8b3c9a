package pictures

import (
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

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

// TestWatch checks that pictures are read when they come and when they change, and not while they are
// being written.
func TestWatch(t *testing.T) {
	folder := t.TempDir()
	modified := time.Now()
	put := func(name string, x int, half bool) *image.Gray {
		img := image.NewGray(image.Rect(0, 0, 5, 3))
		img.SetGray(x, 1, color.Gray{200})
		name = filepath.Join(folder, name)
		Save(name, img)
		if half {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(name, data[:len(data)/2], 0o666))
		}
		modified = modified.Add(time.Second)
		require.NoError(t, os.Chtimes(name, modified, modified))
		return img
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "folder"), 0o777))
	b, a := put("b.png", 1, false), put("a.png", 0, false)
	want := []*image.Gray{a, b}
	put("c.png", 2, true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []*image.Gray
	for img := range Watch(ctx, folder, time.Millisecond) {
		switch got = append(got, img); len(got) {
		case 2:
			want = append(want, put("c.png", 2, false))
		case 3:
			want = append(want, put("a.png", 3, false))
		case 4:
			cancel()
		}
	}
	require.Equal(t, want, got)
	for range Watch(t.Context(), folder, time.Hour) {
		break
	}
}
