package fast

import (
	"bytes"
	"fmt"
	"image"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// assemblyStages returns the rows of the table that this processor can run, but
// for the portable one, and what they would be on other processors.
func assemblyStages() []*stages {
	var list []*stages
	for row := range append(cpu.Table[stages](otherRows()), sieveRows...).Available() {
		list = append(list, &row.Kernels)
	}
	return list
}

// A stageInput is what the stages are compared on.
type stageInput struct {
	rows, blocks int
	threshold    uint8
	empty        float64 // the share of the masks that are
	scored       bool
	seed         uint64 // of the masks
	pix          []byte // again and again
}

// A stageRun is a run in a lane of its own, between bytes that must stay.
type stageRun struct {
	*lane
	fences [][]byte
}

const fenceBytes = 64

// newStageRun returns a run of blocks of the given size. Its list is empty.
func newStageRun(in *stageInput, block int) *stageRun {
	s := new(stageRun)
	alloc := func(n int) []byte {
		memory := slices.Repeat([]byte{0xa5}, fenceBytes+n+fenceBytes)
		s.fences = append(s.fences, memory[:fenceBytes], memory[fenceBytes+n:])
		clear(memory[fenceBytes : fenceBytes+n])
		return memory[fenceBytes : fenceBytes+n : fenceBytes+n]
	}
	defer UseLanes(max(in.rows*in.blocks*block, 2*maxBlock), alloc)()
	s.lane = lanePool.Get().(*lane)

	r := &s.run
	r.threshold = in.threshold
	r.tie = uint8(in.seed >> 2 & 1)
	r.stride = in.blocks*block + 2*maxBlock
	r.pix = alloc((in.rows + 2*radius) * r.stride)
	for i := range r.pix {
		r.pix[i] = in.pix[i%len(in.pix)]
	}
	r.first = radius*r.stride + maxBlock
	r.base = r.first - carriedRows*r.stride
	s.setLayout(layout{
		block: block, rows: in.rows, blocks: in.blocks, stride: r.stride,
		width: in.blocks, left: allPixels - 7, right: allPixels >> (64 - block + 2),
	})
	r.blocks = in.blocks
	r.grid, r.offsets, r.allowed = s.grid[:in.rows*in.blocks], s.gridOffsets[:in.rows*in.blocks], s.allowed
	if in.scored {
		r.scores, r.scoreStride = s.scores[maxBlock:], (in.blocks+1)*block
	}
	return s
}

// requireFences fails the test where anything next to a buffer was written.
func (s *stageRun) requireFences(t testing.TB, stage string) {
	t.Helper()
	for _, fence := range s.fences {
		require.Len(t, fence, bytes.Count(fence, []byte{0xa5}), "%s has written next to a buffer", stage)
	}
}

// requireStages fails the test unless the stages of st do what they are meant to
// do: screen the test of four pixels, and the others what those in Go do.
func requireStages(t testing.TB, st *stages, in *stageInput) {
	t.Helper()
	got, want := newStageRun(in, st.block), newStageRun(in, st.block)
	for _, screen := range []struct {
		do    func(*sieveRun)
		arc12 bool
	}{{st.screen, false}, {st.screen12, true}} {
		screen.do(&got.run)
		got.listMasks(st, 0, got.run.grid, got.allowed, got.gridOrigins)
		for i := range want.grid[:len(got.run.grid)] {
			want.grid[i] = ^passFour(&want.run, i, st.block, screen.arc12)
		}
		want.listMasks(&portableStages, 0, want.grid[:len(got.run.grid)], want.allowed, want.gridOrigins)
		imagetest.RequireSame(t, want.run.masks[:want.run.count], got.run.masks[:got.run.count], "screen")
		imagetest.RequireSame(t, want.run.origins[:want.run.count], got.run.origins[:got.run.count], "screen")
		got.requireFences(t, "screen")
	}

	// same runs a stage and compares what it has done.
	same := func(name string, stage, portable func(*sieveRun)) {
		t.Helper()
		g, w := &got.run, &want.run
		stage(g)
		portable(w)
		require.Equal(t, w.count, g.count, name)
		imagetest.RequireSame(t, w.masks[:w.count], g.masks[:w.count], name)
		imagetest.RequireSame(t, w.origins[:w.count], g.origins[:w.count], name)
		imagetest.RequireSame(t, want.scores, got.scores, name)
		require.Equal(t, w.corners, g.corners, name)
		imagetest.RequireSame(t, w.packed[:w.corners], g.packed[:w.corners], name)
		if in.scored {
			imagetest.RequireSame(t, w.packedScores[:w.corners], g.packedScores[:w.corners], name)
		}
		got.requireFences(t, name)
	}
	rng := rand.New(rand.NewPCG(in.seed, 0))
	for i := range got.run.grid {
		mask := allPixels
		if rng.Float64() >= in.empty {
			mask = rng.Uint64()
		}
		mask |= ^got.allowed[i] // as screen may have it
		got.grid[i], want.grid[i] = mask, mask
	}
	for _, s := range []*stageRun{got, want} {
		s.listMasks(st, 0, s.run.grid, s.allowed, s.gridOrigins) // sets what compact works on
		s.run.packed, s.run.packedScores = s.packed, nil
		if in.scored {
			s.run.packedScores = s.packedScores
		}
	}
	same("compact", st.compact, compactPortable)
	if got.run.count == 0 {
		return // no other stage is called
	}
	same("pack", st.pack, packPortable) // more corners than are left later
	arc := in.seed % 4
	same("exact", st.exact[arc], portableStages.exact[arc])
	if in.scored {
		same("peaks", st.peaks, peaksPortable)
	}
	if got.run.count > 0 {
		same("pack", st.pack, packPortable)
	}
	if n := got.run.corners; n > 0 {
		corners, wantCorners := make([]Corner, n+1), make([]Corner, n+1)
		got.run.x, got.run.y, want.run.x, want.run.y = -7, 1<<30, -7, 1<<30
		st.widen(corners[:n], &got.run)
		widenPortable(wantCorners[:n], &want.run, 0)
		imagetest.RequireSame(t, wantCorners, corners, "widen")
	}
	if in.scored {
		same("wipe", st.wipe, wipePortable)
		imagetest.RequireSame(t, make([]byte, len(got.scores)), got.scores, "wipe")
	}
	for _, s := range []*stageRun{got, want} {
		s.run.from, s.run.allowed, s.run.fromOrigins = s.run.masks[:s.run.count], nil, s.run.origins
	}
	same("compact in place", st.compact, compactPortable)
}

// passFour returns the pixels of block i that the ring pixels 1, 5, 9 and 13 let
// pass: of each pair that lies opposite one is bright, or one is dark, and for arcs
// of 12 three of the four are.
func passFour(r *sieveRun, i, block int, arc12 bool) uint64 {
	mask := uint64(0)
	for x := range block {
		at := r.first + int(r.offsets[i]) + x
		var counts [2]int // of bright and of dark ones
		var pairs [2][2]bool
		for n, ring := range []int{at - 3*r.stride, at + 3, at + 3*r.stride, at - 3} {
			difference := int(r.pix[ring]) - int(r.pix[at])
			for polarity, d := range []int{difference, -difference} {
				if d > int(r.threshold) {
					counts[polarity]++
					pairs[polarity][n%2] = true
				}
			}
		}
		for polarity, n := range counts {
			if pairs[polarity] == [2]bool{true, true} && (n >= 3 || !arc12) {
				mask |= 1 << x
			}
		}
	}
	return mask
}

// TestStages compares the stages in assembly with those in Go.
func TestStages(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		in := &stageInput{
			rows:      1 + rng.IntN(9),
			blocks:    1 + rng.IntN(9),
			threshold: []uint8{0, 1, 20, 253, 254}[rng.IntN(5)],
			empty:     []float64{0, 0.5, 0.9, 1}[rng.IntN(4)],
			scored:    rng.IntN(2) == 0,
			seed:      rng.Uint64(),
			pix:       make([]byte, 1+rng.IntN(5000)),
		}
		levels := 2 + rng.IntN(3)
		for i := range in.pix {
			in.pix[i] = byte(rng.IntN(levels) * 255 / (levels - 1))
		}
		for _, st := range assemblyStages() {
			requireStages(t, st, in)
		}
	}
}

