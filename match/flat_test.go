package match_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// wordsOf returns words of flat descriptors whose size is a multiple of 8. The bits of each are
// in another order, which makes no difference.
func wordsOf(list []byte) (words []uint64) {
	for b := range slices.Chunk(list, 8) {
		words = append(words, binary.BigEndian.Uint64(b))
	}
	return words
}

// bitCounts is the number of bits that are set in a byte, as its digits have it.
var bitCounts = func() (counts [256]int32) {
	for i := range counts {
		for _, digit := range fmt.Sprintf("%b", i) {
			counts[i] += digit - '0'
		}
	}
	return counts
}()

// flatTable returns the table of flat sets.
func flatTable(query, train []byte, size int) *table {
	return tableOf(len(query)/size, len(train)/size, func(i, j int) (n int32) {
		for k := range size {
			n += bitCounts[query[i*size+k]^train[j*size+k]]
		}
		return n
	})
}

// requireFlatMatches compares all methods with the definition, for bytes and, where that is
// possible, for words.
func requireFlatMatches(t testing.TB, query, train []byte, opts match.Options) {
	t.Helper()
	table := flatTable(query, train, opts.Length)
	most, radii := []int{0, 4*opts.Length - 3, -1}, []int{-1, 0, 4 * opts.Length, math.MaxInt}
	requireTable(t, table, query, train, most, radii, opts)
	if opts.Length%8 == 0 {
		requireTable(t, table, wordsOf(query), wordsOf(train), most, radii, opts)
	}
}

// flatContents fills flat descriptors.
var flatContents = map[string]func(rng *rand.Rand, list []byte, size int){
	"random": func(rng *rand.Rand, list []byte, _ int) {
		for i := range list {
			list[i] = byte(rng.Uint32())
		}
	},
	"few bits": func(rng *rand.Rand, list []byte, size int) { // many distances are equal
		for i := 0; i < len(list); i += size {
			list[i+rng.IntN(size)] = byte(rng.IntN(4))
		}
	},
	"opposite": func(rng *rand.Rand, list []byte, size int) { // the largest distance, and 0
		for i := 0; i < len(list); i += size {
			value := byte(-rng.IntN(2))
			for k := range size {
				list[i+k] = value
			}
		}
	},
}

// flatSizes returns the sizes that are tested: all, or in short tests all numbers of words and
// some that are between.
func flatSizes() (sizes []int) {
	for size := 1; size <= match.MaxLength; size++ {
		if !testing.Short() || size%8 == 0 || size%24 == 13 {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// TestFlat compares sets of descriptors of all sizes with the definition. They lie between
// pages that fault.
func TestFlat(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 16))
		for name, fill := range flatContents {
			for _, size := range flatSizes() {
				descriptors := func(n int) []byte {
					list := asmtest.GuardedMemory(t, n*size)
					fill(rng, list, size)
					return list
				}
				t.Run(fmt.Sprintf("content=%s/bytes=%d", name, size), func(t *testing.T) {
					requireFlatMatches(t, descriptors(1+rng.IntN(5)), descriptors(1+rng.IntN(36)), match.Options{Length: size})
				})
			}
		}
	})
}

// TestFlatLarge compares sets around the size of chunks, batches and groups.
func TestFlatLarge(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(17, 18))
		for _, size := range []int{8, 40, 61, 128} {
			chunk := min(48*16, 48*16*4/((size+7)/8)/16*16) // train descriptors
			for _, n := range []struct{ query, train int }{{3, chunk - 1}, {34, chunk}, {2, chunk + 1}, {67, 2*chunk + 17}} {
				if (testing.Short() || n.query > 34) && n.query > 3 && size != 61 {
					continue
				}
				for name, fill := range flatContents {
					if testing.Short() && name == "opposite" {
						continue
					}
					t.Run(fmt.Sprintf("content=%s/bytes=%d/query=%d/train=%d", name, size, n.query, n.train), func(t *testing.T) {
						query, train := make([]byte, n.query*size), make([]byte, n.train*size)
						fill(rng, query, size)
						fill(rng, train, size)
						requireFlatMatches(t, query, train, match.Options{Length: size, Workers: 2})
					})
				}
			}
		}
	})
}

