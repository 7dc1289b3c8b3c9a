package locate

import (
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// blockPlanes are the sums of blocks of side by side pixels, at each place of a scene.
type blockPlanes struct {
	side   int
	shift  int // how many bits the sums of pairs lack
	stride int // numbers from a row of blocks to the next one
	// pairs are, of each channel, the sum of the block at a place, in the lower 16 bits, and that of
	// the block side columns farther. They are shifted to have 16 bits, and less by 1<<15, so that they are
	// signed. Behind the last row there is one of pairs of sums that are 0.
	pairs [3][]uint32
	// reciprocal makes squares of shifted sums those of the sums over the number of a block's pixels, or
	// less.
	reciprocal float32
	made       bool // of the scene's present picture
	parts      []image.Rectangle
	lanes      worker.Lanes[planeLane]
}

// A planeLane is the memory of a worker that makes planes of blocks.
type planeLane struct {
	run     blockRun
	columns windowRun // of the columns of blocks
}

// signs are the differences of a pair of shifted sums and of what is kept of them.
const signs = 1<<31 | 1<<15

// shiftOf returns how many bits must be dropped of the sum of a block for 16 bits to be left.
func shiftOf(side int) int {
	shift := 0
	for 255*side*side>>shift > math.MaxUint16 {
		shift++
	}
	return shift
}

// newBlockPlanes returns planes of blocks of a side, which are to be made.
func newBlockPlanes(side int) *blockPlanes {
	return &blockPlanes{
		side: side, shift: shiftOf(side),
		lanes: worker.NewLanes("locate", func() *planeLane { return new(planeLane) }),
	}
}

// make makes the planes of a scene.
func (p *blockPlanes) make(k *kernels, s *pixels, workers int) {
	w, h := s.w-p.side+1, s.h-p.side+1
	// Beyond the last block of a row, places up to a group and pairs are read.
	p.stride = padded(w) + 2*group
	for c := range s.channels {
		p.pairs[c] = raster.Resize(p.pairs[c], p.stride*(h+1))
		zero := p.pairs[c][p.stride*h:]
		for x := range zero {
			zero[x] = signs
		}
	}
	// Two operations with float32 may round a square up, and so may the reciprocal itself.
	p.reciprocal = (1 - 0x1p-21) * float32(int(1)<<(2*p.shift)) / float32(p.side*p.side)
	p.parts = raster.AppendParts(p.parts[:0], image.Rect(0, 0, w, h), raster.BandRows(h, workers, max(minRows, p.side), 1), w, 1, 0)
	worker.Each(planesOf{p, s, k}, &p.lanes, workers, len(p.parts), planesOf.makePart)
}

// planesOf are planes that are being made of a scene.
type planesOf struct {
	*blockPlanes
	scene   *pixels
	kernels *kernels
}

// makePart makes part i of the planes.
func (p planesOf) makePart(l *planeLane, i int) {
	part, s, r, columns := p.parts[i], p.scene, &l.run, &l.columns
	r.side, r.shift, r.n = p.side, p.shift, padded(part.Dx())
	r.sums = raster.Resize(r.sums, padded(r.n+p.side))
	columns.channels, columns.count = 1, padded(s.w)
	for c := range s.channels {
		r.columns = zeros(r.columns, len(r.sums)+p.side)
		columns.columns[0] = r.columns
		for in := part.Min.Y; in < part.Max.Y+p.side-1; in++ {
			out := s.h // zeros
			if in >= part.Min.Y+p.side {
				out = in - p.side
			}
			columns.entering[0], columns.leaving[0] = s.row(c, 0, in), s.row(c, 0, out)
			p.kernels.slide(columns)
			if y := in - p.side + 1; y >= part.Min.Y {
				r.pairs = p.pairs[c][y*p.stride:]
				clear(r.pairs[r.n:p.stride])
				p.kernels.blocks(r)
			}
		}
	}
	r.pairs, columns.entering, columns.leaving = nil, [3][]byte{}, [3][]byte{}
}
