package sift

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// floats returns memory for n floats that is followed by a page that faults.
func floats(t *testing.T, n int) []float32 {
	t.Helper()
	mem := asmtest.GuardedMemory(t, 4*n)
	return unsafe.Slice((*float32)(unsafe.Pointer(&mem[0])), n)
}

// fillPixels makes pixels of one of several kinds.
func fillPixels(random *rand.Rand, pix []float32) {
	kind := random.IntN(6)
	a, b := random.Float32(), random.Float32()
	for i := range pix {
		switch kind {
		case 0:
			pix[i] = 255 * random.Float32()
		case 1:
			pix[i] = float32(random.IntN(3))
		case 2:
			pix[i] = 0
		case 3: // below the normal numbers
			pix[i] = math.Float32frombits(random.Uint32N(1 << (1 + i%24)))
		case 4:
			pix[i] = 128 + 100*float32(math.Sin(float64(a*float32(i%17)+b*float32(i/17))))
		case 5: // steep on the one side, hardly anything on the other
			pix[i] = 255 * float32(random.IntN(2)) * float32(math.Ldexp(1, -random.IntN(2)*random.IntN(100)))
		}
	}
}

// samplePair is the same argument for two kernels, with memory of their own.
type samplePair [2]samples

// newPair returns the arguments for layers of pixels that end before a page that faults, as do the
// lists.
func newPair(t *testing.T, width int) *samplePair {
	t.Helper()
	p := new(samplePair)
	for i := range p {
		s := &p[i]
		for _, list := range []*[]float32{&s.dx, &s.dy, &s.columns, &s.rows} {
			*list = floats(t, batchSize+width+2*vectorWidth)
		}
		s.histogram = floats(t, histogramSize)
		s.math = &approximation
	}
	return p
}

// begin prepares both for a keypoint. Their lists and histograms have the same contents.
func (p *samplePair) begin(random *rand.Rand, layer *plane, x, y, radius int) {
	for i := range p {
		p[i].begin(layer, x, y, radius)
		for j := range p[i].dx {
			p[i].dx[j], p[i].dy[j], p[i].columns[j], p[i].rows[j] = 0, 0, 0, 0
		}
	}
	s := &p[0]
	s.angle = 360 * random.Float32()
	if random.IntN(4) == 0 {
		s.angle = float32(random.IntN(8) * 45)
	}
	width := float32(radius)/3.6 + random.Float32() + 0.01
	s.falloff = -1 / (2 * width * width)
	if s.falloff < -1 {
		s.falloff = -1
	}
	sin, cos := sincosf(s.angle * (math.Pi / 180))
	if random.IntN(8) == 0 {
		sin = 0
	}
	s.cos, s.sin = cos/width, sin/width
	s.inverseCos, s.inverseSin = inverse(s.cos), inverse(s.sin)
	o := &p[1]
	o.angle, o.falloff, o.cos, o.sin, o.inverseCos, o.inverseSin = s.angle, s.falloff, s.cos, s.sin, s.inverseCos, s.inverseSin
}

// requireSame compares the counts and the samples.
func (p *samplePair) requireSame(t *testing.T, message string, lists func(s *samples) [][]float32) {
	t.Helper()
	require.Equal(t, p[0].row, p[1].row, message)
	require.Equal(t, p[0].count, p[1].count, message)
	a, b := lists(&p[0]), lists(&p[1])
	for i := range a {
		requireBits(t, a[i], b[i], fmt.Sprintf("%s, list %d", message, i))
	}
}

// orientationLists and descriptorLists return what the kernels that gather make, and the others
// the sums.
func orientationLists(s *samples) [][]float32 {
	return [][]float32{s.dx[:s.count], s.dy[:s.count], s.columns[:s.count]}
}

func descriptorLists(s *samples) [][]float32 {
	return append(orientationLists(s), s.rows[:s.count])
}

func directionSums(s *samples) [][]float32 { return [][]float32{s.histogram} }

func cellSums(s *samples) (lists [][]float32) {
	for o := range cellBins + 1 {
		lists = append(lists, s.histogram[cellPlace(0, 0, o):][:cells*cells])
	}
	return lists
}

// TestSamples compares the kernels of each row with those of portable Go, on layers and lists that
// end where memory ends, for keypoints in and beside the layers, and for all that they begin
// with.
func TestSamples(t *testing.T) {
	const side = 70
	keypoints := 3000
	if testing.Short() {
		keypoints = 300
	}
	kinds := []struct {
		name        string
		gather, add func(k *kernels) func(*samples)
		lists, sums func(s *samples) [][]float32
	}{
		{
			"orientation",
			func(k *kernels) func(*samples) { return k.surroundings },
			func(k *kernels) func(*samples) { return k.directions },
			orientationLists, directionSums,
		},
		{
			"descriptor",
			func(k *kernels) func(*samples) { return k.patch },
			func(k *kernels) func(*samples) { return k.cells },
			descriptorLists, cellSums,
		},
	}
	mem := floats(t, side*side+vectorWidth)
	for row := range table.Available() {
		random := rand.New(rand.NewPCG(5, 6))
		p := newPair(t, side)
		for i := range keypoints {
			layer := plane{width: 3 + random.IntN(side-2), height: 3 + random.IntN(side-2)}
			layer.stride = layer.width + random.IntN(side-layer.width+1)
			n := layer.stride*layer.height + vectorWidth
			layer.pix = mem[len(mem)-n:]
			fillPixels(random, layer.pix)
			x, y := random.IntN(layer.width+8)-4, random.IntN(layer.height+8)-4
			radius := random.IntN(40) - 1
			for _, kind := range kinds {
				message := fmt.Sprintf("%s, %s %d", row.Name, kind.name, i)
				p.begin(random, &layer, x, y, radius)
				s, o := &p[0], &p[1]
				first := s.row
				for s.left <= s.right && s.row < s.end {
					kind.gather(&portable)(s)
					kind.gather(&row.Kernels)(o)
					p.requireSame(t, message, kind.lists)
					// The sums of a number of samples.
					s.count = min(s.count, random.IntN(2*side))
					s.fused = s.count % 8
					if random.IntN(4) == 0 && s.count > 8 {
						s.count -= s.fused
						s.fused = 0
					}
					o.count, o.fused = s.count, s.fused
					kind.add(&portable)(s)
					kind.add(&row.Kernels)(o)
					p.requireSame(t, message, kind.sums)
					s.count, o.count = 0, 0
				}
				require.LessOrEqual(t, first, s.row)
			}
		}
	}
}

// TestNormalize compares the kernels with that of portable Go.
func TestNormalize(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for row := range table.Available() {
		p := newPair(t, 0)
		for i := range 300 {
			exponent := random.IntN(160) - 148
			for j := range p[0].histogram {
				v := float32(math.Ldexp(float64(random.Float32()), exponent))
				if random.IntN(3) < i%3 {
					v = 0
				}
				if random.IntN(100) == 0 {
					v *= 20
				}
				p[0].histogram[j], p[1].histogram[j] = v, v
			}
			normalize(&p[0])
			row.Kernels.normalize(&p[1])
			require.Equal(t, p[0].descriptor, p[1].descriptor, "%s %d", row.Name, i)
		}
	}
}
