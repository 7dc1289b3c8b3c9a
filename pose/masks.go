package pose

import (
	"iter"

	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

// A maskPool has masks with a bit for each pair of a call.
type maskPool struct {
	size int      // of each mask
	all  [][]byte // of this call and earlier ones
	used int      // the number of those that this call uses or has given back
	free [][]byte // those that were given back
}

// begin takes all masks back, for calls with n pairs.
func (p *maskPool) begin(n int) { p.size, p.used, p.free = consensus.MaskSize(n), 0, p.free[:0] }

// take returns a mask for the first n pairs.
func (p *maskPool) take(n int) []byte {
	if last := len(p.free) - 1; last >= 0 {
		mask := p.free[last]
		p.free = p.free[:last]
		return mask[:consensus.MaskSize(n)]
	}
	if p.used == len(p.all) {
		p.all = append(p.all, nil)
	}
	mask := raster.Resize(p.all[p.used], p.size)
	p.all[p.used] = mask
	p.used++
	return mask[:consensus.MaskSize(n)]
}

// give takes a mask back.
func (p *maskPool) give(mask []byte) {
	if mask != nil {
		p.free = append(p.free, mask)
	}
}

// members returns the numbers of the bits that are set.
func members(masks []byte) iter.Seq[int] { return consensus.Members(masks, 8*len(masks)) }
