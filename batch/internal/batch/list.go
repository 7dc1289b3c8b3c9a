package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A Source is a file as it is listed. File systems that report only names leave the rest 0.
type Source struct {
	Name     string `parquet:"name"`
	Size     int64  `parquet:"size"`                           // bytes
	Modified int64  `parquet:"modified,timestamp(nanosecond)"` // nanoseconds since 1970
	ETag     string `parquet:"etag"`
	Offset   int64  `parquet:"offset"` // of a photo in a tar file: where it begins; otherwise 0
}

// List lists the files that match a pattern. It returns a PCollection<Source>, and their number, a
// PCollection<int> with one element. The syntax of the pattern depends on the file system: for
// local files, it is that of filepath.Match, in each directory. Files are listed in parts, one for
// each directory that the first wildcards match, and each part in pages, which are emitted as they
// arrive, so no worker holds all names. Tar files are replaced by the photos in them. If no file
// matches, the pipeline fails.
func List(s beam.Scope, pattern string) (sources, total beam.PCollection) {
	s = s.Scope("batch.List")
	parts := beam.ParDo(s, &partFn{}, beam.Create(s, pattern))
	sources, tallies := beam.ParDo2(s, &listFn{}, beam.Reshuffle(s, parts))
	total = beam.ParDo(s, &tallyFn{pattern}, beam.Impulse(s), beam.SideInput{Input: parts}, beam.SideInput{Input: tallies})
	return sources, total
}

// ReadNames reads the names of files from a CSV file, one per line, optionally followed by their
// sizes and ETags. It returns the same as List.
func ReadNames(s beam.Scope, path string) (sources, total beam.PCollection) {
	s = s.Scope("batch.ReadNames")
	sources, tallies := beam.ParDo2(s, &readNamesFn{}, beam.Create(s, path))
	return sources, tallies
}

// A readNamesFn reads names, and tells how many files they are.
type readNamesFn struct{}

func (*readNamesFn) ProcessElement(ctx context.Context, path string, emit func(Source), tally func(int)) error {
	n := 0
	err := expandNames(ctx, path, func(f Source) {
		n++
		emit(f)
	})
	if err == nil {
		tally(n)
	}
	return err
}

// expandNames calls emit for each file that a CSV file names and, in place of tar files, for the
// photos in them.
func expandNames(ctx context.Context, path string, emit func(Source)) error {
	var w walker
	var x *expander
	err := scanNames(ctx, path, func(f Source) (err error) {
		if x == nil {
			if w, err = openWalker(ctx, f.Name); err != nil {
				return err
			}
			x = newExpander(w, emit)
		}
		x.add(ctx, f)
		return nil
	})
	if x != nil {
		err = errors.Join(err, x.wait(), w.Close())
	}
	return err
}

// A part is files that are listed by one worker, one page after the other.
type part struct {
	Dir     string // what their names begin with: of local files, a directory
	Pattern string // of local files, of what follows; else, of the whole name, or empty for all
	Flat    bool   // whether no name has a slash behind Dir
}

// A walker lists the files of a file system.
type walker interface {
	// parts calls emit for the parts of a pattern, which have all its files, each in one.
	parts(ctx context.Context, pattern string, emit func(part)) error
	// walk calls emit for each file of a part.
	walk(ctx context.Context, p part, emit func(Source)) error
	// inside returns the part of the files in a directory whose names begin with a prefix.
	inside(dir, prefix string) part
	// below returns the part of the files in the directories in a directory.
	below(dir string) part
	// open opens a file to read size bytes from an offset on, or all if size is less than 0.
	open(ctx context.Context, name string, offset, size int64) (io.ReadCloser, error)
	io.Closer
}

// openWalker returns a walker for the file system of a path.
func openWalker(ctx context.Context, path string) (walker, error) {
	switch schemeOf(path) {
	case "":
		return localWalker{}, nil
	case "s3":
		return openS3(ctx)
	case "gs":
		return openGS(ctx)
	}
	fs, err := openStorage(ctx, path)
	return wholeWalker{fs}, err
}

type partFn struct{}

func (*partFn) ProcessElement(ctx context.Context, pattern string, emit func(part)) error {
	w, err := openWalker(ctx, pattern)
	if err != nil {
		return err
	}
	if err := errors.Join(w.parts(ctx, pattern, emit), w.Close()); err != nil {
		return fmt.Errorf("%s: %w", pattern, err)
	}
	return nil
}

// A listFn lists the files of parts, and tells the number of each part.
type listFn struct {
	walker walker // of the last part
}

func (fn *listFn) ProcessElement(ctx context.Context, p part, emit func(Source), tally func(int)) (err error) {
	if fn.walker == nil { // all parts are of one pattern
		if fn.walker, err = openWalker(context.WithoutCancel(ctx), p.Dir); err != nil {
			return err
		}
	}
	n := 0
	x := newExpander(fn.walker, func(f Source) {
		n++
		emit(f)
	})
	err = fn.walker.walk(ctx, p, func(f Source) { x.add(ctx, f) })
	if err = errors.Join(err, x.wait()); err != nil {
		return fmt.Errorf("%s: %w", p.Dir, err)
	}
	tally(n)
	return nil
}

func (fn *listFn) Teardown() error {
	if fn.walker == nil {
		return nil
	}
	err := fn.walker.Close()
	fn.walker = nil
	return err
}

// A tallyFn counts the files, and sees to it that all parts have been listed: a runner may go
// on for a while with what is there when a bundle has failed.
type tallyFn struct {
	Pattern string
}

