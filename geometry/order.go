package geometry

import (
	"cmp"
	"math"
	"math/bits"
	"sort"

	"github.com/fastcorners/fast/internal/raster"
)

// largest is the largest coordinate that counts.
const largest = 1 << 24

// A keyed is an index of a pair with the pair's key.
type keyed struct {
	key   uint64
	index int
}

// golden is the constant of SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014), and mix its function.
const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// floatBits returns the bits of v, those of 0 for -0.
func floatBits(v float64) uint64 {
	return math.Float64bits(v + 0)
}

// usable reports whether a coordinate counts.
func usable(p Point) bool {
	return math.Abs(p.X) <= largest && math.Abs(p.Y) <= largest // NaN is not
}

// A bucket is a list of pairs that are sorted by their keys, and those with equal keys by all
// that they have. Package slices would make programs 20 KB larger for that.
type bucket struct {
	keys      []keyed
	a, b      []Point
	distances []float64 // or nil
}

func (s *bucket) Len() int           { return len(s.keys) }
func (s *bucket) Less(i, j int) bool { return s.compare(s.keys[i], s.keys[j]) < 0 }
func (s *bucket) Swap(i, j int)      { s.keys[i], s.keys[j] = s.keys[j], s.keys[i] }

func (s *bucket) compare(k, l keyed) int {
	if k.key != l.key {
		return cmp.Compare(k.key, l.key)
	}
	p, q, r, t := s.a[k.index], s.a[l.index], s.b[k.index], s.b[l.index]
	c := cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y), cmp.Compare(r.X, t.X), cmp.Compare(r.Y, t.Y))
	if c == 0 && s.distances != nil {
		c = cmp.Compare(s.distances[k.index], s.distances[l.index])
	}
	return c
}

// A sorter puts pairs in order.
type sorter struct {
	order []int // the indices of the usable pairs, in the order in which they are worked

	keys, spare []keyed
	bucket      bucket
	ends        []int
}

// sort sets the order to the indices of the usable pairs, in an order that depends only on the
// pairs and is as good as random: that of a hash of their coordinates. It takes linear time.
func (s *sorter) sort(a, b []Point, distances []float64) {
	keys := raster.Resize(s.keys, len(a))[:0]
	for i, p := range a {
		q := b[i]
		if !usable(p) || !usable(q) || distances != nil && math.IsNaN(distances[i]) {
			continue
		}
		k := mix(floatBits(p.X) + golden)
		k = mix(k ^ floatBits(p.Y))
		k = mix(k ^ floatBits(q.X))
		k = mix(k ^ floatBits(q.Y))
		keys = append(keys, keyed{k, i})
	}
	s.keys = keys
	n := len(keys)
	s.order = raster.Resize(s.order, n)

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
	s.bucket = bucket{nil, a, b, distances}
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
		s.order[i] = k.index
	}
	s.bucket = bucket{}
}

// byDistance returns the positions in the order, sorted by distance, in linear time.
func (s *sorter) byDistance(distances []float64) []keyed {
	// Sort digit by digit. Only digits that differ take time.
	n := len(s.order)
	keys := raster.Resize(s.keys, n)
	var counts [8][256]int
	for k, i := range s.order {
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
