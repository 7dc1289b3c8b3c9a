package vpi

import (
	"encoding/binary"
	"math/bits"
)

// Rows are divided into chunks, and chunks into blocks.
const (
	chunkBytes = 256
	blockBytes = 64
)

// A window holds the pixels of a chunk, or those at the place of one pixel of the circle
// around each of them, and one word more. Places are masked where they are used, which
// spares a check of bounds.
type window = *[chunkBytes + wordBytes]byte

// placeMask leaves places in a chunk as they are.
const placeMask = chunkBytes - 1

// A view is what the test of a chunk looks at.
type view struct {
	centers window
	ring    [maxCircle]window     // the pixels of the circle
	halves  [maxCircle + 1]window // their halves, and those of the first one again
	end     int                   // bytes of the chunk that are tested
}

// test finds the corners of row y, with their scores.
//
// The first stage, screen, lists the words with pixels that may be corners by a part of
// the circle. The second one, refine, looks at the whole circle and leaves few pixels
// besides corners. The third one, list, lists the pixels. The last one, score, scores them;
// those whose scores reach the threshold are corners. Only branches of the third stage
// depend on pixels.
func (s *searcher) test(y int) {
	radius, n := s.circle.radius, len(s.circle.pixels)
	var v view
	for begin := 0; begin < s.w*s.format.size; begin += chunkBytes {
		v.centers = window(s.rows[s.place(radius, y+radius)+begin:])
		for i, p := range s.circle.pixels {
			at := s.place(radius+p.X, y+radius+p.Y) + begin
			v.ring[i] = window(s.rows[at:])
			v.halves[i] = window(s.halves[at:])
		}
		v.halves[n] = v.halves[0]
		v.end = min(chunkBytes, s.w*s.format.size-begin)

		var words []word
		if 2*s.circle.arc < n {
			words = s.allWords(v.end)
		} else {
			words = s.screen(&v)
		}
		if 2*s.circle.arc > n {
			words = s.refine(&v, words)
		}
		s.score(s.line(y), begin/s.format.size, &v, s.list(&v, words))
	}
}

// A word is the pixels of one, with the top bits of those of which a bright arc may make
// corners, and a dark one.
type word struct {
	at           int // the place of the first pixel
	bright, dark uint64
}

// allWords lists the words of a chunk of size bytes.
func (s *searcher) allWords(size int) []word {
	words := s.words[:0]
	for at := 0; at < size; at += wordBytes {
		words = append(words, word{at, s.format.tops, s.format.tops})
	}
	return words
}

// screen lists the words with pixels that may be corners. It tests four pairs of pixels
// that lie opposite each other on the circle: an arc of half the circle or more holds one
// of each. It compares halves, which leave the top bits free, and lets those pass that are
// too close to tell.
func (s *searcher) screen(v *view) []word {
	n := len(s.circle.pixels)
	ring := func(i int) window { return v.halves[i*n/8&(maxCircle-1)] }
	ring0, ring1, ring2, ring3 := ring(0), ring(1), ring(2), ring(3)
	ring4, ring5, ring6, ring7 := ring(4), ring(5), ring(6), ring(7)
	tops, t := s.format.tops, s.thresholds
	words := s.words
	count := 0
	for begin := 0; begin < v.end; begin += blockBytes {
		at := begin & placeMask
		c := (*[blockBytes]byte)(v.centers[at:])
		a0, b0 := (*[blockBytes]byte)(ring0[at:]), (*[blockBytes]byte)(ring4[at:])
		a1, b1 := (*[blockBytes]byte)(ring1[at:]), (*[blockBytes]byte)(ring5[at:])
		a2, b2 := (*[blockBytes]byte)(ring2[at:]), (*[blockBytes]byte)(ring6[at:])
		a3, b3 := (*[blockBytes]byte)(ring3[at:]), (*[blockBytes]byte)(ring7[at:])
		for i := 0; i < blockBytes; i += wordBytes {
			bright, dark, notBright, notDark := limits(load(c[i:]), t, tops)
			a, b := load(a0[i:]), load(b0[i:])
			notBright |= (bright - a) & (bright - b)
			notDark |= (dark + a) & (dark + b)
			a, b = load(a1[i:]), load(b1[i:])
			notBright |= (bright - a) & (bright - b)
			notDark |= (dark + a) & (dark + b)
			a, b = load(a2[i:]), load(b2[i:])
			notBright |= (bright - a) & (bright - b)
			notDark |= (dark + a) & (dark + b)
			a, b = load(a3[i:]), load(b3[i:])
			notBright |= (bright - a) & (bright - b)
			notDark |= (dark + a) & (dark + b)

			// Every word is listed, but stays only when the count moves on.
			words[count] = word{begin + i, tops &^ notBright, tops &^ notDark}
			next := count + 1
			if notBright&notDark&tops == tops {
				next = count
			}
			count = next
		}
	}
	return words[:count]
}

