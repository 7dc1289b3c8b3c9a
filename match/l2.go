package match

import "github.com/fastcorners/fast/internal/option"

// L2Options specify which matches an L2 finds and how. The zero value finds the nearest train
// vector of each query vector.
type L2Options struct {
	// CrossCheck keeps only matches of two vectors that are each other's nearest ones.
	// KNearest and Within do not apply it.
	CrossCheck bool
	// Ratio keeps only matches whose distance is less than Ratio times that of the second nearest
	// train vector. Since distances are squared, they are compared by Ratio*Ratio, in float64. It
	// is 0 to 1; 0, the default, means no such test. If there is only one train vector, no match of
	// Match passes, while a match of Near does. KNearest and Within do not apply it.
	Ratio float64
	// MaxDistance is the largest squared distance of a match: 62,500 keeps vectors that are up to
	// 250 apart. All methods apply it. 0, the default, means no limit, and a negative number means
	// 0: then only equal vectors match.
	MaxDistance int
	// Workers is the number of goroutines that share the query vectors, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). Small sets get fewer. They wait
	// for work as fast.Options.Workers describes.
	Workers int
}

// An L2 finds matches of vectors, such as SIFT descriptors, by squared Euclidean distance: the sum
// of the squared differences of their elements, an exact integer from 0 to 8,323,200. Squaring does
// not change which vectors are nearest.
//
// Its methods work like a Matcher's. All distances are squared, including MaxDistance and
// the radius of Within; only Ratio applies to the distances themselves, as in D. Lowe's paper.
//
// There are kernels for AVX2, AVX-512 with VNNI, NEON, and NEON with dot products (ASIMDDP). Other
// processors run portable Go. That for AVX2 suits the descriptors of SIFT: it takes twice as long for
// vectors most of whose numbers are large, such as random ones.
//
// Create an L2 with NewL2. It is safe for concurrent use.
type L2 struct {
	opts Options // with no default left to be replaced, so that Workers is not 0
}

// NewL2 returns an L2. It fails if L2Options.Ratio is out of range.
func NewL2(opts L2Options) (*L2, error) {
	o := Options{CrossCheck: opts.CrossCheck, Ratio: opts.Ratio, MaxDistance: opts.MaxDistance, Workers: opts.Workers}
	o.setDefaults(maxVectorDistance)
	if err := o.check("L2Options"); err != nil {
		return nil, err
	}
	return &L2{o}, nil
}

// check panics unless m was made by NewL2.
func (m *L2) check() {
	option.RequireMade(m.opts.Workers != 0, "match", "L2", "NewL2")
}

// Options returns the options of m, with defaults filled in and negative numbers replaced by what
// they stand for.
func (m *L2) Options() L2Options {
	m.check()
	o := &m.opts
	return L2Options{o.CrossCheck, o.Ratio, o.MaxDistance, o.Workers}
}

// newJob returns a job that compares the sets.
func (m *L2) newJob(query, train []Vector) *job {
	m.check()
	j := newJob()
	j.query, j.train = newVectorSet(query), newVectorSet(train)
	j.start(&m.opts, l2)
	return j
}

// Match returns the matches of the query vectors, in their order, with their nearest train
// vectors, except those that fail a test of the options. There are none if a set is empty.
func (m *L2) Match(query, train []Vector) []Match {
	return m.Append(nil, query, train)
}

// Append is like Match but appends the matches to dst. It allocates as Append of a Matcher does,
// and uses 4 more bytes for each query vector.
func (m *L2) Append(dst []Match, query, train []Vector) []Match {
	return m.newJob(query, train).match(dst)
}

// KNearest returns the k nearest train vectors of each query vector, like [Matcher.KNearest].
func (m *L2) KNearest(query, train []Vector, k int) []Match {
	return m.AppendKNearest(nil, query, train, k)
}

// AppendKNearest is like KNearest but appends the matches to dst. It allocates as AppendKNearest of
// a Matcher does.
func (m *L2) AppendKNearest(dst []Match, query, train []Vector, k int) []Match {
	return m.newJob(query, train).kNearest(dst, k)
}

// Within returns, for each query vector, all train vectors whose squared distance is at most
// radius, like [Matcher.Within].
func (m *L2) Within(query, train []Vector, radius int) []Match {
	return m.AppendWithin(nil, query, train, radius)
}

// AppendWithin is like Within but appends the matches to dst. It allocates as AppendWithin of a
// Matcher does.
func (m *L2) AppendWithin(dst []Match, query, train []Vector, radius int) []Match {
	return m.newJob(query, train).within(dst, radius)
}

// Near returns the matches of the query vectors with the nearest of their candidates, like
// [Matcher.Near].
func (m *L2) Near(query, train []Vector, circles []Circle, grid *Grid) []Match {
	return m.AppendNear(nil, query, train, circles, grid)
}

// AppendNear is like Near but appends the matches to dst. It allocates as Append does.
func (m *L2) AppendNear(dst []Match, query, train []Vector, circles []Circle, grid *Grid) []Match {
	return m.newJob(query, train).near(dst, circles, grid)
}
