package pose

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// newRun returns the argument of kernels for n pairs that fit a motion more or less well, some of
// them behind a camera or very far away.
func newRun(random *rand.Rand, n int) *scoreRun {
	unit := func() Vector {
		return Vector{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.unit()
	}
	w := unit().Scale(0.3 * random.Float64())
	p := FromQuaternion(1, w[0], w[1], w[2], unit())
	r := &scoreRun{model: modelOf(p)}
	r.across[0], r.across[1] = across(p.T)
	r.limitA, r.limitB = math.Exp(random.NormFloat64()-8), math.Exp(random.NormFloat64()-8)
	r.far = 4 * (r.limitA + r.limitB)
	r.weights.constant, r.weights.factor = random.Float64(), random.Float64()
	for len(r.x) < n {
		z := 1 + 5*random.Float64()
		switch random.IntN(8) {
		case 0:
			z = -z
		case 1:
			z *= 1000
		}
		x, y := 2*random.Float64()-1, 2*random.Float64()-1
		q := p.Apply(Vector{x * z, y * z, z})
		noise := math.Exp(random.NormFloat64()*2 - 5)
		r.x, r.y = append(r.x, x), append(r.y, y)
		r.u, r.v = append(r.u, q[0]/q[2]+noise*random.NormFloat64()), append(r.v, q[1]/q[2]+noise*random.NormFloat64())
	}
	return r
}

// A kernel is one of the functions of kernels.
type kernel struct {
	name     string
	choose   func(*kernels) func(*scoreRun)
	motion   bool
	unknowns int // or 0 if there are no sums
}

var allKernels = []kernel{
	{"scoreEssential", func(k *kernels) func(*scoreRun) { return k.scoreEssential }, true, 0},
	{"scoreFundamental", func(k *kernels) func(*scoreRun) { return k.scoreFundamental }, false, 0},
	{"sumEssential", func(k *kernels) func(*scoreRun) { return k.sumEssential }, true, essentialUnknowns},
	{"sumFundamental", func(k *kernels) func(*scoreRun) { return k.sumFundamental }, false, fundamentalUnknowns},
}

// TestKernels compares the kernels with those of portable Go, all that they store, with special
// values among the pairs and in the models.
func TestKernels(t *testing.T) {
	const most = 5 * groupSize
	var memory [5][]byte
	for i := range memory {
		memory[i] = asmtest.GuardedMemory(t, 8*most)
	}
	portable := &table[len(table)-1].Kernels
	special := []float64{0, math.Copysign(0, -1), 1, -1, 1e-300, 1e300, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64}
	any := func(random *rand.Rand) float64 { return special[random.IntN(len(special))] }
	rounds := 3000
	if testing.Short() {
		rounds = 600
	}
	random := rand.New(rand.NewPCG(3, 1))
	inliers := 0
	for round := range rounds {
		n := groupSize * (round % (most/groupSize + 1))
		base := newRun(random, n)
		switch round % 9 {
		case 0:
			base.model.matrix[random.IntN(9)] = any(random)
		case 1:
			base.model.pose.R[random.IntN(9)] = any(random)
		case 2:
			base.model.pose.T[random.IntN(3)] = any(random)
		case 3:
			base.limitA, base.far = any(random), any(random)
		}
		for _, list := range [4][]float64{base.x, base.y, base.u, base.v} {
			for i := range list {
				if random.IntN(80) == 0 {
					list[i] = any(random)
				}
			}
		}
		for i := range base.support {
			base.support[i], base.squares[i] = random.Float64(), random.Float64()
		}
		base.end = n
		if n > 0 {
			base.begin = groupSize * random.IntN(n/groupSize)
		}
		for _, k := range allKernels {
			want := *base
			want.masks = make([]byte, n/groupSize)
			k.choose(portable)(&want)
			for _, m := range want.masks {
				inliers += bits.OnesCount8(m)
			}
			for row := range table.Available() {
				got := *base
				got.x, got.y = asmtest.Doubles(memory[0], base.x), asmtest.Doubles(memory[1], base.y)
				got.u, got.v = asmtest.Doubles(memory[2], base.u), asmtest.Doubles(memory[3], base.v)
				got.masks = memory[4][len(memory[4])-n/groupSize:]
				clear(got.masks)
				k.choose(&row.Kernels)(&got)
				require.Equal(t, want.masks, append([]byte{}, got.masks...), "%s, %s, round %d", row.Name, k.name, round)
				requireSameRun(t, &want, &got, row.Name, k.name, round)
			}
		}
	}
	require.Greater(t, inliers, 10*rounds)
}

// TestEliminate compares the kernels that solve cubic equations with that of portable Go, with
// special values and with rows that are combinations of others.
func TestEliminate(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, 1e-300, 1e300, math.Inf(1), math.NaN()}
	random := rand.New(rand.NewPCG(3, 3))
	solved := 0
	for round := range 400 {
		var base eliminateRun
		for i := range base.rows {
			for k := range base.rows[i] {
				base.rows[i][k] = random.NormFloat64()
			}
		}
		switch round % 4 {
		case 0:
			base.rows[random.IntN(10)][random.IntN(20)] = special[random.IntN(len(special))]
		case 1:
			base.rows[random.IntN(9)] = base.rows[9]
		}
		want := base
		eliminate(&want)
		for row := range table.Available() {
			got := base
			row.Kernels.eliminate(&got)
			require.Equal(t, want.solved, got.solved, "%s, round %d", row.Name, round)
			if want.solved {
				for i := 4; i < 10; i++ {
					asmtest.RequireSameBits(t, want.rows[i][10:], got.rows[i][10:], "%s, round %d", row.Name, round)
				}
			}
		}
		if want.solved {
			solved++
		}
	}
	require.Greater(t, solved, 250)
}

