package vpi

import (
	"encoding/binary"
	"math/bits"
)

// Rows are worked in chunks of so many bytes, and these in blocks.
const (
	chunkBytes = 256
	blockBytes = 64
)

// A window is the pixels of a chunk, or those that lie as far from each of them as a pixel
// of the circle does, and a word more. A place in it that is masked is known to be in it,
// which spares checks.
type window = *[chunkBytes + wordBytes]byte

// A view is what the test of a chunk looks at.
type view struct {
	centres window
	ring    [2 * maxCircle]window // the pixels of the circle, twice around
	halves  [maxCircle]window     // their halves
	end     int                   // bytes of the chunk that are tested
}

// test finds the corners of row y, with their scores.
//
// The first stage lists the groups of pixels of which some may be corners, by a part of
// the circle. The second one tests all of the circle for the groups of this list, and
// lists those with corners, of which the third makes scores. With pixels of 16 bits the
// first two see halves, and let some pass that the third finds to be none. All but the
// third work on a group at once, and no branch there depends on pixels.
func (s *searcher) test(y int) {
	l := s.line(y)
	radius, n := s.circle.radius, len(s.circle.pixels)
	var v view
	for begin := 0; begin < s.w*s.format.size; begin += chunkBytes {
		v.centres = window(s.rows[s.place(radius, y+radius)+begin:])
		for i, p := range s.circle.pixels {
			at := s.place(radius+p.X, y+radius+p.Y) + begin
			v.ring[i] = window(s.rows[at:])
			v.ring[n+i] = v.ring[i]
			v.halves[i] = window(s.halves[at:])
		}
		v.end = min(chunkBytes, s.w*s.format.size-begin)
		groups := s.screen(&v)
		hits := s.exact(&v, groups)
		s.score(l, begin/s.format.size, &v, hits)
	}
}

// screen lists the groups of which a pixel can be a corner: the number of a word, times
// two, and 1 for the second group of a word. The test is that of four pairs of pixels
// opposite each other on the circle, of each of which an arc of half the circle or more
// holds one. It compares halves, which leave the top bits of the pixels free, and lets
// those pass that are too close to tell.
func (s *searcher) screen(v *view) []uint32 {
	f := s.format
	first, second := f.groups[0], f.groups[1]
	n := len(s.circle.pixels)
	if 2*s.circle.arc < n {
		return s.allGroups(v.end, second != 0)
	}
	ring := func(i int) window { return v.halves[i*n/8%maxCircle] }
	ring0, ring1, ring2, ring3 := ring(0), ring(1), ring(2), ring(3)
	ring4, ring5, ring6, ring7 := ring(4), ring(5), ring(6), ring(7)
	tops, halfs := f.tops, ^f.tops
	t := tops >> (8*f.size - 1) * uint64(s.threshold)
	groups := s.groups
	count := 0
	for begin := 0; begin < v.end; begin += blockBytes {
		at := begin & (chunkBytes - 1)
		c := (*[blockBytes]byte)(v.centres[at:])
		a0, b0 := (*[blockBytes]byte)(ring0[at:]), (*[blockBytes]byte)(ring4[at:])
		a1, b1 := (*[blockBytes]byte)(ring1[at:]), (*[blockBytes]byte)(ring5[at:])
		a2, b2 := (*[blockBytes]byte)(ring2[at:]), (*[blockBytes]byte)(ring6[at:])
		a3, b3 := (*[blockBytes]byte)(ring3[at:]), (*[blockBytes]byte)(ring7[at:])
		for i := 0; i < blockBytes; i += wordBytes {
			// A half is bright from (p+t)/2 on. By the top bit of a pixel, bright-half
			// tells that it is less. For dark ones the same holds of the negatives.
			p := load(c[i:])
			limit, negative := mean(p, t, halfs), mean(^p, t, halfs)
			bright := limit&halfs + halfs
			dark := negative & halfs

			a, b := load(a0[i:]), load(b0[i:])
			notBright := (bright-a)&(bright-b) | limit
			notDark := (dark+a)&(dark+b) | negative
			a, b = load(a1[i:]), load(b1[i:])
			notBright |= (bright - a) & (bright - b)
			notDark |= (dark + a) & (dark + b)
			a, b = load(a2[i:]), load(b2[i:])
			notBright |= (bright - a) & (bright - b)
			notDark |= (dark + a) & (dark + b)
			a, b = load(a3[i:]), load(b3[i:])
			notBright |= (bright - a) & (bright - b)
			notDark |= (dark + a) & (dark + b)

			// Every group is listed, but stays only when the count moves on.
			none := notBright & notDark
			group := uint32(begin+i) / wordBytes * 2
			groups[count] = group
			next := count + 1
			if none&first == first {
				next = count
			}
			groups[next] = group + 1
			count = next + 1
			if none&second == second {
				count = next
			}
		}
	}
	return groups[:count]
}

// mean returns the means of the pixels of a and b, rounded down.
func mean(a, b, halfs uint64) uint64 {
	return a&b + (a^b)>>1&halfs
}

// allGroups lists all groups of so many bytes: one for each word, or two.
func (s *searcher) allGroups(size int, two bool) []uint32 {
	groups := s.groups[:0]
	for word := range uint32(roundUp(size) / wordBytes) {
		groups = append(groups, 2*word)
		if two {
			groups = append(groups, 2*word+1)
		}
	}
	return groups
}

// A hit is a group with corners. Its fields have the pixels of the circle from which on
// an arc is bright, and those from which on one is dark, in their top bits, the first
// pixel lowest.
type hit struct {
	at           int // of the first pixel, in bytes from the chunk's first
	bright, dark uint64
}

