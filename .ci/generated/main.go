// Generated checks that the committed assembly is what its generators write. They run in a copy of
// the tree, in the directory given, so that an interruption leaves no file changed.
//
//	generated DIR
package main

import (
	"bytes"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fastcorners/fast/.ci/internal/tree"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: generated DIR")
	}
	copied := os.Args[1]
	files, err := tree.Files()
	if err != nil {
		log.Fatal(err)
	}
	if err := tree.Copy(copied, files); err != nil {
		log.Fatal(err)
	}

	committed := map[string][]byte{}
	for _, name := range files {
		if !isAssembly(name) {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		// It must be noticed if either of the two lines is lost.
		if bytes.HasPrefix(data, []byte("// Code generated ")) || hasGenerator(filepath.Dir(name)) {
			committed[name] = data
		}
	}
	if len(committed) == 0 {
		log.Fatal("no generated assembly was found")
	}
	for name := range committed { // to notice a generator that writes nothing
		if err := os.Remove(filepath.Join(copied, name)); err != nil {
			log.Fatal(err)
		}
	}
	for _, module := range []string{".", "web"} {
		generate := exec.Command("go", "generate", "./...")
		generate.Dir, generate.Stdout, generate.Stderr = filepath.Join(copied, module), os.Stdout, os.Stderr
		if err := generate.Run(); err != nil {
			log.Fatal(err)
		}
	}

	failed := false
	lines := 0
	for _, name := range slices.Sorted(maps.Keys(committed)) {
		written, err := os.ReadFile(filepath.Join(copied, name))
		switch {
		case err != nil:
			fmt.Println(name, "was not generated")
			failed = true
		case !bytes.Equal(written, committed[name]):
			out, _ := exec.Command("diff", "-u", name, filepath.Join(copied, name)).Output()
			os.Stdout.Write(out[:min(len(out), 4000)])
			fmt.Println(name, "is not what its generator writes")
			failed = true
		}
		lines += bytes.Count(committed[name], []byte("\n"))
		fmt.Println(bytes.Count(committed[name], []byte("\n")), name)
	}
	err = filepath.WalkDir(copied, func(path string, _ os.DirEntry, err error) error {
		name := strings.TrimPrefix(path, copied+string(filepath.Separator))
		if isAssembly(name) && !slices.Contains(files, name) {
			fmt.Println(name, "is generated, but missing in the repository")
			failed = true
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	if failed {
		os.Exit(1)
	}
	fmt.Println(lines, "lines in all")
}

// isAssembly reports whether a file is one that generators write.
func isAssembly(name string) bool {
	return strings.HasSuffix(name, "_amd64.s") || strings.HasSuffix(name, "_arm64.s") || filepath.Base(name) == "simd128.wasm"
}

// hasGenerator reports whether a file of a directory has a line that makes go generate run something.
func hasGenerator(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.ContainsFunc(names, func(name string) bool {
		data, err := os.ReadFile(name)
		return err == nil && (bytes.HasPrefix(data, []byte("//go:generate ")) || bytes.Contains(data, []byte("\n//go:generate ")))
	})
}