// TestReduce compares the kernels that make a triangle of epipolar constraints with that of portable
// Go, with special values and with constraints that are combinations of others.
func TestReduce(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, 1e-300, 1e300, math.Inf(1), math.NaN()}
	random := rand.New(rand.NewPCG(3, 4))
	solved := 0
	for round := range 400 {
		var base reduceRun
		for i := range base.rows {
			for k := range 7 {
				base.rows[i][k] = random.NormFloat64()
			}
			base.rows[i][7] = float64(i)
		}
		switch round % 4 {
		case 0:
			base.rows[random.IntN(9)][random.IntN(7)] = special[random.IntN(len(special))]
		case 1:
			for i := range base.rows {
				base.rows[i][random.IntN(6)] = base.rows[i][6]
			}
		case 2:
			from := random.IntN(7)
			for i := range base.rows {
				base.rows[i][from] = base.rows[i][(from+1)%7]
			}
		}
		want := base
		reduce(&want)
		for row := range table.Available() {
			got := base
			row.Kernels.reduce(&got)
			require.Equal(t, want.solved, got.solved, "%s, round %d", row.Name, round)
			if want.solved {
				for i := range want.rows {
					asmtest.RequireSameBits(t, want.rows[i][:], got.rows[i][:], "%s, round %d", row.Name, round)
				}
			}
		}
		if want.solved {
			solved++
		}
	}
	require.Greater(t, solved, 250)
	require.Less(t, solved, 350)
}

