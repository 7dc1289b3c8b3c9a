package vpi

import (
	"encoding/binary"
	"math/bits"
)

// test finds the corners of row y, with their scores.
//
// The first stage marks pixels that may be corners. For arcs of more than half the circle,
// that is the kernel sift, which leaves few pixels besides corners. The second stage, list,
// lists the pixels. The last one, score, scores them; those whose scores reach the threshold
// are corners. Only branches of the second stage depend on pixels.
func (l *lane) test(y int) {
	radius, n := l.circle.radius, len(l.circle.pixels)
	r := &l.sift
	var ring [maxCircle]*window
	for begin := 0; begin < l.w*l.format.size; begin += chunkBytes {
		r.centers = (*window)(l.rows[l.place(radius, y+radius)+begin:])
		for i, p := range l.circle.pixels {
			at := l.place(radius+p.X, y+radius+p.Y) + begin
			ring[i] = (*window)(l.rows[at:])
			r.halves[i] = (*window)(l.halves[at:])
		}
		r.halves[n] = r.halves[0]
		r.end = min(chunkBytes, l.w*l.format.size-begin)

		switch {
		case 2*l.circle.arc > n:
			l.kernels.sift(r)
		case 2*l.circle.arc == n:
			r.clear()
			for _, w := range screen(r) {
				r.mark(w.at, w.bright, w.dark)
			}
		default:
			r.clear()
			for at := 0; at < r.end; at += wordBytes {
				r.mark(at, l.format.tops, l.format.tops)
			}
		}
		l.score(l.line(y), begin/l.format.size, r.centers, &ring, l.list(r))
	}
}

// A candidate is a pixel that may be a corner by a bright arc, or by a dark one: a bright
// one in the negative, whose pixels are exclusive-ored with the largest one.
type candidate struct {
	at       uint8  // its place in the chunk
	negative uint32 // 0 or the largest pixel
}

// list lists the candidates in a chunk.
func (l *lane) list(r *siftRun) []candidate {
	f := l.format
	candidates := l.candidates[:0]
	for i, dark := range r.dark {
		bright := r.bright[i]
		for marks := bright | dark; marks != 0; marks &= marks - 1 {
			bit := bits.TrailingZeros64(marks)
			at := i*blockBytes + bit&^(f.size-1)
			if at >= r.end {
				break // beyond the row's end
			}
			candidates = append(candidates, candidate{uint8(at), f.largest * uint32(dark>>bit&1)})
			if bright&dark>>bit&1 != 0 {
				candidates = append(candidates, candidate{uint8(at), 0})
			}
		}
	}
	return candidates
}

// score adds the candidates that are corners to a line, with their scores. The chunk begins in
// a column.
func (l *lane) score(to *line, column int, centers *window, ring *[maxCircle]*window, candidates []candidate) {
	pairs := len(l.circle.pixels) / 2
	largest := l.format.largest
	f := &l.scorer
	for len(candidates) > 0 {
		c := (*[4]candidate)(candidates[:4]) // there is room for those that are no more
		for i := range min(pairs, maxCircle/2) {
			w := ring[2*i]
			e0 := pixel(w, c[0].at)&largest ^ c[0].negative
			e1 := pixel(w, c[1].at)&largest ^ c[1].negative
			e2 := pixel(w, c[2].at)&largest ^ c[2].negative
			e3 := pixel(w, c[3].at)&largest ^ c[3].negative
			w = ring[2*i+1]
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
		f.score(pairs, l.circle.arc)
		n := min(len(candidates), len(c))
		for i, c := range candidates[:n] {
			score := f.best[i&3] - (pixel(centers, c.at)&largest ^ c.negative)
			to.add(uint(column+int(c.at)>>((l.format.size-1)&63)), int32(score), l.threshold)
		}
		candidates = candidates[n:]
	}
}

// pixel returns the pixel of a window that begins with a byte, and what follows it where
// that is less than 16 bits.
func pixel(w *window, at uint8) uint32 {
	return uint32(binary.LittleEndian.Uint16(w[at:]))
}
