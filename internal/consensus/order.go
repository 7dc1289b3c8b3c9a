// Package consensus has what packages that look for the model of most pairs of points share: the
// order in which pairs are worked, the samples of them, and masks of those that agree.
package consensus

import (
	"cmp"
	"math"
	"math/bits"
	"sort"

	"github.com/fastcorners/fast/internal/raster"
)

// Largest is the largest coordinate of an image that counts.
const Largest = 1 << 24

// Usable reports whether a place in an image counts.
func Usable(x, y float64) bool {
	return math.Abs(x) <= Largest && math.Abs(y) <= Largest // NaN is not
}

// Golden is the constant of SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014), and Mix its function.
const Golden = 0x9e3779b97f4a7c15

// Mix returns a number of which each bit depends on all bits of z.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A Hash is that of some numbers.
type Hash uint64

// NewHash returns the Hash of one number.
func NewHash(v float64) Hash { return Hash(Mix(floatBits(v) + Golden)) }

// With returns the Hash of the numbers of h and one more.
func (h Hash) With(v float64) Hash { return Hash(Mix(uint64(h) ^ floatBits(v))) }

// floatBits returns the bits of v, those of 0 for -0.
func floatBits(v float64) uint64 {
	return math.Float64bits(v + 0)
}

// A keyed is an index of a pair with the pair's key.
type keyed struct {
	key   uint64
	index int
}

// Pairs are what is put in order.
type Pairs interface {
	// Compare returns -1, 0 or 1 if pair i is before, equal to or after pair k by all that
	// they have.
	Compare(i, k int) int
}

// A bucket is a list of pairs that are sorted by their keys, and those with equal keys by all
// that they have. Package slices would make programs 20 KB larger for that.
type bucket struct {
	keys  []keyed
	pairs Pairs
}

func (s *bucket) Len() int           { return len(s.keys) }
func (s *bucket) Less(i, j int) bool { return s.compare(s.keys[i], s.keys[j]) < 0 }
func (s *bucket) Swap(i, j int)      { s.keys[i], s.keys[j] = s.keys[j], s.keys[i] }

func (s *bucket) compare(k, l keyed) int {
	if k.key != l.key {
		return cmp.Compare(k.key, l.key)
	}
	return s.pairs.Compare(k.index, l.index)
}

// A Sorter puts pairs in order.
type Sorter struct {
	// Order has the indices of the pairs, in the order in which they are worked.
	Order []int

	keys, spare []keyed
	bucket      bucket
	ends        []int
}

// Begin removes all pairs, and makes room for n.
func (s *Sorter) Begin(n int) {
	s.keys = raster.Resize(s.keys, n)[:0]
}

// Add adds the pair with an index. The Hash is that of its coordinates.
func (s *Sorter) Add(h Hash, index int) {
	s.keys = append(s.keys, keyed{uint64(h), index})
}

// Sort sets Order to the indices of the pairs that were added, in an order that depends only on
// the pairs and is as good as random: that of their hashes. It takes linear time.
func (s *Sorter) Sort(pairs Pairs) {
	keys := s.keys
	n := len(keys)
	s.Order = raster.Resize(s.Order, n)

	// The upper bits of the keys number buckets of about 4 pairs each.
	width := max(bits.Len(uint(n))-3, 0)
	shift := 64 - width
	buckets := 1 << width
	ends := raster.Resize(s.ends, buckets)
	s.ends = ends
	clear(ends)
	for _, k := range keys {
		ends[k.key>>shift]++
	}
	sum := 0
	for i, count := range ends {
		ends[i] = sum
		sum += count
	}
	sorted := raster.Resize(s.spare, n)
	s.spare = sorted
	for _, k := range keys {
		bucket := k.key >> shift
		sorted[ends[bucket]] = k
		ends[bucket]++
	}
	s.bucket = bucket{nil, pairs}
	begin := 0
	for _, end := range ends {
		bucket := sorted[begin:end]
		if len(bucket) > 16 { // equal pairs, most likely
			s.bucket.keys = bucket
			sort.Sort(&s.bucket)
		} else {
			for i := 1; i < len(bucket); i++ {
				k := bucket[i]
				at := i
				for ; at > 0 && (bucket[at-1].key > k.key || bucket[at-1].key == k.key && s.bucket.compare(bucket[at-1], k) > 0); at-- {
					bucket[at] = bucket[at-1]
				}
				bucket[at] = k
			}
		}
		begin = end
	}
	for i, k := range sorted {
		s.Order[i] = k.index
	}
	s.bucket = bucket{}
}

// byDistance returns the positions in the order, sorted by distance, in linear time.
func (s *Sorter) byDistance(distances []float64) []keyed {
	// Sort digit by digit. Only digits that differ take time.
	n := len(s.Order)
	keys := raster.Resize(s.keys, n)
	var counts [8][256]int
	for k, i := range s.Order {
		key := floatBits(distances[i])
		key ^= uint64(int64(key)>>63) | 1<<63 // ordered as the floats are
		keys[k] = keyed{key, k}
		for d := range counts {
			counts[d][uint8(key>>(8*d))]++
		}
	}
	other := s.spare
	for d := range counts {
		count := &counts[d]
		if count[uint8(keys[0].key>>(8*d))] == n {
			continue
		}
		sum := 0
		for i, c := range count {
			count[i] = sum
			sum += c
		}
		for _, k := range keys {
			digit := uint8(k.key >> (8 * d))
			other[count[digit]] = k
			count[digit]++
		}
		keys, other = other, keys
	}
	s.keys, s.spare = keys, other
	return keys
}
