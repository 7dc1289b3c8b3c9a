package batch

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// tarName is what the names of tar files end with. The photos in them are named by what follows a
// number sign behind that.
const tarName = ".tar"

// photoNames are what the names of the photos in a tar file end with, in any case. Other members
// are labels and the like.
var photoNames = []string{".bmp", ".gif", ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"}

// errTar is the error of a tar file that is read as an image, because its members cannot be listed.
var errTar = errors.New("a damaged tar file")

func isTar(name string) bool { return strings.EqualFold(path.Ext(name), tarName) }

// fileOf returns the name of the file that a source is in.
func fileOf(f Source) string {
	if f.Offset == 0 {
		return f.Name
	}
	return f.Name[:strings.Index(strings.ToLower(f.Name), tarName+"#")+len(tarName)]
}

// An expander passes files on and, in place of tar files, the photos in them. It reads several tar
// files at a time.
type expander struct {
	walker  walker
	emit    func(Source)
	mu      sync.Mutex
	reading errgroup.Group
}

// mostTars is how many tar files are read at a time.
const mostTars = 16

func newExpander(w walker, emit func(Source)) *expander {
	x := &expander{walker: w, emit: emit}
	x.reading.SetLimit(mostTars)
	return x
}

func (x *expander) pass(f Source) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.emit(f)
}

// add passes a file on, or reads it.
func (x *expander) add(ctx context.Context, f Source) {
	if !isTar(f.Name) {
		x.pass(f)
		return
	}
	x.reading.Go(func() error {
		photos, err := x.read(ctx, f)
		if err == nil {
			for _, photo := range photos {
				x.pass(photo)
			}
			return nil
		}
		if ownFault(err) {
			x.pass(f) // it becomes a dead letter
			return nil
		}
		return fmt.Errorf("%s: %w", f.Name, reason(err))
	})
}

func (x *expander) wait() error { return x.reading.Wait() }

// read returns the photos in a tar file.
func (x *expander) read(ctx context.Context, f Source) (photos []Source, err error) {
	err = retry(ctx, func(ctx context.Context, progress func()) error {
		photos = nil
		if err := checkRegular(f.Name); err != nil {
			return err
		}
		file, err := x.walker.open(ctx, f.Name, 0, -1)
		if err != nil {
			return err
		}
		defer file.Close()
		counted := &counter{Reader: progressReader{file, progress}}
		var in io.Reader = counted
		if seeker, ok := file.(io.Seeker); ok { // local, where what is not read costs nothing
			counted.seeker = seeker
			in = seekingCounter{counted}
		}
		for r := tar.NewReader(in); ; {
			header, err := r.Next()
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case errors.Is(err, tar.ErrHeader), errors.Is(err, io.ErrUnexpectedEOF) && (counted.seeker != nil || counted.n >= f.Size):
				return errTar
			case err != nil:
				return err
			}
			if header.Typeflag == tar.TypeReg && slices.Contains(photoNames, strings.ToLower(path.Ext(header.Name))) {
				photos = append(photos, Source{f.Name + "#" + header.Name, header.Size, f.Modified, f.ETag, counted.n})
			}
		}
	})
	return photos, err
}

// A counter knows where in a file it is.
type counter struct {
	io.Reader
	seeker io.Seeker
	n      int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// A seekingCounter is a counter of a file that can be skipped in.
type seekingCounter struct{ *counter }

func (c seekingCounter) Seek(offset int64, whence int) (n int64, err error) {
	c.n, err = c.seeker.Seek(offset, whence)
	return c.n, err
}