// exact lists the groups that have corners.
func (s *searcher) exact(v *view, groups []uint32) []hit {
	f := s.format
	ring := v.ring[:len(s.circle.pixels)]
	if f.size == 2 {
		ring = v.halves[:len(s.circle.pixels)]
	}
	t := fieldOnes * uint64(s.threshold)
	count := 0
	for _, group := range groups {
		at := int(group/2)*wordBytes + int(group%2)
		bright, dark := f.limits(load(v.centres[at&(chunkBytes-1):]), t)
		bright, dark = classes(ring, at, f.values, bright, dark)
		h := &s.hits[count]
		h.at = at
		h.bright, h.dark = s.circle.arcs(bright), s.circle.arcs(dark)
		next := count + 1
		if h.bright|h.dark == 0 {
			next = count
		}
		count = next
	}
	return s.hits[:count]
}

// limits returns what to add to the values of a group, and what to take them from, so that
// the top bits of the fields tell which are bright, and dark: for the word p of the group's
// centres, and the threshold in each field.
func (f *format) limits(p, t uint64) (bright, dark uint64) {
	if f.size == 1 {
		p &= f.values
		return fieldTops - (p + t), fieldTops + p - t
	}
	return fieldTops - clamp(mean(p, t, f.values)), ^clamp(mean(^p, t, f.values))
}

// clamp makes fields 0x8000 at most.
func clamp(v uint64) uint64 {
	top := v & fieldTops
	return v &^ (top - top>>15)
}

// classes returns which pixels of the circle are bright, and which are dark, for a group
// and its limits: in the top bits of the fields, the first pixel lowest.
func classes(ring []window, at int, values, bright, dark uint64) (brights, darks uint64) {
	at &= chunkBytes - 1
	for ; len(ring) >= 4; ring = ring[4:] { // circles have 8, 12 or 16 pixels
		w := (*[4]window)(ring)
		brights, darks = classify(load(w[0][at:])&values, bright, dark, brights, darks)
		brights, darks = classify(load(w[1][at:])&values, bright, dark, brights, darks)
		brights, darks = classify(load(w[2][at:])&values, bright, dark, brights, darks)
		brights, darks = classify(load(w[3][at:])&values, bright, dark, brights, darks)
	}
	return brights, darks
}

// classify adds a pixel of the circle.
func classify(q, bright, dark, brights, darks uint64) (uint64, uint64) {
	return brights>>1 | (bright+q)&fieldTops, darks>>1 | (dark-q)&fieldTops
}

// score makes the scores of the corners in hits, and adds those to l that reach the
// threshold. The chunk begins in a column.
func (s *searcher) score(l *line, column int, v *view, hits []hit) {
	f := s.format
	n := len(s.circle.pixels)
	all := uint32(1)<<n - 1
	for i := range hits {
		h := &hits[i]
		either := h.bright | h.dark
		corners := (either&^fieldTops + ^fieldTops | either) & fieldTops // fields that are not 0
		for ; corners != 0; corners &= corners - 1 {
			top := bits.TrailingZeros64(corners)
			at := h.at + top/16*2
			if at >= v.end {
				break // beyond the row's end
			}
			first := top + 1 - n
			bright, dark := uint32(h.bright>>(first&63))&all, uint32(h.dark>>(first&63))&all
			// Dark pixels are bright ones in the negative.
			starts, negative := bright, uint32(0)
			if bright == 0 {
				starts, negative = dark, f.value
			}
			score := s.contrast(v, at, starts, negative)
			if uint64(bright)*uint64(dark) != 0 {
				score = max(score, s.contrast(v, at, dark, f.value))
			}
			if score >= s.threshold {
				l.add(column+at/f.size, score)
			}
		}
	}
}

// contrast returns the largest of the least differences, of arcs that begin on starts.
// Pixels are turned into their negatives when that is not 0.
func (s *searcher) contrast(v *view, at int, starts, negative uint32) int32 {
	c := s.circle
	n := len(c.pixels)
	best := uint32(0)
	if starts == 1<<n-1 || 2*c.arc <= n {
		for first := 0; first < n; first += c.spread {
			best = max(best, c.darkest(v.ring[first:], at, s.format.value, negative))
		}
	} else {
		first := bits.TrailingZeros32(starts &^ (starts<<1 | starts>>((n-1)&31)))
		best = c.darkest(v.ring[first&(maxCircle-1):], at, s.format.value, negative)
	}
	return int32(best) - int32(pixel(v.centres, at)&s.format.value^negative)
}

// darkest returns the largest of the darkest pixels of arcs, of those that begin on the
// first pixels of ring.
func (c *circle) darkest(ring []window, at int, value, negative uint32) uint32 {
	var tails [maxCircle]uint32 // the darkest pixels from each of the first arc on
	first, rest := ring[:c.arc], ring[c.arc:][:c.spread-1]
	darkest := value
	for i := len(first) - 1; i >= 0; i-- {
		darkest = min(darkest, pixel(first[i], at)&value^negative)
		tails[i%maxCircle] = darkest
	}
	best := darkest
	darkest = value
	for i, w := range rest {
		darkest = min(darkest, pixel(w, at)&value^negative)
		best = max(best, min(darkest, tails[(i+1)%maxCircle]))
	}
	return best
}

// pixel returns the pixel of a window that begins with a byte, and what follows it where
// that is less than 16 bits.
func pixel(w window, at int) uint32 {
	return uint32(binary.LittleEndian.Uint16(w[at&(chunkBytes-1):]))
}
