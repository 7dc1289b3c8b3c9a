package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// A Place is where a path of the command line leads.
type Place struct {
	path string      // without symbolic links at its end
	info fs.FileInfo // of the file, or nil if there is none
}

// PlaceOf returns the place of a path, where report.Stdio stands for a stream.
func PlaceOf(path string, stream any) Place {
	if path != report.Stdio {
		info, _ := os.Stat(path)
		return Place{follow(path), info}
	}
	return Place{info: streamInfo(stream)}
}

// streamInfo returns what is known of the file that standard input or standard output is, or nil.
func streamInfo(stream any) fs.FileInfo {
	if p, ok := stream.(peeked); ok {
		stream = p.stream
	}
	if f, ok := stream.(*os.File); ok {
		if info, err := f.Stat(); err == nil {
			return info
		}
	}
	return nil
}

// Is reports whether two places are the same file, or will be when both are written. Devices and
// sockets never are, since they keep nothing.
func (p Place) Is(q Place) bool {
	if p.info != nil || q.info != nil {
		return p.info != nil && q.info != nil && p.info.Mode()&(fs.ModeDevice|fs.ModeSocket) == 0 && os.SameFile(p.info, q.info)
	}
	if p.path == "" || q.path == "" { // a stream that is no file
		return false
	}
	// Names that differ only in case are one file on some systems.
	dir, name := split(p.path)
	otherDir, otherName := split(q.path)
	return strings.EqualFold(name, otherName) && sameDir(dir, otherDir)
}

// split returns the directory and the name of a path. Unlike functions of package filepath it does
// not take .. for the directory before it, which may be a symbolic link.
func split(path string) (dir, name string) {
	dir, name = filepath.Split(path)
	if dir == "" {
		dir = "." + string(filepath.Separator)
	}
	return dir, name
}

// sameDir reports whether two paths are those of one directory.
func sameDir(p, q string) bool {
	if p == q {
		return true
	}
	a, errA := os.Stat(p)
	b, errB := os.Stat(q)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// maxLinks is how many symbolic links are followed at most, as systems do.
const maxLinks = 40

// follow returns the path of the file that symbolic links lead to, also where there is none yet.
func follow(path string) string {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			dir, _ := split(path)
			to = dir + to
		}
		path = to
	}
	return path
}