// TestProject compares the kernels that take equations to a basis with that of portable Go, with
// special values, too, and otherwise the basis and the equations with their definitions.
func TestProject(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, 1e-300, 1e300, math.Inf(1), math.NaN()}
	random := rand.New(rand.NewPCG(3, 6))
	for round := range 300 {
		kept := [2][9]float64{}
		base := projectRun{basis: units}
		for i := range 9 {
			kept[0][i], kept[1][i], base.right[i] = random.NormFloat64(), random.NormFloat64(), random.NormFloat64()
			for k := range i + 1 {
				base.full[i][k] = random.NormFloat64()
				base.full[k][i] = base.full[i][k]
			}
		}
		base.vectors = kept
		require.True(t, reflections(base.vectors[:], base.beta[:], 1e-40))
		ordinary := round%3 > 0
		if !ordinary {
			v, i, k := special[random.IntN(len(special))], random.IntN(9), random.IntN(9)
			switch random.IntN(4) {
			case 0:
				base.vectors[i%2][k] = v
			case 1:
				base.beta[i%2] = v
			case 2:
				base.full[i][k], base.full[k][i] = v, v
			case 3:
				base.right[i] = v
			}
		}
		want := base
		project(&want)
		for row := range table.Available() {
			got := base
			row.Kernels.project(&got)
			for i := range want.basis {
				asmtest.RequireSameBits(t, want.basis[i][:directions], got.basis[i][:directions], "%s, round %d", row.Name, round)
			}
			for s := range directions {
				asmtest.RequireSameBits(t, want.small.a[s][s:directions], got.small.a[s][s:directions], "%s, round %d", row.Name, round)
			}
			asmtest.RequireSameBits(t, want.small.b[:directions], got.small.b[:directions], "%s, round %d", row.Name, round)
		}
		for s := 0; ordinary && s < directions; s++ {
			var right float64
			var across [2]float64
			for i := range 9 {
				right += want.basis[i][s] * base.right[i]
				for k := range kept {
					across[k] += want.basis[i][s] * kept[k][i]
				}
			}
			require.InDelta(t, right, want.small.b[s], 1e-12)
			require.InDeltaSlice(t, []float64{0, 0}, across[:], 1e-12)
			for u := s; u < directions; u++ {
				var dot, sum float64
				for i := range 9 {
					dot += want.basis[i][s] * want.basis[i][u]
					for k := range 9 {
						sum += want.basis[i][s] * base.full[i][k] * want.basis[k][u]
					}
				}
				require.InDelta(t, sum, want.small.a[s][u], 1e-12)
				unit := 0.0
				if s == u {
					unit = 1
				}
				require.InDelta(t, unit, dot, 1e-12)
			}
		}
	}
}

// requireSameRun compares all numbers of runs.
func requireSameRun(t *testing.T, want, got *scoreRun, message ...any) {
	t.Helper()
	numbers := func(r *scoreRun) (list []float64) {
		for _, part := range [][]float64{
			r.x, r.y, r.u, r.v, r.model.matrix[:], r.model.pose.R[:], r.model.pose.T[:], r.across[0][:], r.across[1][:],
			{r.limitA, r.limitB, r.far, r.weights.constant, r.weights.factor, float64(r.begin), float64(r.end)},
			r.support[:], r.squares[:],
		} {
			list = append(list, part...)
		}
		for i := range r.sums {
			list = append(list, r.sums[i][:]...)
		}
		return list
	}
	asmtest.RequireSameBits(t, numbers(want), numbers(got), message...)
}