// TestRows compares what the rows of the table find in whole images, also those for
// other processors, with what the portable row does.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 150 {
		p := raster.Plane{W: 7 + rng.IntN(400), H: 7 + rng.IntN(60)}
		p.Stride = p.W + rng.IntN(2)*rng.IntN(70)
		p.Pix = make([]byte, p.H*p.Stride)
		for i := range p.Pix {
			p.Pix[i] = byte(rng.IntN(4) * 60)
		}
		opts := &Options{
			Threshold:         uint8(rng.IntN(2) * 50),
			ArcLength:         9 + rng.IntN(4),
			Score:             rng.IntN(2) == 0,
			NonmaxSuppression: rng.IntN(2) == 0,
			FirstOfEqual:      rng.IntN(2) == 0,
		}
		l := newLane(runPixels)
		want, suppressed := l.searchBySieve(nil, p, &portableStages, opts)
		require.Equal(t, opts.NonmaxSuppression, suppressed)
		for i, st := range assemblyStages() {
			got, _ := l.searchBySieve(nil, p, st, opts)
			imagetest.RequireSame(t, want, got, "row %d, %dx%d, stride %d, %+v", i, p.W, p.H, p.Stride, opts)
		}
	}
}

// TestSlack checks that compact, pack and widen touch no more than the slack behind their
// buffers, which hold just what they list, when all masks are full, and when the last one has
// few pixels. What lies behind the slack faults.
func TestSlack(t *testing.T) {
	for _, st := range append(assemblyStages(), &portableStages) {
		full := allPixels >> (64 - st.block)
		for n := 1; n <= 20; n++ {
			for _, last := range []uint64{full, full &^ 0x5555555555555555, 1} {
				masks := slices.Repeat([]uint64{full}, n)
				masks[n-1] = last
				requireSlack(t, st, masks)
			}
			requireSlack(t, st, slices.Repeat([]uint64{full &^ 0x5555555555555555}, n))
		}
	}
}

