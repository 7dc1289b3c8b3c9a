// Hashes prints the hashes of results on this platform, one group a line: its name, how many
// results there are and their hash, separated by tabs. The figure of this name compiles it for
// all platforms and compares what it prints.
package main

import (
	"flag"
	"fmt"
	"image"
	"os"
	"runtime"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/hashes"
	"github.com/fastcorners/fast/internal/program/frames"
)

var (
	photos  = flag.String("photos", "", "the `directory` of the photos")
	small   = flag.Bool("small", false, "compute as few as the tests do")
	sets    = flag.Bool("sets", false, "print the instruction sets, with their features, and the block kernels that this processor can run")
	all     = flag.Bool("all", false, "use one instruction set after the other, and print their names before the groups")
	commit  = flag.String("commit", "unknown", "with -all, print that the program is of this `COMMIT`")
	pairs   = flag.Bool("pairs", false, "match the pairs of sets that devices match, and nothing else")
	set     = flag.String("set", "", "use only the instruction set of this `name`")
	kernel  = flag.String("kernel", "", "find corners with the `kernel` of package fast, and nothing else")
	workers = flag.Int("workers", 1, "share images among `n` goroutines")
)

func main() {
	flag.Parse()
	if *sets {
		printSets()
		return
	}
	if err := run(); err != nil {
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

func run() error {
	images, err := frames.Load(os.DirFS(*photos))
	if err != nil {
		return err
	}
	if *pairs {
		return printPairs(images)
	}
	settings := hashes.Settings{Workers: *workers}
	if *kernel != "" {
		if err := settings.Kernel.UnmarshalText([]byte(*kernel)); err != nil {
			return err
		}
	}
	scale := hashes.Full
	if *small {
		scale = hashes.Small
	}
	if *all {
		printAll(images, scale, settings)
		return nil
	}
	if *set != "" {
		found := false
		for _, s := range cpu.InstructionSets() {
			if s.Name == *set {
				cpu.Limit(s.Set)
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("this processor lacks %s", *set)
		}
	}
	hashes.Print(os.Stdout, hashes.Compute(images, scale, settings)...)
	return nil
}

// printPairs prints the group of pairs of sets.
func printPairs(images []*image.Gray) error {
	g, err := hashes.Pairs(images, hashes.Processor)
	if err != nil {
		return err
	}
	hashes.Print(os.Stdout, g)
	return nil
}

// printAll prints what this processor computes with each instruction set, after its name.
func printAll(images []*image.Gray, scale hashes.Scale, settings hashes.Settings) {
	for _, s := range cpu.InstructionSets() {
		restore := cpu.Limit(s.Set)
		fmt.Println(hashes.Stamp(fmt.Sprintf("%s, %s, %s", runtime.GOARCH, cpu.Name(), s.Name), *commit))
		hashes.Print(os.Stdout, hashes.Compute(images, scale, settings)...)
		restore()
	}
}
