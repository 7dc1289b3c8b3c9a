package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// makeDir makes the directory, unless it exists, and tries whether files can
// be made in it.
func makeDir(dir string) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var f *os.File
		if f, err = createTemp(dir); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, reason(err))
	}
	return nil
}

// createTemp makes a new file in dir. Unlike that of os.CreateTemp it may be
// read by others as far as the umask lets them.
func createTemp(dir string) (*os.File, error) {
	name := filepath.Join(dir, fmt.Sprintf(".corners-%016x.tmp", rand.Uint64()))
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// writePNG writes the picture to path, all of it or nothing: under another
// name, which it changes at the end.
func writePNG(path string, picture image.Image) (err error) {
	var file bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&file, picture); err != nil {
		return err
	}
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(file.Bytes()); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// pictureName matches the names of pictures.
var pictureName = regexp.MustCompile(`((^|-)corners|-matches)(-[0-9]+)?\.png$`)

// namePictures gives each input the path of its picture: a different one in
// dir for each, and none that would replace a file that is read.
func namePictures(inputs, read []input, dir string) {
	taken := make(map[string]bool)
	for i := range inputs {
		stem := "corners"
		if inputs[i].info != nil {
			stem = inputs[i].stem() + "-corners"
		}
		inputs[i].picture = namePicture(dir, stem, taken, read)
	}
}

// namePicture returns the path of a picture in dir that is not taken, and takes
// it.
func namePicture(dir, stem string, taken map[string]bool, read []input) string {
	name := stem + ".png"
	// Names that differ only in case are one file on some systems.
	for n := 2; taken[strings.ToLower(name)] || isInput(filepath.Join(dir, name), read); n++ {
		name = fmt.Sprintf("%s-%d.png", stem, n)
	}
	taken[strings.ToLower(name)] = true
	return filepath.Join(dir, name)
}

// isInput reports whether path is the file of one of the inputs.
func isInput(path string, inputs []input) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, in := range inputs {
		if in.info != nil && os.SameFile(info, in.info) {
			return true
		}
	}
	return false
}

// announce says which pictures were written.
func (s *session) announce(out output, pictures []string) error {
	what := pictures[0]
	if n := len(pictures); n > 1 {
		what = fmt.Sprintf("%d pictures into %s", n, out.dir)
	}
	w := s.stderr
	if out.format == formatTable {
		w = s.stdout
	}
	_, err := fmt.Fprintf(w, "wrote %s\n", what)
	return err
}
