package files

import (
	"bufio"
	_ "embed"
	"errors"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/y4m"
)

// OwnPhoto is the image that is used when the command line names none: Eileen
// Collins, photographed by NASA, public domain. It has the pixels of
// testdata/photos/astronaut_512x512.png in a smaller format; testdata/SOURCES.md says more.
//
//go:embed astronaut_512x512.webp
var OwnPhoto []byte

// PhotoName is what the report calls the photo.
const PhotoName = "astronaut_512x512.png"

// An Input is an image that the program reads.
type Input struct {
	Name    string      // as the report has it: the path of the file, or report.Stdio
	Info    fs.FileInfo // of the file, or nil
	Picture string      // path to write the picture to, or empty
	data    []byte      // in place of a file
}

// Stem returns the name of the file without directory and extension.
func (in Input) Stem() string {
	switch {
	case in.Name == report.Stdio:
		return "stdin"
	case in.Info == nil:
		return ""
	}
	base := filepath.Base(in.Name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Held returns the number of bytes of memory that the input has.
func (in Input) Held() int { return len(in.data) }

// Drop gives this memory back.
func (in *Input) Drop() { in.data = nil }

// Input returns a file, a directory or standard input as an input.
func (r *Reader) Input(name string) (Input, error) {
	in := Input{Name: name}
	var err error
	switch {
	case name != report.Stdio:
		in.Info, err = os.Stat(name)
	case r.stdin == nil:
		return Input{}, report.Usage(report.Named(name, errors.New("named more than once")))
	default:
		in.Info = streamInfo(r.stdin)
		stdin := io.NopCloser(r.stdin)
		r.stdin = nil
		in.data, err = r.readAll(func() (io.ReadCloser, error) { return stdin, nil })
	}
	if err != nil {
		return Input{}, report.Named(name, report.Reason(err))
	}
	return in, nil
}

// Stream opens a file or standard input, to be read once.
func (r *Reader) Stream(name string) (stream io.ReadCloser, in Input, err error) {
	in.Name = name
	if name == report.Stdio {
		in.Info = streamInfo(r.stdin)
		return io.NopCloser(r.stdin), in, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, in, err
	}
	if in.Info, err = f.Stat(); err != nil {
		f.Close()
		return nil, in, err
	}
	return f, in, nil
}

// A peeked is a stream whose beginning has been looked at.
type peeked struct {
	*bufio.Reader
	stream io.Reader
}

// IsVideo reports whether a name is that of a video, where it may also be that of an image or a
// directory: standard input that begins as Y4M, or a regular file whose name has no extension of an
// image and which does not begin as one.
func (r *Reader) IsVideo(name string) bool {
	if name == report.Stdio {
		if r.stdin == nil {
			return false
		}
		p := peeked{bufio.NewReader(r.stdin), r.stdin}
		r.stdin = p
		begin, _ := p.Peek(len(y4m.Magic))
		return string(begin) == y4m.Magic
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || IsImageName(name) {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	_, _, err = image.DecodeConfig(f)
	return errors.Is(err, image.ErrFormat)
}

// Images returns the images that the arguments name, files in the order
// given and those of a directory in lexical order. It reports an error for each
// argument or directory entry that it cannot find an image in.
func (r *Reader) Images(args []string) []Input {
	if len(args) == 0 {
		return []Input{{Name: PhotoName, data: OwnPhoto}}
	}
	var inputs []Input
	for _, arg := range args {
		in, err := r.Input(arg)
		switch {
		case err != nil:
			r.reporter.Fail(err)
		case in.Info != nil && in.Info.IsDir():
			inputs = append(inputs, r.findInDir(arg)...)
		default:
			inputs = append(inputs, in)
		}
	}
	return inputs
}

// findInDir returns the images in a directory and below it, except pictures that corners
// has drawn.
func (r *Reader) findInDir(dir string) []Input {
	var inputs []Input
	failed, drawn := false, 0
	// The separator makes walk follow a symbolic link to a directory.
	walk(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			err = report.Named(path, report.Reason(err))
		} else if d.Type()&^fs.ModeSymlink != 0 || !IsImageName(d.Name()) {
			return nil
		}
		var in Input
		if err == nil {
			in, err = r.Input(path)
		}
		switch {
		case err != nil:
			r.reporter.Fail(err)
			failed = true
		case !in.Info.Mode().IsRegular():
		case isDrawn(path):
			drawn++
		default:
			inputs = append(inputs, in)
		}
		return r.ctx.Err()
	})
	switch {
	case len(inputs) > 0 || failed || r.ctx.Err() != nil:
	case drawn > 0:
		r.reporter.Fail(report.Named(dir, errors.New("no images in this directory except pictures that corners has drawn")))
	default:
		r.reporter.Fail(report.Named(dir, errors.New("no images in this directory")))
	}
	return inputs
}

// walk calls visit with all that is below a directory but directories, in lexical order, and
// with errors, until it returns one. The functions of packages filepath and os would make the
// program 25 KB larger.
func walk(dir string, visit func(path string, d fs.DirEntry, err error) error) error {
	var entries entries
	f, err := os.Open(dir)
	if err == nil {
		entries, err = f.ReadDir(-1)
		f.Close()
	}
	if err != nil {
		err = visit(dir, nil, err)
	}
	sort.Sort(entries)
	for i := 0; i < len(entries) && err == nil; i++ {
		path := filepath.Join(dir, entries[i].Name())
		if entries[i].IsDir() {
			err = walk(path, visit)
		} else {
			err = visit(path, entries[i], nil)
		}
	}
	return err
}

// Entries are those of a directory, which are sorted by their names.
type entries []fs.DirEntry

func (e entries) Len() int           { return len(e) }
func (e entries) Less(i, j int) bool { return e[i].Name() < e[j].Name() }
func (e entries) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }

// IsImageName reports whether the name of a file has the extension of an image.
func IsImageName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".pbm", ".pgm", ".ppm", ".pnm":
		return true
	}
	return false
}