// TestKernelsOracle compares with the definitions: the masks with depths and with Sampson's
// error, the sums with derivatives that follow from those of the matrix by the rule for
// quotients. There are all numbers of pairs up to some groups, and no bits beyond them.
func TestKernelsOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 2))
	behind, beyond := 0, 0
	step := 1
	if testing.Short() {
		step = 3
	}
	for n := 0; n <= 5*consensus.Block/2; n += step {
		base := newRun(random, n)
		for row := range table.Available() {
			for _, k := range allKernels {
				var w twoViews
				w.set(n, base.limitA, base.limitB)
				for i := range n {
					w.place(i, base.x[i], base.y[i], base.u[i], base.v[i])
				}
				w.setModel(base.model, 1)
				w.run.across = base.across
				masks := make([]byte, consensus.MaskSize(n))
				for i := range masks {
					masks[i] = 0xa5
				}
				var q equations
				var count int
				var support, squares float64
				if k.unknowns > 0 {
					count, support, squares = w.callSum(k.choose(&row.Kernels), &q, k.unknowns, n, base.weights, masks)
				} else {
					count, support = w.call(k.choose(&row.Kernels), 0, n, masks)
				}
				var wanted equations
				wantCount, wantSupport, wantSquares := 0, 0.0, 0.0
				for i := range 8 * len(masks) {
					in := masks[i/8]>>(i%8)&1 > 0
					if i >= n {
						require.False(t, in, "%s, %s, %d of %d", row.Name, k.name, i, n)
						continue
					}
					a, b := [3]float64{base.x[i], base.y[i], 1}, [3]float64{base.u[i], base.v[i], 1}
					m, jacobian := sampson(base, k, a, b)
					fits := m < 1
					if k.motion {
						s := sight(base, a, b)
						if fits && s == 0 {
							behind++
						}
						if fits && s == 2 {
							beyond++
						}
						fits = fits && s > 0
					}
					if math.Abs(m-1) > 1e-9 {
						require.Equal(t, fits, in, "%s, %s, %d of %d", row.Name, k.name, i, n)
					}
					if !in {
						continue
					}
					wantCount++
					wantSupport += 1 - m
					wantSquares += (1 - m) * (1 - m)
					weight := base.weights.constant + base.weights.factor*(1-m)*(1-m)
					for s := range k.unknowns {
						for u := s; u < k.unknowns; u++ {
							wanted.a[s][u] += weight * jacobian[s] * jacobian[u]
						}
						wanted.b[s] -= weight * jacobian[s] * jacobian[k.unknowns]
					}
				}
				require.Equal(t, wantCount, count)
				require.InDelta(t, wantSupport, support, 1e-9)
				if k.unknowns == 0 {
					continue
				}
				require.InDelta(t, wantSquares, squares, 1e-9)
				for s := range k.unknowns {
					for u := s; u < k.unknowns; u++ {
						scale := math.Sqrt(wanted.a[s][s]*wanted.a[u][u]) + 1e-300
						require.InDelta(t, 0, (q.a[s][u]-wanted.a[s][u])/scale, 1e-9, "%s, %s, %d %d", row.Name, k.name, s, u)
					}
					scale := math.Sqrt(wanted.a[s][s]*float64(n)) + 1e-300
					require.InDelta(t, 0, (q.b[s]-wanted.b[s])/scale, 1e-9, "%s, %s, %d", row.Name, k.name, s)
				}
			}
		}
	}
	require.Greater(t, behind, 100)
	require.Greater(t, beyond, 100)
}

// sampson returns the square of Sampson's error of a pair, in squared thresholds, and the
// derivatives of the error by the unknowns of a kernel, followed by the error.
func sampson(r *scoreRun, k kernel, a, b [3]float64) (float64, []float64) {
	type square = [3][3]float64
	rows := func(m []float64) (s square) {
		for i, v := range m {
			s[i/3][i%3] = v
		}
		return s
	}
	product := func(m, n square) (p square) {
		for i := range 27 {
			p[i/9][i%3] += m[i/9][i/3%3] * n[i/3%3][i%3]
		}
		return p
	}
	crossing := func(t [3]float64) square {
		return square{{0, -t[2], t[1]}, {t[2], 0, -t[0]}, {-t[1], t[0], 0}}
	}
	// of returns b'Ma and its derivatives by x, y, u and v.
	of := func(m square) (c float64, d [4]float64) {
		for i := range 9 {
			c += b[i/3] * m[i/3][i%3] * a[i%3]
		}
		for i := range 3 {
			d[0] += b[i] * m[i][0]
			d[1] += b[i] * m[i][1]
			d[2] += m[0][i] * a[i]
			d[3] += m[1][i] * a[i]
		}
		return c, d
	}
	c, gradient := of(rows(r.model.matrix[:]))
	limits := [4]float64{r.limitA, r.limitA, r.limitB, r.limitB}
	d := 0.0
	for i, g := range gradient {
		d += limits[i] * g * g
	}
	var changes []square
	if k.motion {
		rotation := rows(r.model.pose.R[:])
		for i := range 3 {
			var w [3]float64
			w[i] = 1
			changes = append(changes, product(product(crossing(r.model.pose.T), rotation), crossing(w)))
		}
		for _, s := range r.across {
			changes = append(changes, product(crossing(s), rotation))
		}
	} else {
		for i := range 9 {
			var change square
			change[i/3][i%3] = 1
			changes = append(changes, change)
		}
	}
	var jacobian []float64
	for _, change := range changes {
		dc, dg := of(change)
		dd := 0.0
		for i, g := range gradient {
			dd += 2 * limits[i] * g * dg[i]
		}
		jacobian = append(jacobian, dc/math.Sqrt(d)-c*dd/(2*d*math.Sqrt(d)))
	}
	return c * c / d, append(jacobian, c/math.Sqrt(d))
}

