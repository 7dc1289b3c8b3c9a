package gpu_test

import (
	"fmt"
	"log"

	"github.com/fastcorners/fast/gpu"
	"github.com/fastcorners/fast/match"
)

func Example() {
	device, err := gpu.Open(0)
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	m, err := device.New(match.Options{MaxDistance: 64})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	query := []match.Descriptor{{0b1111}, {0b11_0000}}
	train := []match.Descriptor{{0b11_0001}, {0b0111}}
	matches, err := m.Match(query, train)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range matches {
		fmt.Printf("query %d, train %d: %d bits differ\n", p.Query, p.Train, p.Distance)
	}
	// Output:
	// query 0, train 1: 1 bits differ
	// query 1, train 0: 1 bits differ
}

func ExampleMatcher_Pairs() {
	device, err := gpu.Open(0)
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	m, err := device.New(match.Options{CrossCheck: true, Ratio: 0.8, MaxDistance: 64})
	if err != nil {
		log.Fatal(err)
	}

	var images [][]match.Descriptor // those of each image
	var sets []*gpu.Set
	for _, descriptors := range images {
		set, err := device.Upload(descriptors)
		if err != nil {
			log.Fatal(err)
		}
		sets = append(sets, set)
	}
	err = m.Pairs(sets, gpu.AllPairs(len(sets)), func(p gpu.Pair, matches []match.Match) error {
		fmt.Printf("images %d and %d have %d matches\n", p.Query, p.Train, len(matches))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleBest() {
	m, err := gpu.Best(match.Options{CrossCheck: true})
	if err != nil {
		log.Fatal(err)
	}
	query := []match.Descriptor{{0b1111}, {0b11_0000}}
	train := []match.Descriptor{{0b11_0001}, {0b0111}}
	for _, p := range m.Match(query, train) {
		fmt.Printf("query %d, train %d: %d bits differ\n", p.Query, p.Train, p.Distance)
	}
	// Output:
	// query 0, train 1: 1 bits differ
	// query 1, train 0: 1 bits differ
}
