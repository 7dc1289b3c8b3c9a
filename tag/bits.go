package tag

import (
	"encoding/binary"

	"github.com/fastcorners/fast/internal/raster"
)

// The side of a tile, whose pixels have one threshold.
const tile = 4

// margin is the number of bytes on both sides of a row of extremes.
const margin = 8

// A bitmap divides the pixels of an image into dark ones, light ones, and those around which there is too
// little contrast to tell. Row by row, pixel x is bit x%64 of word x/64.
type bitmap struct {
	words       int // of a row
	dark, light []uint64
}

// reset makes room for an image.
func (m *bitmap) reset(p *raster.Plane) {
	m.words = (p.W + 63) / 64
	m.dark, m.light = raster.Resize(m.dark, m.words*p.H), raster.Resize(m.light, m.words*p.H)
}

// A binarizer computes a part of a bitmap.
type binarizer struct {
	kernels *kernels
	tiles   tilesRun
	bits    bitsRun
	extreme [2][3][]byte // the minima and the maxima of three rows of tiles, in turn
	edge    [tile][64]byte
}

// A tilesRun is the argument of the kernel that computes the extremes of a row of tiles, in whole
// words of pixels.
type tilesRun struct {
	rows      [tile][]byte // of pixels
	low, high []byte       // for each pixel, that of its tile
}

// A bitsRun is the argument of the kernel that computes the bits of a row of tiles, in whole words.
type bitsRun struct {
	rows [tile][]byte // of pixels
	// The extremes of the tiles above, of the tiles themselves and of those below: for each pixel,
	// those of its tile. They begin with a margin, and end with one.
	low, high   [3][]byte
	contrast    uint8          // the least difference of extremes
	dark, light [tile][]uint64 // for the bits of the rows
}

// tileRows returns the number of rows of tiles of an image.
func tileRows(p *raster.Plane) int { return (p.H + tile - 1) / tile }

// run computes the bits of the rows of tiles from begin up to end. Tiles have none if the extremes of the
// three by three tiles around differ by less than contrast.
func (b *binarizer) run(m *bitmap, p *raster.Plane, contrast, begin, end int) {
	b.reset(64 * m.words)
	b.bits.contrast = uint8(contrast)
	last := tileRows(p) - 1
	for ty := max(begin-1, 0); ty <= min(begin, last); ty++ {
		b.extremes(p, ty)
	}
	for ty := begin; ty < end; ty++ {
		if ty < last {
			b.extremes(p, ty+1)
		}
		for i, y := range [3]int{max(ty-1, 0), ty, min(ty+1, last)} { // to repeat a row changes no extreme
			b.bits.low[i], b.bits.high[i] = b.extreme[0][y%3], b.extreme[1][y%3]
		}
		for k := range tile {
			y := min(tile*ty+k, p.H-1)
			b.bits.dark[k], b.bits.light[k] = m.dark[y*m.words:][:m.words], m.light[y*m.words:][:m.words]
		}
		b.threshold(p, ty)
	}
	b.release()
}

// reset makes room for the extremes of rows of the given width, with margins that change none.
func (b *binarizer) reset(width int) {
	for i, neutral := range [2]byte{255, 0} {
		for k, row := range b.extreme[i] {
			row = raster.Resize(row, width+2*margin)
			for x := range margin {
				row[x], row[len(row)-1-x] = neutral, neutral
			}
			b.extreme[i][k] = row
		}
	}
}

// release leaves nothing that belongs to the caller or to the bitmap.
func (b *binarizer) release() {
	b.tiles.rows, b.bits.rows = [tile][]byte{}, [tile][]byte{}
	b.bits.dark, b.bits.light = [tile][]uint64{}, [tile][]uint64{}
}

// extremes computes those of a row of tiles.
func (b *binarizer) extremes(p *raster.Plane, ty int) {
	r := &b.tiles
	low, high := b.extreme[0][ty%3], b.extreme[1][ty%3]
	low, high = low[margin:len(low)-margin], high[margin:len(high)-margin]
	whole := p.W &^ 63
	r.rows = rowsOf(p, ty, whole)
	r.low, r.high = low[:whole], high[:whole]
	b.kernels.extremes(r)
	if whole < p.W {
		r.rows = b.padded(p, ty)
		r.low, r.high = low[whole:], high[whole:]
		b.kernels.extremes(r)
	}
}

// threshold computes the bits of a row of tiles.
func (b *binarizer) threshold(p *raster.Plane, ty int) {
	r := &b.bits
	whole := p.W &^ 63
	r.rows = rowsOf(p, ty, whole)
	b.kernels.bits(r)
	if whole == p.W {
		return
	}
	r.rows = b.padded(p, ty)
	valid := uint64(1)<<(p.W&63) - 1
	for i := range r.low {
		r.low[i], r.high[i] = r.low[i][whole:], r.high[i][whole:]
	}
	for k := range tile {
		r.dark[k], r.light[k] = r.dark[k][whole/64:], r.light[k][whole/64:]
	}
	b.kernels.bits(r)
	for k := range tile {
		r.dark[k][0] &= valid
		r.light[k][0] &= valid
	}
}

