package gpu

import (
	"math"
	"unsafe"

	"github.com/fastcorners/fast/match"
)

// A neighbor is a distance and, in the lower 32 bits, the index of a descriptor. Neighbors are
// ordered by distance and then by index.
type neighbor uint64

const noNeighbor neighbor = math.MaxUint64

// neighborOf returns the neighbor of a key whose index counts from first.
func neighborOf(key uint32, first int) neighbor {
	if key == noKey {
		return noNeighbor
	}
	return neighbor(key>>indexBits)<<32 | neighbor(first+int(key&(1<<indexBits-1)))
}

func (n neighbor) distance() int { return int(n >> 32) }

// piece returns n descriptors of the set from first on, or as many as there are.
func (s source) piece(first, n int) source {
	n = min(n, s.n-first)
	if s.host != nil {
		return source{host: s.host[first:][:n], n: n}
	}
	return source{device: s.device + devicePointer(first*descriptorSize), n: n}
}

// pieces appends the matches of a pair of which no more than size descriptors of each set are
// compared at once.
func (m *Matcher) pieces(dst []match.Match, s *space, query, train source, size int) ([]match.Match, error) {
	for first := 0; first < query.n; first += size {
		found, err := m.candidates(s, query.piece(first, size), train, size)
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Query += int32(first)
		}
		if m.opts.CrossCheck && len(found) > 0 {
			if found, err = m.unbeaten(found, s, query, train, size); err != nil {
				return nil, err
			}
		}
		dst = append(dst, found...)
	}
	return dst, nil
}

// candidates returns the matches of a piece of the query set that pass the tests of distances.
func (m *Matcher) candidates(s *space, query, train source, size int) ([]match.Match, error) {
	query, err := s.resident(&s.query, query)
	if err != nil {
		return nil, err
	}
	best, second := make([]neighbor, query.n), make([]neighbor, query.n)
	for i := range best {
		best[i], second[i] = noNeighbor, noNeighbor
	}
	for first := 0; first < train.n; first += size {
		piece, err := s.resident(&s.train, train.piece(first, size))
		if err != nil {
			return nil, err
		}
		s.tasks = append(s.tasks[:0], task{query: query, train: piece})
		keys := make([]keyArgs, s.plan(m.device.concurrent, false))
		if err := s.stage(m, len(keys), 0); err != nil {
			return nil, err
		}
		if err := s.search(m.nearest, 0, s.nearest); err != nil {
			return nil, err
		}
		if err := s.toHost(unsafe.Pointer(&keys[0]), s.parts.device, len(keys)*int(unsafe.Sizeof(keys[0]))); err != nil {
			return nil, err
		}
		if err := s.synchronize(); err != nil {
			return nil, err
		}
		for i, k := range keys {
			i %= query.n
			n := neighborOf(k.nearest, first)
			second[i] = min(second[i], neighborOf(k.second, first), max(best[i], n))
			best[i] = min(best[i], n)
		}
	}
	var found []match.Match
	for i, n := range best {
		switch {
		case n == noNeighbor || n.distance() > m.opts.MaxDistance:
		case m.opts.Ratio > 0 && train.n == 1:
		case m.opts.Ratio > 0 && second[i] != noNeighbor && float64(n.distance()) >= m.opts.Ratio*float64(second[i].distance()):
		default:
			found = append(found, match.Match{Query: int32(i), Train: int32(uint32(n)), Distance: int32(n.distance())})
		}
	}
	return found, nil
}

// unbeaten returns those of the candidates whose train descriptors have no nearer query.
func (m *Matcher) unbeaten(candidates []match.Match, s *space, query, train source, size int) ([]match.Match, error) {
	n := len(candidates)
	tested := append([]match.Match(nil), candidates...)
	if train.host != nil {
		descriptors := make([]match.Descriptor, n)
		for i, c := range candidates {
			descriptors[i] = train.host[c.Train]
			tested[i].Train = int32(i)
		}
		var err error
		if train, err = s.resident(&s.tested, source{host: descriptors, n: n}); err != nil {
			return nil, err
		}
	}
	beaten := make([]uint32, n)
	for first := 0; first < query.n; first += size {
		piece, err := s.resident(&s.query, query.piece(first, size))
		if err != nil {
			return nil, err
		}
		// Equal distances count only of queries with lower indices.
		for i, c := range candidates {
			switch t := &tested[i]; {
			case int(c.Query) < first:
				t.Query, t.Distance = 0, c.Distance
			case int(c.Query) >= first+piece.n:
				t.Query, t.Distance = 0, c.Distance+1
			default:
				t.Query, t.Distance = c.Query-int32(first), c.Distance
			}
		}
		s.pairs = append(s.pairs[:0], pairArgs{query: piece.device, train: train.device})
		s.items, s.queries, s.trains = s.items[:0], n, 0
		s.split(0, n, piece.n, shareOf(rowBlocks(n)*piece.n, m.device.concurrent), 0)
		if err := s.stage(m, 0, n); err != nil {
			return nil, err
		}
		if err := s.toDevice(s.candidates.device, unsafe.Pointer(&tested[0]), n*matchSize); err != nil {
			return nil, err
		}
		if err := s.toDevice(s.beaten.device, unsafe.Pointer(&beaten[0]), n*beatenSize); err != nil {
			return nil, err
		}
		if err := s.search(m.device.searches[anyNearer], 0, len(s.items)); err != nil {
			return nil, err
		}
		if err := s.toHost(unsafe.Pointer(&beaten[0]), s.beaten.device, n*beatenSize); err != nil {
			return nil, err
		}
		if err := s.synchronize(); err != nil {
			return nil, err
		}
	}
	kept := candidates[:0]
	for i, c := range candidates {
		if beaten[i] == 0 {
			kept = append(kept, c)
		}
	}
	return kept, nil
}