func (fn *tallyFn) ProcessElement(_ []byte, parts func(*part) bool, tallies func(*int) bool, emit func(int)) error {
	var p part
	var n, missing, total int
	for parts(&p) {
		missing++
	}
	for tallies(&n) {
		missing--
		total += n
	}
	switch {
	case missing != 0:
		return fmt.Errorf("%s: %d parts have not been listed", fn.Pattern, missing)
	case total == 0:
		return fmt.Errorf("%s: no file matches", fn.Pattern)
	}
	emit(total)
	return nil
}

// A wholeWalker lists all files of a pattern at once, as Beam's file systems do.
type wholeWalker struct{ filesystem.Interface }

func (wholeWalker) parts(_ context.Context, pattern string, emit func(part)) error {
	emit(part{Dir: pattern})
	return nil
}

func (w wholeWalker) walk(ctx context.Context, p part, emit func(Source)) error {
	names, err := w.List(ctx, p.Dir)
	for _, name := range names {
		emit(Source{Name: name})
	}
	return err
}

func (wholeWalker) inside(dir, prefix string) part { return part{Dir: join(dir, prefix) + "*"} }

func (wholeWalker) below(dir string) part { return part{Dir: join(dir, "*/*")} }

func (w wholeWalker) open(ctx context.Context, name string, offset, size int64) (io.ReadCloser, error) {
	file, err := w.OpenRead(ctx, name)
	if err != nil || size < 0 {
		return file, err
	}
	if _, err := io.CopyN(io.Discard, file, offset); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return limited{io.LimitReader(file, size), file}, nil
}

// A limited is a part of a file.
type limited struct {
	io.Reader
	io.Closer
}

// A localWalker lists local files. Unlike filepath.Glob, it has no list of all of them, and
// does not hide directories that cannot be read.
type localWalker struct{}

func (localWalker) Close() error { return nil }

func (localWalker) parts(_ context.Context, pattern string, emit func(part)) error {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return err
	}
	dir, rest := filepath.VolumeName(pattern), pattern[len(filepath.VolumeName(pattern)):]
	for {
		first, following := cutPath(rest)
		if following == "" {
			emit(part{Dir: dir, Pattern: rest})
			return nil
		}
		if hasMeta(first) {
			return readDir(dir, first, true, func(name string) error {
				emit(part{Dir: dir + name + string(filepath.Separator), Pattern: following})
				return nil
			})
		}
		dir, rest = dir+first, following
	}
}

func (localWalker) walk(_ context.Context, p part, emit func(Source)) error {
	return glob(p.Dir, p.Pattern, func(name string) {
		f := Source{Name: name}
		if info, err := os.Stat(name); err == nil { // else reading it fails, too
			f.Size, f.Modified = info.Size(), info.ModTime().UnixNano()
		}
		emit(f)
	})
}

func (localWalker) inside(dir, prefix string) part {
	return part{Dir: dir + string(filepath.Separator), Pattern: prefix + "*"}
}

func (localWalker) open(_ context.Context, name string, offset, size int64) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if err != nil || size < 0 {
		return file, err
	}
	return limited{io.NewSectionReader(file, offset, size), file}, nil
}

func (localWalker) below(dir string) part {
	return part{Dir: dir + string(filepath.Separator), Pattern: "*/*"}
}

// glob calls emit for the files in a directory that match a pattern.
func glob(dir, pattern string, emit func(name string)) error {
	first, following := cutPath(pattern)
	switch {
	case following != "" && !hasMeta(first):
		return glob(dir+first, following, emit)
	case following != "":
		return readDir(dir, first, true, func(name string) error {
			return glob(dir+name+string(filepath.Separator), following, emit)
		})
	case hasMeta(first):
		return readDir(dir, first, false, func(name string) error {
			emit(filepath.Join(dir, name))
			return nil
		})
	}
	if _, err := os.Lstat(dir + first); err == nil {
		emit(dir + first)
	} else if !missing(err) {
		return err
	}
	return nil
}

// cutPath cuts a pattern behind its first separators, which its first element then has. All
// other elements are in following; there are none if nothing follows.
func cutPath(pattern string) (first, following string) {
	i := strings.IndexFunc(pattern, isSeparator)
	if i < 0 {
		return pattern, ""
	}
	following = strings.TrimLeftFunc(pattern[i:], isSeparator)
	if following == "" {
		return pattern, ""
	}
	first = pattern[:len(pattern)-len(following)]
	if hasMeta(first) {
		first = pattern[:i]
	}
	return first, following
}

func isSeparator(r rune) bool {
	return r < 0x80 && os.IsPathSeparator(uint8(r))
}

// hasMeta reports whether an element of a local pattern is more than a name.
func hasMeta(element string) bool {
	if runtime.GOOS == "windows" {
		return strings.ContainsAny(element, "*?[")
	}
	return strings.ContainsAny(element, `*?[\`)
}

// readDir calls found for the names in a directory that match a pattern, of directories only
// if only they are wanted.
func readDir(dir, pattern string, dirs bool, found func(name string) error) error {
	if dir == "" {
		dir = "."
	}
	f, err := os.Open(dir)
	if err != nil {
		if missing(err) {
			return nil
		}
		return err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(1024)
		for _, e := range entries {
			if dirs && e.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 || dirs && e.Type() == 0 {
				continue
			}
			match, err := filepath.Match(pattern, e.Name())
			if match {
				err = found(e.Name())
			}
			if err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || missing(err) { // it is no directory
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// missing reports whether there is no such file, or no such directory.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
