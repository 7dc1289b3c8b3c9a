package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/match"
)

const (
	descriptorSize = int(unsafe.Sizeof(match.Descriptor{}))
	maxDistance    = 8 * descriptorSize

	indexBits = 22
	noKey     = math.MaxInt32 // as in match.cu

	tile      = 128 // columns
	blockRows = 256
)

// maxPiece is the largest number of descriptors that are compared at once. It is a variable for
// tests.
var maxPiece = 1 << indexBits

// A Matcher finds matches according to its Options. Create one with Device.New. It is safe for
// concurrent use.
type Matcher struct {
	device  *Device
	opts    match.Options // with no default left to be replaced
	reach   int           // distances beyond it make no difference
	nearest kernel        // the search for the nearest train, or for two
	spaces  spaces
	life
}

// New returns a Matcher that finds the same matches as one of package match. It ignores
// Options.Workers. It fails if Options.Ratio is out of range, or if Options.Hamming2 is set, which the
// device does not support, or Options.Length, since all descriptors have 256 bits.
func (d *Device) New(opts match.Options) (*Matcher, error) {
	d.life.mustBegin("Device")
	defer d.life.done()
	if err := check(opts); err != nil {
		return nil, err
	}
	opts.MaxDistance = min(max(cmp.Or(opts.MaxDistance, maxDistance), 0), maxDistance)
	opts.Workers = 1
	m := &Matcher{device: d, opts: opts, reach: reach(opts), nearest: d.searches[theNearest], spaces: newSpaces(d)}
	if opts.Ratio > 0 {
		m.nearest = d.searches[theTwoNearest]
	}
	d.own(m)
	return m, nil
}

// check returns an error if the options are invalid or not served.
func check(opts match.Options) error {
	fields := option.Fields{Package: "gpu", Type: "Options"}
	if !(opts.Ratio >= 0 && opts.Ratio <= 1) { // NaN is neither
		return fields.OutOfRange("Ratio", opts.Ratio, "0 to 1")
	}
	if opts.Hamming2 {
		return fields.OutOfRange("Hamming2", opts.Hamming2, "false, the only distance that devices serve")
	}
	if opts.Length != 0 {
		return fields.OutOfRange("Length", opts.Length, "0 for descriptors of 256 bits")
	}
	return nil
}

// reach returns the largest distance of a train descriptor that makes a difference: that of a
// match, or of the second nearest that keeps the nearest from being one.
func reach(opts match.Options) int {
	if opts.Ratio == 0 {
		return opts.MaxDistance
	}
	reach := maxDistance
	for float64(opts.MaxDistance) < opts.Ratio*float64(reach) {
		reach--
	}
	return reach
}

// Options returns the options of m, with defaults filled in and negative numbers replaced by what
// they stand for.
func (m *Matcher) Options() match.Options { return m.opts }

// Close frees the memory of the Matcher. It waits for calls that use it.
func (m *Matcher) Close() error { return m.device.close(m) }

func (m *Matcher) release() error { return m.spaces.trim() }

// begin begins a call, which done ends. It panics if the Matcher is closed.
func (m *Matcher) begin() {
	m.device.life.mustBegin("Device")
	if !m.life.begin() {
		m.device.life.done()
		panic("gpu: Matcher is closed")
	}
}

func (m *Matcher) done() {
	m.life.done()
	m.device.life.done()
}

// Match returns what the method of package match returns.
func (m *Matcher) Match(query, train []match.Descriptor) ([]match.Match, error) {
	return m.Append(nil, query, train)
}

// Append is like Match but appends the matches to dst. It copies sets that are too large for the
// device in pieces. If it fails, it returns dst unchanged.
func (m *Matcher) Append(dst []match.Match, query, train []match.Descriptor) ([]match.Match, error) {
	return m.one(dst, source{host: query, n: len(query)}, source{host: train, n: len(train)})
}

// AppendSets is like Append for sets that are on the device.
func (m *Matcher) AppendSets(dst []match.Match, query, train *Set) ([]match.Match, error) {
	sets := m.use([]*Set{query, train})
	defer release(sets)
	return m.one(dst, query.source(), train.source())
}

// use begins to use sets. It panics if one is not of the device or is closed.
func (m *Matcher) use(sets []*Set) []*Set {
	for i, s := range sets {
		if s.device != m.device {
			release(sets[:i])
			panic("gpu: Set of another Device")
		}
		if !s.begin() {
			release(sets[:i])
			panic("gpu: Set is closed")
		}
	}
	return sets
}

// release ends what use began.
func release(sets []*Set) {
	for _, s := range sets {
		s.done()
	}
}

// A source is a set of descriptors, of the host or of the device.
type source struct {
	host   []match.Descriptor // nil if they are on the device
	device devicePointer
	n      int
}

func (s *Set) source() source { return source{device: s.memory.device, n: s.n} }

// one appends the matches of a pair.
func (m *Matcher) one(dst []match.Match, query, train source) ([]match.Match, error) {
	m.begin()
	defer m.done()
	if query.n > math.MaxInt32 || train.n > math.MaxInt32 {
		panic(fmt.Sprintf("gpu: sets of %d and %d descriptors, more than 2^31-1", query.n, train.n))
	}
	if query.n == 0 || train.n == 0 {
		return dst, nil
	}
	found := dst
	m.spaces.wait()
	defer m.spaces.leave()
	err := m.device.do(func() error {
		s, err := m.spaces.take()
		if err != nil {
			return err
		}
		if found, err = m.compare(dst, s, query, train); err != nil {
			return errors.Join(err, s.free())
		}
		m.spaces.put(s)
		return nil
	})
	if err != nil {
		return dst, err
	}
	return found, nil
}

// leastPiece is how small pieces become before a device is out of memory.
const leastPiece = 1 << 12

// compare appends the matches of a pair, in pieces as large as the memory allows.
func (m *Matcher) compare(dst []match.Match, s *space, query, train source) ([]match.Match, error) {
	size := min(maxPiece, max(query.n, train.n))
	for trimmed := false; ; {
		var found []match.Match
		var err error
		if max(query.n, train.n) <= size {
			found, err = m.whole(dst, s, query, train)
		} else {
			found, err = m.pieces(dst, s, query, train, size)
		}
		if !errors.Is(err, ErrOutOfMemory) || (trimmed && size <= leastPiece) {
			return found, err
		}
		if err := errors.Join(s.clear(), m.spaces.trim()); err != nil {
			return nil, err
		}
		if trimmed {
			size = max(leastPiece, (size+1)/2)
		}
		trimmed = true
	}
}

// whole appends the matches of a pair of sets that are compared at once.
func (m *Matcher) whole(dst []match.Match, s *space, query, train source) ([]match.Match, error) {
	var err error
	if query, err = s.resident(&s.query, query); err != nil {
		return nil, err
	}
	if train, err = s.resident(&s.train, train); err != nil {
		return nil, err
	}
	s.tasks = append(s.tasks[:0], task{query: query, train: train})
	if err := m.start(s); err != nil {
		return nil, err
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	return append(dst, s.matches(0)...), nil
}
