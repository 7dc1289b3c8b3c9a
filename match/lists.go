package match

import (
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A lists is the search for several train descriptors of each query descriptor.
type lists struct {
	*comparison

	// Lists have no distance above limit and, for each query descriptor, no more than
	// keep pairs.
	limit, keep int

	found [][]Match // of each batch, in the memory of lanes
}

// appendMatches appends, for each query descriptor, the first k of the train descriptors
// that are at a distance of up to limit, in the order of their pairs.
func (s *lists) appendMatches(dst []Match, limit, k int) []Match {
	s.limit, s.keep = limit, k
	if s.metric == hamming32 {
		s.metric = hamming // which counts no others of the long ones
	}
	s.found = raster.Resize(s.found, (s.query.n-1)/batch+1)
	worker.Each(s, &s.lanes, s.workers, len(s.found), (*lists).listPart)
	n := 0
	for _, matches := range s.found {
		n += len(matches)
	}
	dst = slices.Grow(dst, n)
	for _, matches := range s.found {
		dst = append(dst, matches...)
	}
	clear(s.found)
	return dst
}

// listPart lists the matches of a batch.
func (s *lists) listPart(l *lane, part int) {
	begin := part * batch
	end := min(begin+batch, s.query.n)
	lists, bits := l.lists.pairs[:end-begin], s.bits
	var limits [batch]uint32 // that the keys of a list are below
	s.prepare(l, begin, end)
	for i := range lists {
		lists[i] = lists[i][:0]
		limits[i] = uint32(s.limit+1) << bits
	}
	for base := 0; base < s.train.n; base += s.chunk {
		trains := s.setTrains(l, base)
		group := s.metric.keyGroup()
		for at := 0; at < len(lists); at += group {
			n := min(group, len(lists)-at)
			s.setQueries(l, begin+at, n)
			s.kernels.keys[s.metric](&l.run)
			for i := at; i < at+n; i++ {
				list, limit := lists[i], limits[i]
				keys := l.run.keys[(i-at)*len(l.run.index):][:trains]
				for n := below(keys, limit); n < len(keys); n = below(keys, limit) {
					p := pairOf(keys[n], bits, base)
					keys = keys[n+1:]
					switch {
					case len(list) < s.keep-1:
						list = append(list, p)
						continue
					case len(list) == s.keep-1:
						list = append(list, p)
						slices.Sort(list)
						slices.Reverse(list) // which makes it a heap
					default:
						replaceFirst(list, p)
					}
					// What comes later has higher indices.
					limit = uint32(list[0].distance()) << bits
				}
				lists[i], limits[i] = list, limit
			}
		}
	}
	n := len(l.lists.found)
	for i, list := range lists {
		slices.Sort(list)
		for _, p := range list {
			l.lists.found = append(l.lists.found, p.match(begin+i))
		}
	}
	s.found[part] = l.lists.found[n:]
}

// below returns the index of the first key that is less than limit, or the number of keys if there is
// none. Most keys are not. It is not inlined, since its loop takes up to a quarter longer where a line
// of the cache ends within it.
//
//go:noinline
func below(keys []uint32, limit uint32) int {
	for i, k := range keys {
		if k < limit {
			return i
		}
	}
	return len(keys)
}

// replaceFirst replaces the first element of a heap, the greatest one, by a smaller one.
// No element i of a heap is smaller than the elements 2i+1 and 2i+2.
func replaceFirst(heap []pair, p pair) {
	i := 0
	for {
		next := 2*i + 1
		if next+1 < len(heap) && heap[next+1] > heap[next] {
			next++
		}
		if next >= len(heap) || heap[next] <= p {
			break
		}
		heap[i] = heap[next]
		i = next
	}
	heap[i] = p
}
