// Package tree finds the files of the library that the evaluation looks at.
package tree

import (
	"errors"
	"image"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fastcorners/fast/internal/program/frames"
)

// Root returns the directory of the library: the nearest one above the working
// directory that has its photos.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "photos")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no directory above this one has testdata/photos; run this inside the repository")
		}
		dir = parent
	}
}

// Photos returns the photos of the library.
func Photos() ([]*image.Gray, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return frames.Load(photos(root))
}

// Photo returns the photo in the file of this name.
func Photo(name string) (*image.Gray, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return frames.Read(photos(root), name)
}

// photos returns the directory of the photos below the root of the repository.
func photos(root string) fs.FS {
	return os.DirFS(filepath.Join(root, "testdata", "photos"))
}
