package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// Drafts are the pictures that are not yet complete, or not yet in their places. When the
// program ends none is left.
type drafts struct {
	mu    sync.Mutex
	files map[string]*os.File
	ended bool
}

// makeDir makes the directory, unless it exists. It fails if files cannot be made in it.
func (d *drafts) makeDir(dir string) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var f *os.File
		if f, err = d.create(dir + string(filepath.Separator)); err == nil {
			err = d.remove(f.Name())
		}
	}
	if err != nil {
		return report.Named(dir, report.Reason(err))
	}
	return nil
}

// create makes a draft for path, in the directory of the file that this leads to. Unlike a file of
// os.CreateTemp, others may read it if the umask permits.
func (d *drafts) create(path string) (*os.File, error) { return d.createAs(path, ".tmp") }

// createAs is create with an extension of the name, by which another program knows what to write.
func (d *drafts) createAs(path, ext string) (*os.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return nil, context.Canceled
	}
	dir, _ := split(follow(path))
	name := dir + fmt.Sprintf(".corners-%016x%s", rand.Uint64(), ext)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		if d.files == nil {
			d.files = make(map[string]*os.File)
		}
		d.files[name] = f
	}
	return f, err
}

// remove removes a draft.
func (d *drafts) remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name].Close()
	delete(d.files, name)
	return os.Remove(name)
}

// discard removes all drafts. From then on there are none.
func (d *drafts) discard() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	for name, f := range d.files {
		f.Close()
		os.Remove(name)
	}
	clear(d.files)
}

// write writes a picture to a draft for path, and returns its name. It fails when the context
// is done.
func (d *drafts) write(ctx context.Context, path string, picture image.Image) (name string, err error) {
	f, err := d.create(path)
	if err != nil {
		return "", report.Named(path, report.Reason(err))
	}
	w := bufio.NewWriterSize(writerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return f.Write(p)
	}), 1<<16)
	err = encodePNG(w, picture)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		d.remove(f.Name())
		return "", report.Named(path, report.Reason(err))
	}
	return f.Name(), nil
}

// save writes a picture to path, by a draft.
func (d *drafts) save(ctx context.Context, path string, picture image.Image, force bool) error {
	draft, err := d.write(ctx, path, picture)
	if err != nil {
		return err
	}
	return d.publish(draft, path, force)
}

// publish gives a draft its place. Where path is a symbolic link, that is where the link leads.
func (d *drafts) publish(name, path string, force bool) error {
	err := checkTarget(path, force) // it may be new
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && d.ended {
		err = context.Canceled
	}
	if err == nil {
		err = os.Rename(name, follow(path))
	}
	if err != nil {
		return report.Named(path, report.Reason(err))
	}
	delete(d.files, name)
	return nil
}

// A writerFunc is a function that writes.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

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

// A target is where pictures go.
type target struct {
	dir   string
	file  string              // the name of the one picture in it, or empty
	force bool                // overwrite pictures that the program has not drawn
	taken map[string][]string // the directories of pictures, by their names in lower case

	read   []input // whose files are never replaced
	stdout place   // which neither is
}

// newTarget returns where pictures go, which must not replace files that are read, nor that of
// standard output.
func newTarget(out output, read []input, stdout io.Writer) *target {
	t := &target{dir: out.path, force: out.force, taken: make(map[string][]string), read: read, stdout: placeOf(report.Stdio, stdout)}
	if isPNG(out.path) && !isDir(out.path) {
		t.dir, t.file = filepath.Split(out.path)
		t.dir = filepath.Clean(t.dir) // . if it is empty
	}
	return t
}

// isPNG reports whether a path has the extension of pictures.
func isPNG(path string) bool {
	return strings.EqualFold(filepath.Ext(path), ".png")
}

// isDir reports whether a path is that of a directory.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// path returns the path of a picture. Its name is stem, with a number if that is taken by
// another picture or by a file that is read. path fails if the file must not be replaced.
func (t *target) path(stem string) (string, error) {
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
func (t *target) free(stem string) string {
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
func (t *target) conflict(path string) error {
	p := placeOf(path, nil)
	if p.is(t.stdout) {
		return errors.New("standard output goes to this file")
	}
	for _, in := range t.read {
		if in.info != nil && p.is(place{info: in.info}) {
			return errors.New("this image is read, and never overwritten")
		}
	}
	return nil
}