// limits returns what the halves of the pixels around p are compared with. By the top bit
// of a pixel, bright-half tells that it is not bright, and dark+half that it is not dark.
// By theirs, notBright and notDark tell that none can be.
func limits(p, t, tops uint64) (bright, dark, notBright, notDark uint64) {
	// A half is bright from (p+t)/2 on. For dark ones the same holds of the negatives.
	notBright, notDark = mean(p, t, tops), mean(^p, t, tops)
	return notBright&^tops + ^tops, notDark &^ tops, notBright, notDark
}

// mean returns the means of the pixels of a and b, rounded down.
func mean(a, b, tops uint64) uint64 {
	return a&b + (a^b)>>1&^tops
}

// refine does for two pixels side by side what screen does for one, all around the circle:
// of two such twos that lie opposite each other, an arc of more than half the circle holds
// one.
func (s *searcher) refine(v *view, words []word) []word {
	n := len(s.circle.pixels)
	front, back := v.halves[:n/2+1], v.halves[n/2:n+1]
	count := 0
	for _, w := range words {
		bright, dark, _, _ := limits(load(v.centers[w.at&placeMask:]), s.thresholds, s.format.tops)
		notBright, notDark := opposite(front, back, w.at, bright, dark)
		w.bright &^= notBright
		w.dark &^= notDark
		words[count] = w
		next := count + 1
		if w.bright|w.dark == 0 {
			next = count
		}
		count = next
	}
	return words[:count]
}

// opposite returns top bits for the pixels of a word of which two halves of the circle,
// from the first pixel to the one opposite to it, hold pixels side by side that are not
// bright, opposite to each other, and those that are not dark.
func opposite(front, back []window, at int, bright, dark uint64) (notBright, notDark uint64) {
	at &= placeMask
	a, b := load(front[0][at:]), load(back[0][at:])
	brightA, brightB := bright-a, bright-b
	darkA, darkB := dark+a, dark+b
	back = back[:len(front)]
	for i := 1; i < len(front); i++ {
		a, b = load(front[i][at:]), load(back[i][at:])
		nextA, nextB := bright-a, bright-b
		notBright |= (brightA | nextA) & (brightB | nextB)
		brightA, brightB = nextA, nextB
		nextA, nextB = dark+a, dark+b
		notDark |= (darkA | nextA) & (darkB | nextB)
		darkA, darkB = nextA, nextB
	}
	return notBright, notDark
}

// A candidate is a pixel that may be a corner by a bright arc, or by a dark one: a bright
// one in the negative, whose pixels are exclusive-ored with the largest one.
type candidate struct {
	at       uint8  // its place in the chunk
	negative uint32 // 0 or the largest pixel
}

// list lists the candidates in words.
func (s *searcher) list(v *view, words []word) []candidate {
	f := s.format
	candidates := s.candidates[:0]
	for i := range words {
		w := &words[i]
		// The top two bits of a pixel.
		for either := w.bright | w.dark>>1; either != 0; either &= either - 1 {
			bit := bits.TrailingZeros64(either)
			at := w.at + bit/8&^(f.size-1)
			if at >= v.end {
				break // beyond the row's end
			}
			candidates = append(candidates, candidate{uint8(at), f.largest * uint32(^bit&1)})
		}
	}
	return candidates
}

// score adds the candidates that are corners to l, with their scores. The chunk begins in
// a column.
func (s *searcher) score(l *line, column int, v *view, candidates []candidate) {
	pairs := len(s.circle.pixels) / 2
	largest := s.format.largest
	f := &s.scorer
	for len(candidates) > 0 {
		c := (*[4]candidate)(candidates[:4]) // there is room for those that are no more
		for i := range min(pairs, maxCircle/2) {
			w := v.ring[2*i]
			e0 := pixel(w, c[0].at)&largest ^ c[0].negative
			e1 := pixel(w, c[1].at)&largest ^ c[1].negative
			e2 := pixel(w, c[2].at)&largest ^ c[2].negative
			e3 := pixel(w, c[3].at)&largest ^ c[3].negative
			w = v.ring[2*i+1]
			o0 := pixel(w, c[0].at)&largest ^ c[0].negative
			o1 := pixel(w, c[1].at)&largest ^ c[1].negative
			o2 := pixel(w, c[2].at)&largest ^ c[2].negative
			o3 := pixel(w, c[3].at)&largest ^ c[3].negative
			f.even[i].set(e0, e1, e2, e3)
			f.odd[i].set(o0, o1, o2, o3)
			e0, e1, e2, e3 = min(e0, o0), min(e1, o1), min(e2, o2), min(e3, o3)
			f.pairs[i].set(e0, e1, e2, e3)
			f.pairs[i+pairs].set(e0, e1, e2, e3)
		}
		f.score(pairs, s.circle.arc)
		n := min(len(candidates), len(c))
		for i, c := range candidates[:n] {
			score := f.best[i&3] - (pixel(v.centers, c.at)&largest ^ c.negative)
			l.add(uint(column+int(c.at)>>((s.format.size-1)&63)), int32(score), s.threshold)
		}
		candidates = candidates[n:]
	}
}

// pixel returns the pixel of a window that begins with a byte, and what follows it where
// that is less than 16 bits.
func pixel(w window, at uint8) uint32 {
	return uint32(binary.LittleEndian.Uint16(w[at:]))
}
