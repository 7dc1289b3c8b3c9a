package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/fastcorners/fast/internal/pgm"
	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// photo is the image that is taken when the command line names none: Eileen
// Collins, photographed by NASA, public domain. It is a copy of
// testdata/photos/astronaut_512x512.png; testdata/SOURCES.md says more.
//
//go:embed astronaut_512x512.png
var photo []byte

// photoName is what the report calls the photo.
const photoName = "astronaut_512x512.png"

// maxPixels is the size of the largest image that is decoded. The header of a
// broken file may promise more than any memory holds.
const maxPixels = 1 << 29

// An input is an image to find corners in.
type input struct {
	name    string      // the path of the file
	info    fs.FileInfo // nil for the photo of the program
	picture string      // path to write the picture to, or empty
}

// stem returns the name of the file without directory and ending.
func (in input) stem() string {
	base := filepath.Base(in.name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// findInputs returns the images that the arguments name, files in the order
// given and those of a directory in lexical order. It calls fail for each
// argument or directory entry that it cannot find an image in.
func findInputs(args []string, fail func(error)) []input {
	if len(args) == 0 {
		return []input{{name: photoName}}
	}
	var inputs []input
	add := func(path string) bool {
		info, err := os.Stat(path)
		if err != nil {
			fail(fmt.Errorf("%s: %w", path, reason(err)))
			return false
		}
		if !info.IsDir() {
			inputs = append(inputs, input{name: path, info: info})
		}
		return info.IsDir()
	}
	for _, arg := range args {
		if !add(arg) {
			continue
		}
		n := len(inputs)
		failed := false
		// The separator makes WalkDir follow a symbolic link to a directory.
		filepath.WalkDir(arg+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				fail(fmt.Errorf("%s: %w", path, reason(err)))
				failed = true
			case d.Type()&^fs.ModeSymlink == 0 && isImageName(d.Name()):
				add(path)
			}
			return nil
		})
		if len(inputs) == n && !failed {
			fail(fmt.Errorf("%s: no images in this directory", arg))
		}
	}
	return inputs
}

// isImageName reports whether a file in a directory is to be read.
func isImageName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".pgm":
		return !pictureName.MatchString(name)
	}
	return false
}

// openImage returns a file as an input, and its image.
func openImage(name string) (input, image.Image, error) {
	info, err := os.Stat(name)
	if err != nil {
		return input{}, nil, reason(err)
	}
	if info.IsDir() {
		return input{}, nil, errors.New("a directory, not an image")
	}
	in := input{name: name, info: info}
	img, err := in.load()
	return in, img, err
}

// load reads and decodes the image.
func (in input) load() (image.Image, error) {
	if in.info == nil {
		return decode(bytes.NewReader(photo))
	}
	f, err := os.Open(in.name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	img, err := decode(f)
	if err != nil {
		return nil, reason(err)
	}
	return img, nil
}

// decode decodes an image of any format unless it is too large.
func decode(r io.Reader) (image.Image, error) {
	var head bytes.Buffer
	config, _, err := image.DecodeConfig(io.TeeReader(r, &head))
	if err != nil {
		return nil, err
	}
	if w, h := config.Width, config.Height; int64(w)*int64(h) > maxPixels {
		return nil, fmt.Errorf("%d x %d pixels are more than corners takes", w, h)
	}
	img, _, err := image.Decode(io.MultiReader(&head, r))
	return img, err
}

// reason returns err without the operation and the path that package os puts
// before it, for a message that starts with the path already.
func reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}
