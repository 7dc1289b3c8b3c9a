package geometry

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// TestKernels compares the kernels with those of portable Go, all that they store, on pairs
// that fit more or less well, with special values among them.
func TestKernels(t *testing.T) {
	const most = 5 * lanes
	var memory [5][]byte
	for i := range memory {
		memory[i] = asmtest.GuardedMemory(t, 8*most)
	}
	portable := &table[len(table)-1].Kernels
	special := []float64{0, math.Copysign(0, -1), 1, -1, 1e-300, 1e300, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64}
	rounds := 3000
	if testing.Short() {
		rounds = 600
	}
	random := rand.New(rand.NewPCG(1, 2))
	inliers := 0
	for round := range rounds {
		n := lanes * random.IntN(most/lanes+1)
		var base run
		var t9 Transform
		for i := range t9 {
			t9[i] = random.NormFloat64() * 0.3
		}
		t9[0]++
		t9[4]++
		t9[8]++
		if round%5 == 0 {
			t9[random.IntN(9)] = special[random.IntN(len(special))]
		}
		base.forward, base.backward = t9, t9.inverse()
		base.limitA, base.limitB = math.Exp(random.NormFloat64()*3-4), math.Exp(random.NormFloat64()*3-4)
		if round%7 == 0 {
			base.limitA = special[random.IntN(len(special))]
		}
		base.flat, base.steep = float64(round%2), float64(1-round%2)
		if round%3 > 0 {
			base.shift = [4]float64{random.Float64(), random.Float64(), random.Float64(), random.Float64()}
		}
		for i := range base.support {
			base.support[i] = random.Float64()
		}
		for range n {
			p := Point{random.Float64()*2 - 1, random.Float64()*2 - 1}
			q := Transform(base.forward).Apply(p)
			noise := math.Exp(random.NormFloat64()*3 - 5)
			if random.IntN(3) == 0 {
				noise = 0
			}
			v := [4]float64{p.X + base.shift[0], p.Y + base.shift[1], q.X + base.shift[2] + noise, q.Y + base.shift[3] - noise}
			if random.IntN(20) == 0 {
				v[random.IntN(4)] = special[random.IntN(len(special))]
			}
			base.ax, base.ay, base.bx, base.by = append(base.ax, v[0]), append(base.ay, v[1]), append(base.bx, v[2]), append(base.by, v[3])
		}
		base.end = n
		if n > 0 {
			base.begin = lanes * random.IntN(n/lanes)
		}
		for k, choose := range []func(*kernels) func(*run){
			func(k *kernels) func(*run) { return k.scoreAffine },
			func(k *kernels) func(*run) { return k.scoreProjective },
			func(k *kernels) func(*run) { return k.sumAffine },
			func(k *kernels) func(*run) { return k.sumProjective },
		} {
			want := base
			want.masks = make([]byte, n/lanes)
			choose(portable)(&want)
			for _, m := range want.masks {
				inliers += bits.OnesCount8(m)
			}
			for row := range table.Available() {
				got := base
				got.ax, got.ay = asmtest.Doubles(memory[0], base.ax), asmtest.Doubles(memory[1], base.ay)
				got.bx, got.by = asmtest.Doubles(memory[2], base.bx), asmtest.Doubles(memory[3], base.by)
				got.masks = memory[4][len(memory[4])-n/lanes:]
				clear(got.masks)
				choose(&row.Kernels)(&got)
				require.Equal(t, want.masks, append([]byte{}, got.masks...), "%s, kernel %d, round %d", row.Name, k, round)
				asmtest.RequireSameBits(t, want.support[:], got.support[:], row.Name, k, round)
				for i := range want.sums {
					asmtest.RequireSameBits(t, want.sums[i][:], got.sums[i][:], row.Name, k, round, i)
				}
				requireInput(t, &base, &got)
			}
		}
	}
	require.Greater(t, inliers, 10*rounds)
}

// requireInput compares what kernels must not change.
func requireInput(t *testing.T, want, got *run) {
	t.Helper()
	asmtest.RequireSameBits(t, want.forward[:], got.forward[:])
	asmtest.RequireSameBits(t, want.backward[:], got.backward[:])
	asmtest.RequireSameBits(t, want.shift[:], got.shift[:])
	asmtest.RequireSameBits(t, []float64{want.limitA, want.limitB, want.flat, want.steep}, []float64{got.limitA, got.limitB, got.flat, got.steep})
	require.Equal(t, []int{want.begin, want.end}, []int{got.begin, got.end})
}
