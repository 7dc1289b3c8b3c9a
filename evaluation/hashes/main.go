// Hashes prints the hashes of results on this platform, one group a line: its name, how many
// results there are and their hash, separated by tabs. The figure of this name compiles it for
// all platforms and compares what it prints.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/frames"
	"github.com/fastcorners/fast/internal/hashes"
)

func main() {
	photos := flag.String("photos", "", "the `directory` of the photos")
	small := flag.Bool("small", false, "compute as few as the tests do")
	sets := flag.Bool("sets", false, "print the instruction sets, with their features, and the block kernels that this processor can run")
	set := flag.String("set", "", "use only the instruction set of this `name`")
	kernel := flag.String("kernel", "", "find corners with the `kernel` of package fast, and nothing else")
	workers := flag.Int("workers", 1, "share images among `n` goroutines")
	flag.Parse()
	if *sets {
		printSets()
		return
	}
	if err := run(*photos, *small, *set, *kernel, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "hashes:", err)
		os.Exit(1)
	}
}

func printSets() {
	for _, s := range cpu.InstructionSets() {
		fmt.Printf("set\t%s\t%v\n", s.Name, s.Set)
	}
	for _, k := range fast.Kernels() {
		if _, err := fast.New(fast.Options{Kernel: k, ArcLength: 9}); err != nil {
			fmt.Printf("kernel\t%v\n", k)
		}
	}
}

func run(dir string, small bool, set, kernel string, workers int) error {
	photos, err := frames.Load(os.DirFS(dir))
	if err != nil {
		return err
	}
	settings := hashes.Settings{Workers: workers}
	if kernel != "" {
		if err := settings.Kernel.UnmarshalText([]byte(kernel)); err != nil {
			return err
		}
	}
	if set != "" {
		found := false
		for _, s := range cpu.InstructionSets() {
			if s.Name == set {
				cpu.Limit(s.Set)
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("this processor lacks %s", set)
		}
	}
	scale := hashes.Full
	if small {
		scale = hashes.Small
	}
	for _, g := range hashes.Compute(photos, scale, settings) {
		fmt.Printf("%s\t%d\t%s\n", g.Name, g.Results, g.Hash)
	}
	return nil
}
