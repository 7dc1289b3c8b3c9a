// Emulate runs the short tests of packages for another processor, under the emulator that the
// arguments start. The emulated processor must lack the instruction sets whose names match -lacks,
// and no others, so that tests cannot pass by skipping them. It appends the instruction sets that it
// has to the file -ran.
//
//	emulate -arch amd64 -lacks 'avx|popcnt' -ran FILE qemu-x86_64 -cpu qemu64
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	arch := flag.String("arch", "", "the value of GOARCH")
	lacks := flag.String("lacks", "nothing", "what names of missing instruction sets begin with, a regular expression")
	packages := flag.String("packages", "", "the packages to test; empty for those with results of their own there")
	ran := flag.String("ran", os.DevNull, "the file to append to")
	flag.Parse()
	if *arch == "" || flag.NArg() == 0 {
		log.Fatal("usage: emulate -arch GOARCH [flags] EMULATOR...")
	}
	os.Setenv("GOARCH", *arch)
	emulator := strings.Join(flag.Args(), " ")

	known := output("go", "run", "-exec", emulator, "./.ci/kernels")
	os.Stdout.Write(known)
	missing := regexp.MustCompile(`^\w+ (` + *lacks + `)`)
	var has []string
	for line := range strings.Lines(string(known)) {
		verb, set, _ := strings.Cut(line, " ")
		if missing.MatchString(set) != (verb == "lacks") {
			log.Fatalf("the processor should lack %s and nothing else", *lacks)
		}
		if verb == "runs" {
			has = append(has, set)
		}
	}
	if *packages == "" {
		*packages = tested(*arch)
	}
	test := exec.Command("go", append([]string{"test", "-count=1", "-short", "-exec", emulator}, strings.Fields(*packages)...)...)
	test.Stdout, test.Stderr = os.Stdout, os.Stderr
	if err := test.Run(); err != nil {
		log.Fatal(err)
	}
	f, err := os.OpenFile(*ran, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := f.WriteString(strings.Join(has, "")); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// tested returns the packages to test. On amd64, those without assembly have been tested already; but
// internal/hashes has results of all packages.
func tested(arch string) string {
	if arch != "amd64" {
		return "./..."
	}
	return string(output("go", "list", "-f", `{{if or .SFiles (eq .Name "hashes")}}{{.ImportPath}}{{end}}`, "./..."))
}

// output returns what a command prints. It ends the program if the command fails.
func output(name string, args ...string) []byte {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, string(out))
		log.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return bytes.TrimLeft(out, "\n")
}
