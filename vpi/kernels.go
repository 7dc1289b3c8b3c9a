package vpi

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions that an instruction set has. The portable ones define what
// they do.
type kernels struct {
	sift func(*siftRun)
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("vpi", kernels{sift: sift}, assembly...)

// Rows are divided into chunks, and chunks into blocks.
const (
	chunkBytes = 256
	blockBytes = 64
)

// A window holds the pixels of a chunk, or those at the place of one pixel of the circle
// around each of them, and one word more. Places are masked where they are used, which
// spares a check of bounds.
type window [chunkBytes + wordBytes]byte

// placeMask leaves places in a chunk as they are.
const placeMask = chunkBytes - 1

// A siftRun is the argument of sift, which lives on the heap: what the test of a chunk looks at, and
// the pixels that it marks.
type siftRun struct {
	rest       uint64 // all bits but the top ones of the pixels of a word
	thresholds uint64 // one for each pixel of a word
	opposite   int    // places on the circle from a pixel to the one opposite to it

	end     int // bytes of the chunk that are tested
	centers *window
	halves  [maxCircle + 1]*window // their halves, and those of the first one again

	// The marks: a bit for each byte, which is set for the last byte of a pixel that may
	// be a corner by a bright arc, or by a dark one. Those from end on mean nothing.
	bright, dark [chunkBytes / blockBytes]uint64

	words [chunkBytes/wordBytes + 1]word // of screen
}

// clear removes all marks.
func (r *siftRun) clear() {
	clear(r.bright[:])
	clear(r.dark[:])
}

// mark sets the bits of the pixels of the word at a place, of which bright and dark have
// the top bits.
func (r *siftRun) mark(at int, bright, dark uint64) {
	const gather = 0x0102_0408_1020_4080 // brings the bits of the bytes to the last one
	i, shift := at/blockBytes&(len(r.bright)-1), at&(blockBytes-1)
	r.bright[i] |= bright >> 7 * gather >> 56 << shift
	r.dark[i] |= dark >> 7 * gather >> 56 << shift
}

// sift marks the pixels of a chunk that may be corners by arcs of more than half the circle.
// Such an arc holds two adjacent pixels or the two opposite to them, all around the circle.
// Few pixels besides corners pass this test.
func sift(r *siftRun) {
	r.clear()
	front, back := r.halves[:r.opposite+1], r.halves[r.opposite:2*r.opposite+1]
	for _, w := range screen(r) {
		bright, dark, _, _ := limits(load(r.centers[w.at&placeMask:]), r.thresholds, ^r.rest)
		notBright, notDark := opposite(front, back, w.at, bright, dark)
		r.mark(w.at, w.bright&^notBright, w.dark&^notDark)
	}
}

// A word is the pixels of one, with the top bits of those of which a bright arc may make
// corners, and a dark one.
type word struct {
	at           int // the place of the first pixel
	bright, dark uint64
}

// screen lists the words with pixels that may be corners. It tests four pairs of pixels
// that lie opposite each other on the circle: an arc of half the circle or more holds one
// of each. It compares halves, which leave the top bits free, and lets those pass that are
// too close to tell.
func screen(r *siftRun) []word {
	ring := func(i int) *window { return r.halves[i*r.opposite/4&(maxCircle-1)] }
	ring0, ring1, ring2, ring3 := ring(0), ring(1), ring(2), ring(3)
	ring4, ring5, ring6, ring7 := ring(4), ring(5), ring(6), ring(7)
	tops, t := ^r.rest, r.thresholds
	words := &r.words
	count := 0
	for begin := 0; begin < r.end; begin += blockBytes {
		at := begin & placeMask
		c := (*[blockBytes]byte)(r.centers[at:])
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

// opposite returns top bits for the pixels of a word of which two halves of the circle,
// from the first pixel to the one opposite to it, hold pixels side by side that are not
// bright, opposite to each other, and those that are not dark.
func opposite(front, back []*window, at int, bright, dark uint64) (notBright, notDark uint64) {
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
