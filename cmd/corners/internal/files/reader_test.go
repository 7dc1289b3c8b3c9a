package files

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/photo"
	"github.com/stretchr/testify/require"
)

// broken is the error of a file that cannot be read.
var broken = &os.PathError{Op: "read", Path: "a.png", Err: errors.New("input/output error")}

// Errors in reading are told, also where package image takes them for the end of the file.
func TestReadErrors(t *testing.T) {
	data := filetest.Encode(t, filetest.StorePNG, filetest.Square(40, 30))
	r := NewReader(t.Context(), nil, nil)
	r.SetMemory(cli.GiB)
	for _, n := range []int64{0, 3, 20, 60} {
		f := r.hold(data)
		f.Source = failingSource{f.Source, n}
		_, err := r.decode(f, false, 0, nil)
		require.Error(t, err)
		require.EqualError(t, f.broken, "input/output error")
	}
	f := r.hold(data)
	img, err := r.decode(f, false, 0, nil)
	require.NoError(t, err)
	require.Equal(t, filetest.Square(40, 30), img.Image)
}

// A failingSource fails from byte n on.
type failingSource struct {
	photo.Source
	n int64
}

func (f failingSource) Read(p []byte) (int, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil || at >= f.n {
		return 0, broken
	}
	return f.Source.Read(p[:min(int64(len(p)), f.n-at)])
}

func (f failingSource) ReadAt(p []byte, off int64) (int, error) {
	return 0, broken
}