// rowsOf returns the first pixels of the rows of a row of tiles. Below the image the last row is
// repeated, which changes no extreme.
func rowsOf(p *raster.Plane, ty, n int) (rows [tile][]byte) {
	for k := range rows {
		rows[k] = p.Row(min(tile*ty+k, p.H-1))[:n]
	}
	return rows
}

// padded returns the pixels of the last word of the rows of a row of tiles if the image ends before
// that. The last pixels are repeated, which changes no extreme.
func (b *binarizer) padded(p *raster.Plane, ty int) (rows [tile][]byte) {
	whole := p.W &^ 63
	for k := range rows {
		row := b.edge[k][:]
		src := p.Row(min(tile*ty+k, p.H-1))[whole:]
		for i := copy(row, src); i < len(row); i++ {
			row[i] = src[len(src)-1]
		}
		rows[k] = row
	}
	return rows
}

// extremesOfTiles sets low and high to the extremes of the tiles.
func extremesOfTiles(r *tilesRun) {
	for x := 0; x+8 <= len(r.low); x += 8 {
		low, high := sorted(load(r.rows[0], x), load(r.rows[1], x))
		low2, high2 := sorted(load(r.rows[2], x), load(r.rows[3], x))
		low, high = least(low, low2), greatest(high, high2)
		low, high = least(low, low>>8), greatest(high, high>>8)
		low, high = least(low, low>>16), greatest(high, high>>16)
		// The lowest byte of each tile is right; those of the others mix with the next tile.
		const first, all = 0x000000ff000000ff, 0x01010101
		binary.LittleEndian.PutUint64(r.low[x:], low&first*all)
		binary.LittleEndian.PutUint64(r.high[x:], high&first*all)
	}
}

// bitsOfTiles sets the bits of the rows.
func bitsOfTiles(r *bitsRun) {
	var low, high [3]uint64 // of the eight pixels before, of these, and of those after
	at := func(i, x int) {
		low[i] = least(least(load(r.low[0], x), load(r.low[1], x)), load(r.low[2], x))
		high[i] = greatest(greatest(load(r.high[0], x), load(r.high[1], x)), load(r.high[2], x))
	}
	at(1, 0)
	at(2, margin)
	contrast := uint64(r.contrast) * ones
	for i := range len(r.rows[0]) / 64 {
		var dark, light [tile]uint64
		for x := 64 * i; x < 64*i+64; x += 8 {
			low[0], low[1], high[0], high[1] = low[1], low[2], high[1], high[2]
			at(2, x+8+margin)
			l := least(least(low[1], low[0]>>32|low[1]<<32), low[1]>>32|low[2]<<32)
			h := greatest(greatest(high[1], high[0]>>32|high[1]<<32), high[1]>>32|high[2]<<32)
			valid := atLeast(h-l, contrast)
			if valid == 0 {
				continue
			}
			mean := l&h + (l^h)>>1&^signs
			tell := gather(valid)
			for k := range tile {
				d := gather(atLeast(mean, load(r.rows[k], x)) & valid)
				dark[k] |= d << (x & 63)
				light[k] |= (tell &^ d) << (x & 63)
			}
		}
		for k := range tile {
			r.dark[k][i], r.light[k][i] = dark[k], light[k]
		}
	}
}

// Words of eight bytes.
const (
	ones  = 0x0101010101010101 // times a byte: that byte eight times
	signs = 0x8080808080808080 // the highest bit of each
)

func load(row []byte, x int) uint64 { return binary.LittleEndian.Uint64(row[x:]) }

// atLeast returns 255 in each byte where that of a is at least that of b, and 0 elsewhere.
func atLeast(a, b uint64) uint64 {
	d := (a | signs) - b&^signs // in the highest bits: whether it is, by the lower seven bits
	m := (a&^b | ^(a^b)&d) & signs
	return m | (m - m>>7)
}

func least(a, b uint64) uint64 {
	m := atLeast(a, b)
	return b&m | a&^m
}

func greatest(a, b uint64) uint64 {
	m := atLeast(a, b)
	return a&m | b&^m
}

func sorted(a, b uint64) (low, high uint64) {
	m := atLeast(a, b)
	return b&m | a&^m, a&m | b&^m
}

// gather returns the highest bits of the bytes.
func gather(m uint64) uint64 {
	return (m & signs >> 7) * 0x0102040810204080 >> 56
}
