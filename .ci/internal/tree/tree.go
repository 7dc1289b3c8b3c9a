// Package tree lists the files of the working tree.
package tree

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Files returns the files that git tracks or does not ignore, no matter who owns the clone.
func Files() ([]string, error) {
	out, err := exec.Command("git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if _, err := os.Lstat(name); err == nil { // it has not been deleted
			files = append(files, name)
		}
	}
	return files, nil
}

// Copy copies files to the same places below dir.
func Copy(dir string, files []string) error {
	for _, name := range files {
		info, err := os.Lstat(name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			if err := os.Symlink(target, to); err != nil {
				return err
			}
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, data, info.Mode()); err != nil {
			return err
		}
	}
	return nil
}
