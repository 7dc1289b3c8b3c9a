// Fuzz fuzzes every target of the modules in the tree for the given time.
//
//	fuzz TIME
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fastcorners/fast/.ci/internal/tree"
)

var target = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: fuzz TIME")
	}
	files, err := tree.Files()
	if err != nil {
		log.Fatal(err)
	}
	count := 0
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		for _, match := range target.FindAllSubmatch(source, -1) {
			dir, name := filepath.Dir(name), string(match[1])
			fmt.Println(dir, name)
			if !fuzz(dir, name, os.Args[1]) {
				os.Exit(1)
			}
			count++
		}
	}
	if count == 0 {
		log.Fatal("there are no targets")
	}
	fmt.Println(count, "fuzz targets")
}

// fuzz fuzzes a target and reports whether it found nothing. Without the limit to minimizing, Go
// spends most of the time on that. When the time is up, Go 1.26 sometimes reports its own "context
// deadline exceeded" as a failure (go.dev/issue/75804); the target is then fuzzed again.
func fuzz(dir, name, time string) bool {
	var out []byte
	for range 3 {
		var err error
		out, err = exec.Command("go", "-C", dir, "test", "-run", "^$", "-fuzz", "^"+name+"$", "-fuzztime", time, "-fuzzminimizetime", "1x", ".").CombinedOutput()
		if err == nil {
			lines := bytes.SplitAfter(bytes.TrimRight(out, "\n"), []byte("\n"))
			fmt.Printf("%s\n", bytes.Join(lines[max(len(lines)-3, 0):], nil))
			return true
		}
		if !bytes.Contains(out, []byte("context deadline exceeded")) || bytes.Contains(out, []byte("Failing input")) {
			break
		}
		fmt.Println("Go mistook the deadline for a failure")
	}
	os.Stdout.Write(out)
	return false
}