// requireSlack does TestSlack for masks side by side.
func requireSlack(t *testing.T, st *stages, masks []uint64) {
	t.Helper()
	n := len(masks)
	var want []Corner
	for i, mask := range masks {
		for ; mask != 0; mask &= mask - 1 {
			want = append(want, Corner{int32(i*st.block + bits.TrailingZeros64(mask)), carriedRows, 7})
		}
	}
	r := &sieveRun{
		from: guarded[uint64](t, n+maskSlack), fromOrigins: guarded[uint32](t, n+maskSlack),
		allowed: guarded[uint64](t, n+maskSlack),
		masks:   guarded[uint64](t, n+maskSlack), origins: guarded[uint32](t, n+maskSlack),
		packed: guarded[uint32](t, len(want)+packSlack), packedScores: guarded[uint8](t, len(want)+packSlack),
		scores: guarded[uint8](t, (carriedRows+1)*n*st.block+maxBlock), scoreStride: n * st.block,
	}
	r.from = r.from[:n]
	copy(r.allowed, masks)
	for i, mask := range masks {
		r.from[i] = ^mask // as screen may have it
		r.fromOrigins[i] = uint32(carriedRows<<16 | i*st.block)
	}
	for i := range r.scores {
		r.scores[i] = 8 // a score of 7
	}
	origins := slices.Clone(r.fromOrigins[:n])
	requireList := func() {
		t.Helper()
		st.compact(r)
		require.Equal(t, masks, r.masks[:r.count])
		require.Equal(t, origins, r.origins[:r.count])
	}
	requireList()
	st.pack(r)
	corners := make([]Corner, r.corners)
	st.widen(corners, r)
	imagetest.RequireSame(t, want, corners)
	r.packedScores, r.scores = nil, nil
	st.pack(r)
	require.Len(t, want, r.corners)
	r.from, r.allowed, r.fromOrigins = r.masks[:n], nil, r.origins
	requireList()
}

// guarded returns n elements before memory that faults.
func guarded[T uint8 | uint32 | uint64](t *testing.T, n int) []T {
	buffer := make([]T, n)
	replace(&buffer, func(size int) []byte { return asmtest.GuardedMemory(t, size) })
	return buffer
}

// TestPortableScreen checks that the portable screen lets all corners pass.
func TestPortableScreen(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		in := &stageInput{rows: 3, blocks: 3, threshold: uint8(rng.IntN(255)), pix: make([]byte, 4000)}
		for i := range in.pix {
			in.pix[i] = byte(rng.IntN(2) * rng.IntN(256))
		}
		s := newStageRun(in, portableBlock)
		r := &s.run
		screenPortable(r)
		offsets, classes := ringOffsets(r.stride), newClassifier(r.threshold)
		for i, mask := range r.grid {
			for x := range portableBlock {
				if arcsAt(r.pix, r.first+int(r.offsets[i])+x, &offsets, &classes, 9) != 0 {
					require.Zero(t, mask>>x&1, "a corner is lost")
				}
			}
		}
	}
}