// TestFlatIsDescriptor checks that descriptors of 32 bytes have the matches of those of 256 bits, with any number of workers.
func TestFlatIsDescriptor(t *testing.T) {
	defer match.ForceWorkers()()
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(19, 20))
		query, train := random(rng, 200), random(rng, 900)
		copy(train[500:], query[:150])
		for _, workers := range []int{1, 2, 5} {
			m := matcher(t, match.Options{CrossCheck: true, Ratio: 0.97})
			f := newMatcher[byte](t, match.Options{Length: 32, CrossCheck: true, Ratio: 0.97, Workers: workers})
			q, tr := flatten(query), flatten(train)
			require.NotEmpty(t, m.Match(query, train))
			require.True(t, slices.Equal(m.Match(query, train), f.Match(q, tr)))
			require.True(t, slices.Equal(m.KNearest(query, train, 5), f.KNearest(q, tr, 5)))
			require.True(t, slices.Equal(m.Within(query, train, 110), f.Within(q, tr, 110)))
		}
	})
}

// flatten returns descriptors as a slice of bytes.
func flatten(descs []match.Descriptor) (list []byte) {
	for _, d := range descs {
		list = append(list, d[:]...)
	}
	return list
}

// TestFlatSets checks that sets that have no whole number of descriptors panic, in every
// method, and that there are no matches without descriptors.
func TestFlatSets(t *testing.T) {
	f := newMatcher[byte](t, match.Options{Length: 61})
	for _, find := range []func(query, train []byte) []match.Match{
		f.Match,
		func(query, train []byte) []match.Match { return f.KNearest(query, train, 3) },
		func(query, train []byte) []match.Match { return f.Within(query, train, 400) },
	} {
		for _, n := range [][2]int{{0, 1}, {61, 60}, {61, 62}, {60, 0}, {64, 61}, {64, 64}} {
			want := fmt.Sprintf("match: sets of %d and %d bytes, not multiples of Options.Length, which is 61", n[0], n[1])
			require.PanicsWithValue(t, want, func() { find(make([]byte, n[0]), make([]byte, n[1])) })
		}
		require.Nil(t, find(nil, nil))
		require.Nil(t, find([]byte{}, []byte{}))
		require.Nil(t, find(make([]byte, 61), nil))
		require.Nil(t, find(nil, make([]byte, 61)))
		require.Len(t, find(make([]byte, 61), make([]byte, 61)), 1)
	}
	words := newMatcher[uint64](t, match.Options{Length: 24})
	require.PanicsWithValue(t, "match: sets of 24 and 32 bytes, not multiples of Options.Length, which is 24", func() {
		words.Match(make([]uint64, 3), make([]uint64, 4))
	})
	require.Nil(t, words.Match(nil, make([]uint64, 3)))
}

// FuzzFlat compares sets of descriptors that are data with the definition.
func FuzzFlat(f *testing.F) {
	f.Add([]byte("descriptors of some size, one after the other"), uint8(7), uint8(20), uint8(1))
	f.Add(slices.Repeat([]byte{0, 0xff, 1}, 500), uint8(60), uint8(50), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, last, queries, workers uint8) {
		size := 1 + int(last)%match.MaxLength
		data = data[:min(len(data), 64*size)]
		n := min(int(queries), len(data)/size) * size
		query, train := data[:n], data[n:len(data)/size*size]
		for _, isa := range cpu.InstructionSets("match") {
			func() {
				defer cpu.Limit(isa.Set)()
				requireFlatMatches(t, query, train, match.Options{Length: size, Workers: int(workers % 4)})
			}()
		}
	})
}
