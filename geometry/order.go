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

// sort sets j.order to the indices of the usable pairs, in an order that depends only on the
// pairs and is as good as random: that of a hash of their coordinates. It takes linear time.
func (j *job) sort(a, b []Point, distances []float64) {
	keys := raster.Resize(j.keys, len(a))[:0]
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
	j.keys = keys
	n := len(keys)
	j.order = raster.Resize(j.order, n)

	// The upper bits of the keys number buckets of about 4 pairs each.
	width := max(bits.Len(uint(n))-3, 0)
	shift := 64 - width
	buckets := 1 << width
	ends := raster.Resize(j.ends, buckets)
	j.ends = ends
	clear(ends)
	for _, k := range keys {
		ends[k.key>>shift]++
	}
	sum := 0
	for i, count := range ends {
		ends[i] = sum
		sum += count
	}
	sorted := raster.Resize(j.sorted, n)
	j.sorted = sorted
	for _, k := range keys {
		bucket := k.key >> shift
		sorted[ends[bucket]] = k
		ends[bucket]++
	}
	j.bucket = bucket{nil, a, b, distances}
	begin := 0
	for _, end := range ends {
		bucket := sorted[begin:end]
		if len(bucket) > 16 { // equal pairs, most likely
			j.bucket.keys = bucket
			sort.Sort(&j.bucket)
		} else {
			for i := 1; i < len(bucket); i++ {
				k := bucket[i]
				at := i
				for ; at > 0 && (bucket[at-1].key > k.key || bucket[at-1].key == k.key && j.bucket.compare(bucket[at-1], k) > 0); at-- {
					bucket[at] = bucket[at-1]
				}
				bucket[at] = k
			}
		}
		begin = end
	}
	for i, k := range sorted {
		j.order[i] = k.index
	}
	j.bucket = bucket{}
}

// A frame is a system of coordinates in which the points of an image are about 1 from 0, at
// most: image coordinates minus center, times scale, a power of 2.
type frame struct {
	center Point
	scale  float64
}

// newFrame returns the frame for points whose coordinates are from low to high.
func newFrame(low, high Point) frame {
	f := frame{Point{math.Floor((low.X + high.X) / 2), math.Floor((low.Y + high.Y) / 2)}, 1}
	if side := max(high.X-low.X, high.Y-low.Y); side > 0 {
		_, exponent := math.Frexp(side)
		f.scale = math.Ldexp(1, 1-max(exponent, -500))
	}
	return f
}

// to returns p in coordinates of the frame.
func (f *frame) to(p Point) Point {
	return Point{float64((p.X - f.center.X) * f.scale), float64((p.Y - f.center.Y) * f.scale)}
}

// into returns the matrix of to.
func (f *frame) into() Transform {
	return Transform{f.scale, 0, -float64(f.center.X * f.scale), 0, f.scale, -float64(f.center.Y * f.scale), 0, 0, 1}
}

// outOf returns the inverse of into.
func (f *frame) outOf() Transform {
	return Transform{1 / f.scale, 0, f.center.X, 0, 1 / f.scale, f.center.Y, 0, 0, 1}
}

// A box has the least and the largest coordinates of points.
type box struct{ low, high Point }

func newBox() box {
	inf := math.Inf(1)
	return box{Point{inf, inf}, Point{-inf, -inf}}
}

func (b *box) add(p Point) {
	b.low = Point{min(b.low.X, p.X), min(b.low.Y, p.Y)}
	b.high = Point{max(b.high.X, p.X), max(b.high.Y, p.Y)}
}

// frames are the frames of both images.
type frames struct{ a, b frame }

// scale returns by how much a transform that keeps lengths enlarges them between the frames, a
// power of 2.
func (f *frames) scale() float64 { return f.b.scale / f.a.scale }

// out returns a transform between the frames as one between the images.
func (f *frames) out(t *Transform) Transform {
	into, outOf := f.a.into(), f.b.outOf()
	right := t.mul(&into)
	return outOf.mul(&right).normalized()
}

// place sets the coordinates of the pairs, in their order and in their frames, and NaN for
// those that fill up the last group.
func (j *job) place(a, b []Point) {
	boxA, boxB := newBox(), newBox()
	for _, i := range j.order {
		boxA.add(a[i])
		boxB.add(b[i])
	}
	j.frames = frames{newFrame(boxA.low, boxA.high), newFrame(boxB.low, boxB.high)}
	n := len(j.order)
	filled := (n + lanes - 1) / lanes * lanes
	r := &j.run
	r.ax, r.ay = raster.Resize(r.ax, filled), raster.Resize(r.ay, filled)
	r.bx, r.by = raster.Resize(r.bx, filled), raster.Resize(r.by, filled)
	for k, i := range j.order {
		p, q := j.frames.a.to(a[i]), j.frames.b.to(b[i])
		r.ax[k], r.ay[k], r.bx[k], r.by[k] = p.X, p.Y, q.X, q.Y
	}
	for k := n; k < filled; k++ {
		r.ax[k], r.ay[k], r.bx[k], r.by[k] = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
}

// maxPools is the largest number of pools: the first pairs by distance, all of them in the
// first pool, and in each other one half as many as in the one before.
const maxPools = 4

// rank sets the pools. Without distances there is only one.
func (j *job) rank(distances []float64) {
	n := len(j.order)
	j.pools = 1
	if distances == nil {
		return
	}
	for j.pools < maxPools && n>>j.pools >= 16 {
		j.pools++
	}
	if j.pools == 1 {
		return
	}

	// Sort positions by distance, digit by digit. Only digits that differ take time.
	keys := raster.Resize(j.keys, n)
	var counts [8][256]int
	for k, i := range j.order {
		key := floatBits(distances[i])
		key ^= uint64(int64(key)>>63) | 1<<63 // ordered as the floats are
		keys[k] = keyed{key, k}
		for d := range counts {
			counts[d][uint8(key>>(8*d))]++
		}
	}
	other := j.sorted
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
	j.keys, j.sorted = keys, other

	j.ranks = raster.Resize(j.ranks, n)
	j.pool = raster.Resize(j.pool, n)
	for rank, k := range keys {
		j.ranks[rank] = k.index
		p := 0
		for p+1 < j.pools && rank < n>>(p+1) {
			p++
		}
		j.pool[k.index] = uint8(p)
	}
}
