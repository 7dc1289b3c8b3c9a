package consensus

import (
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// A random is the state of SplitMix64.
type random uint64

// below returns a random number from 0 to n-1.
func (r *random) below(n int) int {
	*r += Golden
	high, _ := bits.Mul64(Mix(uint64(*r)), uint64(n))
	return int(high)
}

// draw sets sample to different numbers below n.
func (r *random) draw(sample []int, n int) {
	for i := range sample {
	again:
		k := r.below(n)
		for _, other := range sample[:i] {
			if k == other {
				goto again
			}
		}
		sample[i] = k
	}
}

// maxPools is the largest number of pools: the first pairs by distance, all of them in the
// first pool, and in each other one half as many as in the one before.
const maxPools = 4

// A Sampler draws samples of pairs, from each pool in turn. Without distances there is only one.
type Sampler struct {
	// Size is the number of pairs of a sample.
	Size int
	// Confidence is the probability that one of enough samples has only inliers.
	Confidence float64
	// Least and Most are how many samples are enough, at least and at most.
	Least, Most int
	// Drawn is how many samples have been drawn of all pairs.
	Drawn int

	random random
	n      int     // how many pairs there are
	pools  int     // how many pools there are
	ranks  []int   // the positions of pairs in order by distance, if there are several pools
	pool   []uint8 // the last pool that each pair is in, if there are several pools
}

// Begin begins with the pairs of an order.
func (s *Sampler) Begin(seed uint64, order *Sorter, distances []float64) {
	s.random, s.Drawn = random(seed), 0
	s.n, s.pools = len(order.Order), 1
	if distances == nil {
		return
	}
	for s.pools < maxPools && s.n>>s.pools >= 16 {
		s.pools++
	}
	if s.pools == 1 {
		return
	}
	s.ranks = raster.Resize(s.ranks, s.n)
	s.pool = raster.Resize(s.pool, s.n)
	for rank, k := range order.byDistance(distances) {
		s.ranks[rank] = k.index
		p := 0
		for p+1 < s.pools && rank < s.n>>(p+1) {
			p++
		}
		s.pool[k.index] = uint8(p)
	}
}

// Draw sets sample to the positions of pairs of the pool whose turn it is, and counts it.
func (s *Sampler) Draw(sample []int) {
	s.random.draw(sample, s.n>>(s.Drawn%s.pools))
	s.Drawn++
	if s.pools > 1 {
		for i, rank := range sample {
			sample[i] = s.ranks[rank]
		}
	}
}

// A Position is where a Sampler is in its sequence of samples.
type Position struct {
	drawn  int
	random random
}

// Position returns where s is.
func (s *Sampler) Position() Position { return Position{s.Drawn, s.random} }

// Return returns to where s was, so that the samples that followed are drawn again.
func (s *Sampler) Return(p Position) { s.Drawn, s.random = p.drawn, p.random }

// DrawFrom sets sample to elements of list.
func (s *Sampler) DrawFrom(sample, list []int) {
	s.random.draw(sample, len(list))
	for i, k := range sample {
		sample[i] = list[k]
	}
}

// Enough returns the number of samples after which one has only inliers, with the
// confidence asked for, if the shares of inliers among the first n pairs are those in the pools.
func (s *Sampler) Enough(masks []byte, n int) int {
	var inliers, all [maxPools]int
	if s.pools == 1 {
		inliers[0], all[0] = Count(masks[:MaskSize(n)]), n
	} else {
		for _, p := range s.pool[:n] {
			all[p]++
		}
		for i := range Members(masks, n) {
			inliers[s.pool[i]]++
		}
		for p := s.pools - 2; p >= 0; p-- { // which the next pool is a part of
			inliers[p] += inliers[p+1]
			all[p] += all[p+1]
		}
	}
	miss := 1.0 // the probability that no sample of a cycle, one from each pool, is good
	for p := range s.pools {
		share := float64(inliers[p]) / float64(max(all[p], 1))
		miss *= 1 - power(share, s.Size)
	}
	low, high := 1, s.Most // cycles
	for low < high {
		if middle := (low + high) / 2; power(miss, middle) <= 1-s.Confidence {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return min(max(low*s.pools, s.Least), s.Most)
}

// power returns v to the power of n.
func power(v float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 > 0 {
			p = float64(p * v)
		}
		v = float64(v * v)
	}
	return p
}
