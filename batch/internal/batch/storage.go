package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// openStorage returns the file system that a path is in.
func openStorage(ctx context.Context, path string) (fs filesystem.Interface, err error) {
	defer func() {
		if r := recover(); r != nil { // that of S3 panics for want of a configuration
			err = fmt.Errorf("%s: %v", path, r)
		}
	}()
	fs, err = filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	if scheme := schemeOf(path); scheme == "s3" || scheme == "gs" {
		fs = objectStore{fs}
	}
	if _, ok := fs.(filesystem.Renamer); !ok {
		fs = steady{fs}
	}
	return fs, nil
}

// schemeOf returns what a path has before ://, which is nothing for local files.
func schemeOf(path string) string {
	scheme, _, found := strings.Cut(path, "://")
	if !found {
		return ""
	}
	return scheme
}

// An objectStore takes names as they are, for a file system that parses them as URLs. It
// does not rename: an object appears when it is complete.
type objectStore struct{ fs filesystem.Interface }

func (o objectStore) Close() error { return o.fs.Close() }

func (o objectStore) List(ctx context.Context, pattern string) ([]string, error) {
	return o.fs.List(ctx, encode(pattern))
}

func (o objectStore) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	return o.fs.OpenRead(ctx, encode(name))
}

func (o objectStore) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	return o.fs.OpenWrite(ctx, encode(name))
}

func (o objectStore) Size(ctx context.Context, name string) (int64, error) {
	return o.fs.Size(ctx, encode(name))
}

func (o objectStore) Remove(ctx context.Context, name string) error {
	return o.fs.(filesystem.Remover).Remove(ctx, encode(name))
}

// writeFile writes a file, which is on its disk then, if it is a local one.
func writeFile(ctx context.Context, fs filesystem.Interface, name string, data []byte) error {
	out, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if _, err = out.Write(data); err == nil {
		err = syncFile(out)
	}
	return errors.Join(err, out.Close())
}

// syncFile has the system write a local file to its disk.
func syncFile(out io.Writer) error {
	if file, ok := out.(interface{ Sync() error }); ok {
		return file.Sync()
	}
	return nil
}

// syncDir has the system write the directory of a local file to its disk, and the one above
// it, which names the directory.
func syncDir(path string) error {
	if schemeOf(path) != "" || runtime.GOOS == "windows" { // where directories are not synced
		return nil
	}
	for range 2 {
		path = filepath.Dir(path)
		dir, err := os.Open(path)
		if err != nil {
			return err
		}
		err = dir.Sync()
		if errors.Is(err, syscall.EINVAL) {
			err = nil // not all file systems can
		}
		if err := errors.Join(err, dir.Close()); err != nil {
			return err
		}
	}
	return nil
}

// encode returns the URL whose path is the key that a name has after its bucket.
func encode(name string) string {
	scheme, rest, _ := strings.Cut(name, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	return scheme + "://" + bucket + (&url.URL{Path: "/" + key}).EscapedPath()
}

// ownFault reports whether a file could not be read because of what it is, and not for a
// reason that concerns other files, too, or that may pass.
func ownFault(err error) bool {
	for _, fault := range []error{
		errTooLarge, errTar, errNotRegular, fs.ErrPermission,
		syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.ENXIO,
	} {
		if errors.Is(err, fault) {
			return true
		}
	}
	// Beam's file systems have no other errors of object stores than text. Spaces are
	// encoded in the names in it.
	text := err.Error()
	for _, fault := range []string{
		" AccessDenied: ", " InvalidObjectState: ", "googleapi: Error 403: ",
	} {
		if strings.Contains(text, fault) {
			return true
		}
	}
	return notFound(err)
}

// errNotRegular is the error of a pipe or a device, from which nothing may ever come.
var errNotRegular = errors.New("not a regular file")

// checkRegular returns an error if a local file is there, and neither a regular one nor a directory,
// which fails otherwise.
func checkRegular(name string) error {
	if schemeOf(name) != "" {
		return nil
	}
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = errNotRegular
	}
	return err
}

// notFound reports whether there is no such file.
func notFound(err error) bool {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err != nil
	}
	text := err.Error()
	return strings.Contains(text, " NoSuchKey: ") || strings.Contains(text, "storage: object doesn't exist")
}

// reason returns err without the operation and the path that package os puts before it.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// A storage is the file system of the last name. All names are likely to be in one.
type storage struct {
	scheme string
	filesystem.Interface
	list walker // of the same file system, or nil
}

// of returns the file system that a file is in. It is open until the storage is closed.
func (s *storage) of(ctx context.Context, name string) (filesystem.Interface, error) {
	scheme := schemeOf(name)
	if s.Interface != nil && s.scheme == scheme {
		return s.Interface, nil
	}
	s.close()
	// It outlives the bundle of this context.
	fs, err := openStorage(context.WithoutCancel(ctx), name)
	if err == nil {
		s.scheme, s.Interface = scheme, fs
	}
	return fs, err
}

// walker returns the file system that a file is in, and a walker of it.
func (s *storage) walker(ctx context.Context, name string) (filesystem.Interface, walker, error) {
	fs, err := s.of(ctx, name)
	if err == nil && s.list == nil {
		s.list, err = openWalker(context.WithoutCancel(ctx), name)
	}
	return fs, s.list, err
}

func (s *storage) close() error {
	var err error
	if s.list != nil {
		err = s.list.Close()
		s.list = nil
	}
	if s.Interface != nil {
		err = errors.Join(err, s.Close())
		s.Interface = nil
	}
	return err
}

// join returns the path of a file in a directory of any file system.
func join(dir, name string) string {
	return strings.TrimRight(dir, "/") + "/" + name
}
