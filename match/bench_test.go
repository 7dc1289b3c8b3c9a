package match_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// newMatcher returns a matcher of descriptors of type D.
func newMatcher[D descriptor](t testing.TB, opts match.Options) *match.Matcher[D] {
	t.Helper()
	m, err := match.New[D](opts)
	require.NoError(t, err)
	return m
}

// matcher returns a matcher of descriptors of 256 bits.
func matcher(t testing.TB, opts match.Options) *match.Matcher[match.Descriptor] {
	t.Helper()
	return newMatcher[match.Descriptor](t, opts)
}

// A descriptor is an element of a set.
type descriptor interface {
	match.Descriptor | match.Descriptor32 | match.Vector | byte | uint64
}

// random returns n random descriptors.
func random(rng *rand.Rand, n int) []match.Descriptor {
	list := make([]match.Descriptor, n)
	for i := range list {
		for k := range list[i] {
			list[i][k] = byte(rng.Uint32())
		}
	}
	return list
}

// benchmark measures do on many different sets with every instruction set.
func benchmark(b *testing.B, query, train int, name string, do func(m []match.Match, query, train []match.Descriptor) []match.Match) {
	benchmarkSets(b, query, train, name, random, do)
}

// benchmarkSets is benchmark for sets that random makes.
func benchmarkSets[D any](b *testing.B, query, train int, name string, random func(*rand.Rand, int) []D, do func(m []match.Match, query, train []D) []match.Match) {
	rng := rand.New(rand.NewPCG(1, 2))
	sets := max(2, min(32, 64000/(query+train)))
	var queries, trains [][]D
	for range sets {
		queries = append(queries, random(rng, query))
		trains = append(trains, random(rng, train))
	}
	for _, isa := range cpu.InstructionSets("match") {
		b.Run(fmt.Sprintf("isa=%s/query=%d/train=%d/%s", isa.Name, query, train, name), func(b *testing.B) {
			defer cpu.Limit(isa.Set)()
			var matches []match.Match
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				matches = do(matches[:0], queries[n], trains[n])
				n = (n + 1) % sets
			}
			pairs := float64(query) * float64(train) * float64(b.N)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/pairs, "ns/pair")
		})
	}
}

// BenchmarkMatch measures the search for the nearest descriptors in one goroutine.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{128, 1000, 10000} {
		for _, opts := range []match.Options{
			{},
			{CrossCheck: true},
			{Ratio: 0.8},
			{CrossCheck: true, Ratio: 0.8},
			{Hamming2: true},
		} {
			name := fmt.Sprintf("cross=%t/ratio=%t/hamming2=%t", opts.CrossCheck, opts.Ratio > 0, opts.Hamming2)
			benchmark(b, n, n, name, matcher(b, opts).Append)
		}
	}
}

// BenchmarkKNearest measures the search for some nearest descriptors.
func BenchmarkKNearest(b *testing.B) {
	m := matcher(b, match.Options{})
	for _, k := range []int{2, 3, 10} {
		benchmark(b, 1000, 1000, fmt.Sprintf("k=%d", k), func(dst []match.Match, query, train []match.Descriptor) []match.Match {
			return m.AppendKNearest(dst, query, train, k)
		})
	}
}

// BenchmarkWithin measures the search for all descriptors within a radius, which are
// few.
func BenchmarkWithin(b *testing.B) {
	m := matcher(b, match.Options{})
	benchmark(b, 1000, 1000, "radius=100", func(dst []match.Match, query, train []match.Descriptor) []match.Match {
		return m.AppendWithin(dst, query, train, 100)
	})
}

// BenchmarkMatch32 measures the search for the nearest short descriptors.
func BenchmarkMatch32(b *testing.B) {
	m := newMatcher[match.Descriptor32](b, match.Options{})
	short := make(map[*match.Descriptor][]match.Descriptor32)
	first := func(descs []match.Descriptor) []match.Descriptor32 {
		list := short[&descs[0]]
		if list == nil {
			for _, d := range descs {
				list = append(list, match.Descriptor32(binary.LittleEndian.Uint32(d[:])))
			}
			short[&descs[0]] = list
		}
		return list
	}
	benchmark(b, 128, 128, "bits=32", func(dst []match.Match, query, train []match.Descriptor) []match.Match {
		return m.Append(dst, first(query), first(train))
	})
}

