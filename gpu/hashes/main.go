// Command hashes prints the hash of the matches that a device finds among many sets of
// descriptors, as the program of this name of the module evaluation does with -pairs for package
// match. The first line names the device.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/fastcorners/fast/gpu"
	"github.com/fastcorners/fast/internal/hashes"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/fastcorners/fast/match"
)

func main() {
	log.SetFlags(0)
	index := flag.Int("device", 0, "the `INDEX` of the device")
	photos := flag.String("photos", "../testdata/photos", "the `DIR` of the photos whose descriptors are matched")
	commit := flag.String("commit", "unknown", "print that the program is of this `COMMIT`")
	flag.Parse()
	if err := run(*index, *photos, *commit); err != nil {
		log.Fatal(err)
	}
}

func run(index int, photos, commit string) error {
	device, err := gpu.Open(index)
	if err != nil {
		return err
	}
	defer device.Close()
	images, err := frames.Load(os.DirFS(photos))
	if err != nil {
		return err
	}
	g, err := hashes.Pairs(images, func(opts match.Options, sets [][]match.Descriptor, emit func([]match.Match)) error {
		m, err := device.New(opts)
		if err != nil {
			return err
		}
		defer m.Close()
		var resident []*gpu.Set
		for _, set := range sets {
			s, err := device.Upload(set)
			if err != nil {
				return err
			}
			defer s.Close()
			resident = append(resident, s)
		}
		return m.Pairs(resident, gpu.AllPairs(len(sets)), func(_ gpu.Pair, found []match.Match) error {
			emit(found)
			return nil
		})
	})
	if err != nil {
		return err
	}
	fmt.Println(hashes.Stamp(device.Name(), commit))
	hashes.Print(os.Stdout, g)
	return nil
}