// TestOwnStages checks that a kernel does its work itself, whatever the image.
func TestOwnStages(t *testing.T) {
	var ran []Kernel
	for _, k := range Kernels() {
		if before := kernels[k].blocks; before != nil {
			t.Cleanup(func() { kernels[k].blocks = before })
			own := slices.Clone(before)
			b := &own[len(own)-1]
			find := b.find
			b.find = func(r *blockRun) {
				ran = append(ran, k)
				find(r)
			}
			kernels[k].blocks = own
			continue
		}
		changeStages(t, k, func(st *stages) {
			for _, screen := range []*func(*sieveRun){&st.screen, &st.screen12} {
				do := *screen
				*screen = func(r *sieveRun) {
					ran = append(ran, k)
					do(r)
				}
			}
		})
	}
	pix := make([]byte, 300*60)
	for _, k := range Kernels() {
		for _, size := range []struct{ w, h, stride int }{
			{256, 20, 256}, {250, 20, 256}, {250, 20, 250}, {250, 20, 260}, // usual
			{9, 20, 9}, {67, 20, 80}, // narrow
			{256, 20, 200}, {256, 20, 10}, {256, 20, 0}, // rows that share pixels
			{300, 60, 300}, {128, 20, 128}, {192, 7, 192},
		} {
			for _, arc := range []int{9, 10, 12} {
				d, err := New(Options{Kernel: k, ArcLength: arc})
				if err != nil {
					continue // a block kernel
				}
				if b := kernels[k].blocks; b != nil && size.h-2*radius < b[len(b)-1].h {
					continue // for the next flatter kernel
				}
				ran = nil
				d.Detect(&image.Gray{Pix: pix, Stride: size.stride, Rect: image.Rect(0, 0, size.w, size.h)})
				require.Equal(t, []Kernel{k}, slices.Compact(ran), "%v, arc %d", size, arc)
			}
		}
	}
}

// TestZeroDetector checks that a Detector need not come from New.
func TestZeroDetector(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	img.Pix[15*img.Stride+20] = 9
	made, err := New(Options{})
	require.NoError(t, err)
	var d Detector
	require.NotEmpty(t, d.Detect(img))
	require.Equal(t, made.Detect(img), d.Detect(img))
	require.Equal(t, made.Options(), d.Options())
	score, ok := d.ScoreAt(img, image.Pt(20, 15))
	require.True(t, ok)
	require.Equal(t, uint8(8), score)
}

// TestUnsupported checks that New refuses what the processor lacks, and Auto does
// without it.
func TestUnsupported(t *testing.T) {
	all := Kernels()
	for _, k := range all {
		func() {
			set := kernels[k].needs
			defer cpu.Limit(set)()
			var refused []Kernel
			for _, k := range all {
				if _, err := New(Options{Kernel: k}); err != nil {
					require.EqualError(t, err, "fast: Options.Kernel is "+k.String()+", not one that this processor can run")
					refused = append(refused, k)
				}
			}
			for _, k := range refused {
				require.NotContains(t, Kernels(), k)
			}
			require.Len(t, all, len(Kernels())+len(refused))
			d, err := New(Options{})
			require.NoError(t, err)
			require.Contains(t, Kernels(), d.Options().Kernel)
			if set == 0 {
				require.Equal(t, []Kernel{Scalar}, Kernels())
			}
		}()
	}
}

// TestKernelNames checks that the rows of the tables have the names of their kernels.
func TestKernelNames(t *testing.T) {
	for _, row := range sieveRows {
		require.Equal(t, row.Name+"-sieve", row.Kernels.kernel.String())
	}
	for _, row := range blockRows {
		for _, b := range row.Kernels {
			require.Equal(t, fmt.Sprintf("%s-%dx%d", row.Name, b.w, b.h), b.kernel.String())
		}
	}
	require.Len(t, kernels, len(kernelNames))
}

// FuzzStages is TestStages on pixels that are data.
func FuzzStages(f *testing.F) {
	f.Add(uint8(1), uint8(1), uint8(0), uint8(0), false, uint64(0), []byte{0, 255})
	f.Add(uint8(7), uint8(3), uint8(20), uint8(128), true, uint64(1), []byte("a ring of sixteen pixels"))
	f.Add(uint8(2), uint8(9), uint8(254), uint8(30), true, uint64(6), []byte{0, 0, 0, 255, 255, 255, 255, 0, 255})
	f.Add(uint8(9), uint8(2), uint8(1), uint8(200), false, uint64(3), []byte{9, 9, 10, 9, 8, 9, 9, 9, 11, 9, 9})
	f.Fuzz(func(t *testing.T, rows, blocks, threshold, empty uint8, scored bool, seed uint64, pix []byte) {
		in := &stageInput{1 + int(rows%9), 1 + int(blocks%9), min(threshold, 254), float64(empty) / 255, scored, seed, append(pix, 1)}
		for _, st := range assemblyStages() {
			requireStages(t, st, in)
		}
	})
}
