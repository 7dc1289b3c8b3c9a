package files

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// Drafts are the pictures that are not yet complete, or not yet in their places. When the
// program ends none is left.
type Drafts struct {
	mu    sync.Mutex
	files map[string]*os.File
	ended bool
}

// MakeDir makes the directory for what is to be written, as an error calls it, unless it exists. It
// fails if files cannot be made in it.
func (d *Drafts) MakeDir(dir, what string) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var f *os.File
		if f, err = d.create(dir + string(filepath.Separator)); err == nil {
			err = d.remove(f.Name())
		}
	}
	if err != nil {
		return report.Named(dir, fmt.Errorf("%s cannot be written there: %w (-o names another place, and -no-picture none)", what, report.Reason(err)))
	}
	return nil
}

// create makes a draft for path, in the directory of the file that this leads to. Unlike a file of
// os.CreateTemp, others may read it if the umask permits.
func (d *Drafts) create(path string) (*os.File, error) { return d.createAs(path, ".tmp") }

// createAs is create with an extension of the name, by which another program knows what to write.
func (d *Drafts) createAs(path, ext string) (*os.File, error) {
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
func (d *Drafts) remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name].Close()
	delete(d.files, name)
	return os.Remove(name)
}

// Discard removes all drafts. From then on there are none.
func (d *Drafts) Discard() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	for name, f := range d.files {
		f.Close()
		os.Remove(name)
	}
	clear(d.files)
}

// Write writes a picture to a draft for path, and returns its name. It fails when the context
// is done.
func (d *Drafts) Write(ctx context.Context, path string, picture image.Image) (name string, err error) {
	return d.write(ctx, path, func(w io.Writer) error { return encodePNG(w, picture) })
}

// write is Write for what encode writes.
func (d *Drafts) write(ctx context.Context, path string, encode func(w io.Writer) error) (name string, err error) {
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
	err = encode(w)
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

// Save writes a picture to path, by a draft.
func (d *Drafts) Save(ctx context.Context, path string, picture image.Image, force bool) error {
	draft, err := d.Write(ctx, path, picture)
	if err != nil {
		return err
	}
	return d.Publish(draft, path, force)
}

// SaveSVG is Save for a file in SVG.
func (d *Drafts) SaveSVG(ctx context.Context, path string, file []byte, force bool) error {
	draft, err := d.write(ctx, path, func(w io.Writer) error {
		_, err := w.Write(append([]byte(svgMark), file...))
		return err
	})
	if err != nil {
		return err
	}
	return d.Publish(draft, path, force)
}

// Publish gives a draft its place. Where path is a symbolic link, that is where the link leads.
func (d *Drafts) Publish(name, path string, force bool) error {
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
