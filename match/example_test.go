package match_test

import (
	"fmt"
	"log"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/match"
)

func Example() {
	m, err := match.New[match.Descriptor](match.Options{CrossCheck: true, Ratio: 0.8})
	if err != nil {
		log.Fatal(err)
	}
	query := []match.Descriptor{{0b1111}, {0b11_0000}, {0b111_0000}}
	train := []match.Descriptor{{0b11_0001}, {0xff, 0xff}, {0b0111}}
	for _, p := range m.Match(query, train) {
		fmt.Printf("query %d, train %d: %d bits differ\n", p.Query, p.Train, p.Distance)
	}
	// Output:
	// query 0, train 2: 1 bits differ
	// query 1, train 0: 1 bits differ
}

func ExampleMatcher_KNearest() {
	m, err := match.New[match.Descriptor](match.Options{})
	if err != nil {
		log.Fatal(err)
	}
	query := []match.Descriptor{{0b1111}}
	train := []match.Descriptor{{0b1100}, {0b0111}, {}, {0b0011}}
	for _, p := range m.KNearest(query, train, 3) {
		fmt.Printf("train %d: %d bits differ\n", p.Train, p.Distance)
	}
	// Output:
	// train 1: 1 bits differ
	// train 0: 2 bits differ
	// train 3: 2 bits differ
}

func ExampleMatcher_Within() {
	m, err := match.New[match.Descriptor](match.Options{})
	if err != nil {
		log.Fatal(err)
	}
	query := []match.Descriptor{{0b1111}, {0xff}}
	train := []match.Descriptor{{0b1100}, {0b0111}, {0b0011}}
	for _, p := range m.Within(query, train, 2) {
		fmt.Printf("query %d, train %d: %d bits differ\n", p.Query, p.Train, p.Distance)
	}
	// Output:
	// query 0, train 1: 1 bits differ
	// query 0, train 0: 2 bits differ
	// query 0, train 2: 2 bits differ
}

// A loop over frames appends to the same slice, which does not allocate.
func ExampleMatcher_Append() {
	m, err := match.New[match.Descriptor](match.Options{MaxDistance: 40})
	if err != nil {
		log.Fatal(err)
	}
	frames := [][]match.Descriptor{{{1}, {2}}, {{1}, {3}}, {{7}}}
	var matches []match.Match
	for i := 1; i < len(frames); i++ {
		matches = m.Append(matches[:0], frames[i], frames[i-1])
		fmt.Println(matches)
	}
	// Output:
	// [{0 0 0} {1 0 1}]
	// [{0 1 1}]
}

// The camera moved by about 10, 0, so points are expected there, to within 5 pixels. In SLAM,
// these are the projections of points of the map, each with a radius of its own.
func ExampleMatcher_Near() {
	m, err := match.New[match.Descriptor](match.Options{CrossCheck: true, MaxDistance: 64})
	if err != nil {
		log.Fatal(err)
	}
	query := []match.Descriptor{{0b1111}, {0xff}}
	circles := []match.Circle{{X: 110, Y: 50, Radius: 5}, {X: 40, Y: 50, Radius: 5}}

	train := []match.Descriptor{{0b1111}, {0b0111}, {0xff}}
	points := []geometry.Point{{X: 300, Y: 9}, {X: 112, Y: 49}, {X: 44.5, Y: 46}}
	grid := match.NewGrid(points) // one for all queries of an image

	for _, p := range m.Near(query, train, circles, grid) {
		fmt.Printf("query %d, train %d: %d bits differ\n", p.Query, p.Train, p.Distance)
	}
	// Output: query 0, train 1: 1 bits differ
}

// The descriptors of SIFT are vectors. The third one is nearly as similar to another one, so the
// ratio test drops it.
func ExampleMatcher_vectors() {
	m, err := match.New[match.Vector](match.Options{Ratio: 0.8})
	if err != nil {
		log.Fatal(err)
	}
	query := []match.Vector{{10, 20}, {0, 0, 255}, {100, 100}}
	train := []match.Vector{{104, 100}, {13, 16}, {100, 104}, {0, 0, 250}}
	for _, p := range m.Match(query, train) {
		fmt.Printf("query %d, train %d: %v apart\n", p.Query, p.Train, math.Sqrt(float64(p.Distance)))
	}
	// Output:
	// query 0, train 1: 5 apart
	// query 1, train 3: 5 apart
}

// The descriptors of AKAZE have 486 bits, which fill 61 bytes.
func ExampleMatcher_bytes() {
	m, err := match.New[byte](match.Options{Length: 61, Ratio: 0.8})
	if err != nil {
		log.Fatal(err)
	}
	query, train := make([]byte, 2*61), make([]byte, 3*61)
	query[0], query[61+60] = 0b1111, 0b10_0000
	train[0], train[61], train[2*61+60] = 0b0111, 0xff, 0b11_0000
	for _, p := range m.Match(query, train) {
		fmt.Printf("query %d, train %d: %d bits differ\n", p.Query, p.Train, p.Distance)
	}
	// Output:
	// query 0, train 0: 1 bits differ
	// query 1, train 2: 1 bits differ
}

// Embeddings of 128 bits are two words each.
func ExampleMatcher_words() {
	m, err := match.New[uint64](match.Options{Length: 16})
	if err != nil {
		log.Fatal(err)
	}
	query := []uint64{0b1111, 0}
	train := []uint64{0, 0, 0b111, 1 << 63}
	fmt.Println(m.Match(query, train))
	// Output: [{0 1 2}]
}

func ExampleMatcher_descriptor32() {
	m, err := match.New[match.Descriptor32](match.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Match([]match.Descriptor32{0xff00ff00}, []match.Descriptor32{0, 0xff00ffff}))
	// Output: [{0 1 8}]
}