// BenchmarkWorkers measures how much several goroutines gain.
func BenchmarkWorkers(b *testing.B) {
	for _, n := range []int{2000, 10000} {
		for _, workers := range []int{1, 2, 4} {
			m := matcher(b, match.Options{CrossCheck: true, Workers: workers})
			benchmark(b, n, n, fmt.Sprintf("workers=%d", workers), m.Append)
		}
	}
}

// BenchmarkFlat measures the search for the nearest flat descriptors.
func BenchmarkFlat(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, sets = 1000, 8
	for _, size := range []int{8, 32, 64, 128} {
		var lists [2 * sets][]byte
		for i := range lists {
			lists[i] = make([]byte, n*size)
			for k := range lists[i] {
				lists[i][k] = byte(rng.Uint32())
			}
		}
		for _, opts := range []match.Options{{Length: size}, {Length: size, CrossCheck: true}, {Length: size, Ratio: 0.8}} {
			f := newMatcher[byte](b, opts)
			for _, isa := range cpu.InstructionSets("match") {
				b.Run(fmt.Sprintf("isa=%s/query=%d/train=%d/bits=%d/cross=%t/ratio=%t", isa.Name, n, n, 8*size, opts.CrossCheck, opts.Ratio > 0), func(b *testing.B) {
					defer cpu.Limit(isa.Set)()
					var matches []match.Match
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						matches = f.Append(matches[:0], lists[i], lists[i+1])
						i = (i + 2) % len(lists)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*n*b.N), "ns/pair")
				})
			}
		}
	}
}

// likeSIFT returns n random vectors whose numbers are distributed like those of SIFT's descriptors.
func likeSIFT(rng *rand.Rand, n int) []match.Vector {
	list := make([]match.Vector, n)
	for i := range list {
		for k := range list[i] {
			list[i][k] = byte(min(29*rng.ExpFloat64(), 255))
		}
	}
	return list
}

// BenchmarkL2 measures the search for the nearest vectors in one goroutine, also of vectors of which four
// numbers are often more than kernels for AVX2 add at once.
func BenchmarkL2(b *testing.B) {
	for _, n := range []int{128, 2500} {
		for _, opts := range []match.Options{{}, {CrossCheck: true}, {Ratio: 0.8}, {CrossCheck: true, Ratio: 0.8}} {
			name := fmt.Sprintf("cross=%t/ratio=%t", opts.CrossCheck, opts.Ratio > 0)
			benchmarkSets(b, n, n, name, likeSIFT, newMatcher[match.Vector](b, opts).Append)
		}
	}
	m := newMatcher[match.Vector](b, match.Options{})
	benchmarkSets(b, 1000, 1000, "k=10", likeSIFT, func(dst []match.Match, query, train []match.Vector) []match.Match {
		return m.AppendKNearest(dst, query, train, 10)
	})
	benchmarkSets(b, 1000, 1000, "large", randomVectors, m.Append)
}

// BenchmarkNear measures the search for the nearest of candidates beside that of all, in one
// goroutine.
func BenchmarkNear(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, sets = 2000, 8
	var descs [sets][]match.Descriptor
	var points [sets][]place
	var circles [sets][]match.Circle
	var grids [sets]*match.Grid
	for i := range descs {
		descs[i], points[i] = random(rng, n), scattered(rng, n)
		circles[i], grids[i] = match.Circles(points[i], 30), match.NewGrid(points[i])
	}
	var matches []match.Match
	for _, opts := range []match.Options{{}, {CrossCheck: true}, {CrossCheck: true, Ratio: 0.8}, {Hamming2: true}} {
		m := matcher(b, opts)
		for _, way := range []struct {
			name string
			find func(query, train int)
		}{
			{"near", func(q, t int) { matches = m.AppendNear(matches[:0], descs[q], descs[t], circles[q], grids[t]) }},
			{"match", func(q, t int) { matches = m.Append(matches[:0], descs[q], descs[t]) }},
		} {
			b.Run(fmt.Sprintf("%s/query=%d/train=%d/radius=30/cross=%t/ratio=%t/hamming2=%t", way.name, n, n, opts.CrossCheck, opts.Ratio > 0, opts.Hamming2), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					way.find(i, (i+1)%sets)
					i = (i + 1) % sets
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/query")
			})
		}
	}
	b.Run(fmt.Sprintf("grid/train=%d", n), func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			match.GridInto(grids[i], points[i])
			i = (i + 1) % sets
		}
	})
}