// sight returns 1 if the point that is nearest to both rays is in front of both cameras, 2 if
// the rays are nearly parallel, and else 0.
func sight(r *scoreRun, a, b [3]float64) int {
	m, t := r.model.pose.R, r.model.pose.T
	var p [3]float64
	for i := range 9 {
		p[i/3] += m[i] * a[i%3]
	}
	var pp, pb, bb, pt, bt float64
	for i := range 3 {
		pp += p[i] * p[i]
		pb += p[i] * b[i]
		bb += b[i] * b[i]
		pt += p[i] * t[i]
		bt += b[i] * t[i]
	}
	// |s p + t - z b| is least where its derivatives are 0.
	det := pp*bb - pb*pb
	s, z := (pb*bt-bb*pt)/det, (pp*bt-pb*pt)/det
	switch {
	case s > 0 && z > 0:
		return 1
	case pb > 0 && det/(pp*bb) <= 4*(r.limitA+r.limitB):
		return 2
	}
	return 0
}

func BenchmarkKernels(b *testing.B) {
	const n = 512
	base := newRun(rand.New(rand.NewPCG(3, 3)), n)
	base.end, base.masks = n, make([]byte, n/groupSize)
	for row := range table.Available() {
		for _, k := range allKernels {
			b.Run("kernel="+row.Name+"/"+k.name, func(b *testing.B) {
				call := k.choose(&row.Kernels)
				for b.Loop() {
					call(base)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/pair")
			})
		}
	}
}

// TestSevenPointsKernels compares the kernels that solve samples of seven pairs in groups with the
// functions for one sample: of pairs that fit a motion more or less well, small integers, of which
// several are the largest, special values, and pairs that are given twice or lie on lines.
func TestSevenPointsKernels(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, 1e-300, 1e-9, 1 << 24}
	random := rand.New(rand.NewPCG(3, 5))
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	s := new(sevenPointsRun)
	var found [4]int // samples by the number of their matrices
	for round := range rounds {
		var a, b [groupSize][7]Vector
		for n := range groupSize {
			kind := random.IntN(8)
			r := newRun(random, 7)
			for i := range 7 {
				place := [4]*float64{&r.x[i], &r.y[i], &r.u[i], &r.v[i]}
				switch {
				case kind == 0:
					for _, c := range place {
						*c = float64(random.IntN(5) - 2)
					}
				case kind == 1 && random.IntN(3) == 0:
					*place[random.IntN(4)] = special[random.IntN(len(special))]
				case kind == 2:
					*place[1], *place[3] = 0.3**place[0]-0.7, 0.6-1.1**place[2]
				case kind == 3 && i == 6:
					for k, c := range [4][]float64{r.x, r.y, r.u, r.v} {
						*place[k] = c[round%6]
					}
				}
				a[n][i], b[n][i] = Vector{r.x[i], r.y[i], 1}, Vector{r.u[i], r.v[i], 1}
				s.x[i][n], s.y[i][n], s.u[i][n], s.v[i][n] = r.x[i], r.y[i], r.u[i], r.v[i]
			}
		}
		for row := range table.Available() {
			if row.Kernels.sevenPoints == nil {
				continue
			}
			row.Kernels.sevenPoints(s)
			for n := range groupSize {
				var want []float64
				for _, m := range sevenPoints(nil, &a[n], &b[n], new(reduceRun)) {
					if oriented(&m, &a[n], &b[n]) {
						want = append(want, m[:]...)
					}
				}
				var got []float64
				for _, m := range s.models(nil, n) {
					got = append(got, m.matrix[:]...)
				}
				require.Len(t, got, len(want), "%s, round %d, sample %d", row.Name, round, n)
				asmtest.RequireSameBits(t, want, got, "%s, round %d, sample %d", row.Name, round, n)
				found[len(got)/9]++
			}
		}
	}
	if table.Best().sevenPoints != nil {
		for n, count := range found {
			require.Greater(t, count, rounds/50, n)
		}
	}
}
