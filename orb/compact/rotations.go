package compact

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/degrees"
	"github.com/fastcorners/fast/orb/internal/learned"
)

// testPoint returns one of the points of the tests.
func testPoint(i int) (x, y float32) {
	const scale = float32(4) / 13
	test := &learned.Pattern[i/2]
	return float32(test[i%2*2]) * scale, float32(test[i%2*2+1]) * scale
}

// placesAt returns the places at an angle.
func placesAt(angle float32) (at places) {
	sin, cos := degrees.SinCos(angle)
	for i := range 2 * tests {
		x, y := testPoint(i)
		column := patchLeft + int(math.RoundToEven(float64(float32(x*cos)-float32(y*sin))))
		row := patchAbove + int(math.RoundToEven(float64(float32(x*sin)+float32(y*cos))))
		column = max(0, min(column, patchSide-1))
		row = max(0, min(row, patchSide-1))
		if row == 0 {
			column = min(column, patchTop-1)
		}
		at[i%2][i/2] = uint8(row*patchStride + column)
	}
	return at
}

// rotations are the places at nearly all angles. They are the same from one angle to the
// next one at which some point lies in the middle between two columns or rows.
type rotations struct {
	list   []rotation
	starts [1 << 13]uint16 // by startOf, the first rotation to look at
}

// A rotation is the places at all angles in a range.
type rotation struct {
	from, to float32
	places   places
}

// startOf returns the index of the start for an angle.
func (r *rotations) startOf(angle float32) int {
	return int(angle * (float32(len(r.starts)-1) / 360))
}

// at returns the places at an angle, or nil if they have to be computed.
func (r *rotations) at(angle float32) *places {
	i := r.starts[r.startOf(angle)]
	for r.list[i].to < angle {
		i++
	}
	if r.list[i].from > angle {
		return nil
	}
	return &r.list[i].places
}

var (
	rotationsOnce sync.Once
	rotationsMade *rotations
)

// sharedRotations returns the rotations, which the first call makes. As a variable, made by
// sync.OnceValue, it would be in programs that never call it.
func sharedRotations() *rotations {
	rotationsOnce.Do(func() { rotationsMade = newRotations() })
	return rotationsMade
}

func newRotations() *rotations {
	const (
		angleMargin      = 2e-6          // twice the error of an angle in radians, in float32
		coordinateMargin = 2e-6          // twice the error of a coordinate, in float32
		perRadian        = 180 / math.Pi // degrees
	)
	// A turn by a moves a point at the distance d and the angle p, in radians, to the
	// coordinate d*cos(a+p); with p-pi/2 in place of p, that is the other coordinate. A
	// place changes where a coordinate is a middle m between two integers. There it
	// grows or shrinks by sqrt(d*d-m*m) for each radian, which is 1/26 or more:
	// 676*(d*d-m*m) is an odd number, since d*d is a multiple of 16/169 and m an odd
	// multiple of 1/2. For the same reason a d that is less than m is much less. float32
	// decides at the angles in a gap around each of these.
	type gap struct{ from, to float64 }
	gaps := []gap{{2 * math.Pi, 2 * math.Pi}}
	for i := range 2 * tests {
		x, y := testPoint(i)
		d, p := math.Hypot(float64(x), float64(y)), math.Atan2(float64(y), float64(x))
		for m := -5.5; m <= 5.5; m++ {
			if math.Abs(m) > d {
				continue
			}
			margin := angleMargin + coordinateMargin/math.Sqrt(d*d-m*m)
			half := math.Acos(m / d)
			for _, a := range []float64{half, -half, half + math.Pi/2, -half + math.Pi/2} {
				a = math.Mod(a-p+4*math.Pi, 2*math.Pi)
				gaps = append(gaps, gap{a - margin, a + margin})
			}
		}
	}
	slices.SortFunc(gaps, func(a, b gap) int { return cmp.Compare(a.from, b.from) })
	r := new(rotations)
	begin := 0.0
	for _, g := range gaps {
		if g.from > begin {
			r.list = append(r.list, rotation{
				from:   float32(begin * perRadian),
				to:     float32(g.from * perRadian),
				places: placesAt(float32((begin + g.from) / 2 * perRadian)),
			})
		}
		begin = max(begin, g.to)
	}
	i := 0
	for start := range r.starts {
		for r.startOf(r.list[i].to) < start {
			i++
		}
		r.starts[start] = uint16(i)
	}
	return r
}
