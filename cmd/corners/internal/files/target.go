package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// checkTarget returns an error if a picture must not be written to path, where there is
// something that the program has not drawn. If force is set, any file may be replaced.
func checkTarget(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return report.Reason(err)
	case info.IsDir():
		return errors.New("a directory is in the way")
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	case !force && !isDrawn(path):
		return errors.New("corners has not drawn this file, and overwrites it only with -f")
	}
	return nil
}

// A Target is where pictures go.
type Target struct {
	dir   string
	file  string              // the name of the one picture in it, or empty
	force bool                // overwrite pictures that the program has not drawn
	taken map[string][]string // the directories of pictures, by their names in lower case

	read   []Input // whose files are never replaced
	stdout Place   // which neither is
}

// NewTarget returns the Target for a path, a directory or the name of one picture, at which any file
// may be replaced with force, but never one that is read, nor that of standard output.
func NewTarget(path string, force bool, read []Input, stdout io.Writer) *Target {
	t := &Target{dir: path, force: force, taken: make(map[string][]string), read: read, stdout: PlaceOf(report.Stdio, stdout)}
	if IsPNG(path) && !IsDir(path) {
		t.dir, t.file = filepath.Split(path)
		t.dir = filepath.Clean(t.dir) // . if it is empty
	}
	return t
}

// Dir returns the directory of the pictures.
func (t *Target) Dir() string { return t.dir }

// Name returns the name that a picture has in the directory, unless that is taken: its stem with an
// extension, or the given one.
func (t *Target) Name(stem string) string { return cmp.Or(t.file, stem+".png") }

// IsOne reports whether there can be one picture only, whose name is given.
func (t *Target) IsOne() bool { return t.file != "" }

// IsPNG reports whether a path has the extension of pictures.
func IsPNG(path string) bool {
	return strings.EqualFold(filepath.Ext(path), ".png")
}

// IsDir reports whether a path is that of a directory.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Path returns the path of a picture. Its name is stem, with a number if that is taken by
// another picture or by a file that is read. Path fails if the file must not be replaced.
func (t *Target) Path(stem string) (string, error) {
	path := filepath.Join(t.dir, t.file)
	if t.file == "" {
		path = t.free(stem)
	} else if err := t.conflict(path); err != nil {
		return "", report.Named(path, err)
	}
	if err := checkTarget(path, t.force); err != nil {
		return "", report.Named(path, err)
	}
	return path, nil
}

// free returns a path that no other picture has, and none of the files that are in use.
func (t *Target) free(stem string) string {
	for n := 1; ; n++ {
		name := stem + ".png"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.png", stem, n)
		}
		path := filepath.Join(t.dir, name)
		dir, name := split(follow(path))
		name = strings.ToLower(name) // Names that differ only in case are one file on some systems.
		taken := slices.ContainsFunc(t.taken[name], func(other string) bool { return sameDir(dir, other) })
		if !taken && t.conflict(path) == nil {
			t.taken[name] = append(t.taken[name], dir)
			return path
		}
	}
}

// conflict returns an error if a path is that of a file in use.
func (t *Target) conflict(path string) error {
	p := PlaceOf(path, nil)
	if p.Is(t.stdout) {
		return errors.New("standard output goes to this file")
	}
	for _, in := range t.read {
		if in.Info != nil && p.Is(Place{info: in.Info}) {
			return errors.New("this image is read, and never overwritten")
		}
	}
	return nil
}
