package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/parquet-go/parquet-go"
)

// readTable calls do for each row of files below a directory.
func readTable[R any](ctx context.Context, s *storage, dir string, files []File, do func(R) error) error {
	for _, f := range files {
		if err := readRows(ctx, s, join(dir, f.Path), do); err != nil {
			return err
		}
	}
	return nil
}

// readRows calls do for each row of a file. It has as many of them in memory as it reads at a
// time.
func readRows[R any](ctx context.Context, s *storage, path string, do func(R) error) error {
	file, size, err := s.openAt(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	defer file.Close()
	return readRowsAt(ctx, path, file, size, do)
}

// readRowsAt is readRows for a file that is open.
func readRowsAt[R any](ctx context.Context, path string, file io.ReaderAt, size int64, do func(R) error) error {
	parsed, err := parquet.OpenFile(file, size)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return readParsed(ctx, path, parsed, do)
}

// readParsed is readRows for a file whose schema has been read.
func readParsed[R any](ctx context.Context, path string, parsed *parquet.File, do func(R) error) error {
	r := parquet.NewGenericReader[R](parsed)
	defer r.Close()
	var rows [16]R
	for ctx.Err() == nil {
		clear(rows[:]) // what do has must not be written to
		n, err := r.Read(rows[:])
		for _, row := range rows[:n] {
			if err := do(row); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return ctx.Err()
}

// A readAtCloser is a file that can be read anywhere.
type readAtCloser interface {
	io.ReadCloser
	io.ReaderAt
}

// openAt opens a file to read it anywhere. What is not a local file is copied to one for as long
// as it is open.
func (s *storage) openAt(ctx context.Context, path string) (readAtCloser, int64, error) {
	fs, err := s.of(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	return openAt(ctx, fs, path)
}

// openAt is storage.openAt in a file system.
func openAt(ctx context.Context, fs filesystem.Interface, path string) (file readAtCloser, size int64, err error) {
	err = retry(ctx, func(ctx context.Context, progress func()) error {
		file, size, err = openAtOnce(ctx, fs, path, progress)
		return err
	})
	return file, size, err
}

func openAtOnce(ctx context.Context, fs filesystem.Interface, path string, progress func()) (readAtCloser, int64, error) {
	in, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	if file, ok := in.(*os.File); ok {
		info, err := file.Stat()
		if err != nil {
			file.Close()
			return nil, 0, err
		}
		return file, info.Size(), nil
	}
	defer in.Close()
	out, err := createTemporary()
	if err != nil {
		return nil, 0, err
	}
	n, err := io.Copy(out, progressReader{in, progress})
	if err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, 0, errors.Join(err, out.Close())
	}
	return out, n, nil
}
