package files

import (
	"errors"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"
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
		_, err := r.decode(f, Purpose{})
		require.Error(t, err)
		require.EqualError(t, f.broken, "input/output error")
	}
	f := r.hold(data)
	img, err := r.decode(f, Purpose{})
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
	if off >= f.n {
		return 0, broken
	}
	return f.Source.ReadAt(p, off)
}

// An error of reading is that of the file, also where the decoder goes on without the rest, or says
// something else.
func TestHiddenReadErrors(t *testing.T) {
	image.RegisterFormat("tolerant", "TOLERANT", func(r io.Reader) (image.Image, error) {
		io.ReadAll(r) // as far as it goes
		return image.NewGray(image.Rect(0, 0, 3, 2)), nil
	}, func(io.Reader) (image.Config, error) {
		return image.Config{ColorModel: color.GrayModel, Width: 3, Height: 2}, nil
	})
	r := NewReader(t.Context(), nil, nil)
	r.SetMemory(cli.GiB)
	tolerant := append([]byte("TOLERANT"), make([]byte, 1<<16)...)
	for name, data := range map[string][]byte{"a.tolerant": tolerant, "a.png": filetest.Encode(t, filetest.StorePNG, filetest.Square(400, 300))} {
		for _, n := range []int64{6000, 1 << 30} {
			f := r.hold(data)
			f.Source = failingSource{f.Source, n}
			_, err := r.load(name, f, Purpose{})
			if n == 6000 {
				require.EqualError(t, err, name+": input/output error")
			} else {
				require.NoError(t, err)
			}
		}
	}
}

// A decoder that panics makes the file an error.
func TestPanickingDecoder(t *testing.T) {
	panics := func(io.Reader) (image.Image, error) { panic("index out of range") }
	header := func(io.Reader) (image.Config, error) {
		return image.Config{ColorModel: color.GrayModel, Width: 3, Height: 2}, nil
	}
	image.RegisterFormat("panics", "PANICS", panics, header)
	image.RegisterFormat("header panics", "HEADER", panics, func(io.Reader) (image.Config, error) { panic("nil map") })
	r := NewReader(t.Context(), nil, nil)
	r.SetMemory(cli.GiB)
	for text, want := range map[string]string{"PANICS": "index out of range", "HEADER": "nil map"} {
		_, err := r.Load(Input{Name: "a", data: []byte(text)}, Purpose{})
		require.EqualError(t, err, "a: cannot be decoded (panic: "+want+")")
	}
}

// Bilevel TIFF files as of fax machines, which libtiff has made of one picture, are seen as that
// picture, whatever their zeros are.
func TestBilevelTIFF(t *testing.T) {
	want := filetest.ReadPNG(t, "testdata/bilevel.png")
	r := NewReader(t.Context(), nil, nil)
	r.SetMemory(cli.GiB)
	for _, name := range []string{"black_is_zero_g3.tif", "black_is_zero_g4.tif", "white_is_zero_g4.tif"} {
		in, err := r.Input(filepath.Join("testdata", name))
		require.NoError(t, err)
		img, err := r.Load(in, Purpose{})
		require.NoError(t, err)
		require.Equal(t, want, img.Image, name)
	}
}
