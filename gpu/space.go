package gpu

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/fastcorners/fast/match"
)

// A space is the memory in which a call works, and its stream. It is used again.
type space struct {
	driver *driver
	stream handle

	// Of the device.
	query, train, tested            arena // sets of the host
	work, parts, claims             arena
	candidates, beaten, deviceFound arena

	// Of the host.
	hostWork, hostResults, hostFound arena

	tasks   []task
	pairs   []pairArgs
	items   []itemArgs
	nearest int // how many items search for the nearest; the others are of the cross-check
	queries int // of all tasks
	trains  int
	early   bool // matches are copied before it is known how many there are
	args    searchArgs

	copied []unsafe.Pointer // memory of the host that copies may still use
}

// A task is a pair of sets of the device that are compared.
type task struct {
	pair         Pair
	query, train source
}

// The types of the arguments of kernels, as in match.cu.
type (
	pairArgs struct {
		query, train    devicePointer
		queries, trains int32
		base, part      uint32
		claims          uint32
		splits          int32
	}
	itemArgs struct {
		pair              uint32
		first, begin, end int32
		part              uint32
	}
	resultArgs struct{ offset, count uint32 }
	keyArgs    struct{ nearest, second uint32 }
	searchArgs struct {
		pairs, items, parts, candidates, beaten, claims, matches, results, total devicePointer
		ratio                                                                    float64
		maxDistance, reach                                                       int32
	}
)

const (
	matchSize  = int(unsafe.Sizeof(match.Match{}))
	beatenSize = 4
	claimSize  = 4
)

// granule is what the sizes of arenas are multiples of, so that they seldom grow. It is a
// variable for tests.
var granule = 1 << 20

// roundUp returns the size of an arena for n bytes.
func roundUp(n int) int { return (n + granule - 1) / granule * granule }

// maxSpaces is how many spaces of a Matcher are in use at the same time.
const maxSpaces = 4

// spaces are those of a Matcher. Each is in use, after wait, or kept.
type spaces struct {
	device *Device
	turns  chan struct{}
	mu     sync.Mutex
	kept   []*space // the one that was used last is the first one to be used again
}

func newSpaces(d *Device) spaces {
	return spaces{device: d, turns: make(chan struct{}, maxSpaces)}
}

// wait waits until a space may be taken.
func (p *spaces) wait() { p.turns <- struct{}{} }

// tryWait is wait if that takes no time. Otherwise it returns false.
func (p *spaces) tryWait() bool {
	select {
	case p.turns <- struct{}{}:
		return true
	default:
		return false
	}
}

// leave ends what wait began.
func (p *spaces) leave() { <-p.turns }

// take returns a space that has been kept, or a new one.
func (p *spaces) take() (*space, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.kept) - 1; last >= 0 {
		s := p.kept[last]
		p.kept = p.kept[:last]
		return s, nil
	}
	const nonBlocking = 1 // that is, not waiting for the default stream
	s := &space{driver: p.device.driver}
	if err := s.driver.check("cuStreamCreate", s.driver.streamCreate(&s.stream, nonBlocking)); err != nil {
		return nil, err
	}
	return s, nil
}

// put keeps a space.
func (p *spaces) put(s *space) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(p.kept, s)
}

// trim frees the spaces that are kept.
func (p *spaces) trim() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, s := range p.kept {
		errs = append(errs, s.free())
	}
	p.kept = nil
	return errors.Join(errs...)
}

// clear frees the memory of the space, once what was started has ended.
func (s *space) clear() error {
	errs := []error{s.synchronize()}
	for _, a := range []*arena{
		&s.query, &s.train, &s.tested, &s.work, &s.parts, &s.claims, &s.candidates, &s.beaten, &s.deviceFound,
		&s.hostWork, &s.hostResults, &s.hostFound,
	} {
		errs = append(errs, s.driver.freeArena(a))
	}
	return errors.Join(errs...)
}

// free frees all that the space has.
func (s *space) free() error {
	return errors.Join(s.clear(), s.driver.check("cuStreamDestroy", s.driver.streamDestroy(s.stream)))
}

// synchronize waits until all is done that was started.
func (s *space) synchronize() error {
	err := s.driver.check("cuStreamSynchronize", s.driver.streamSynchronize(s.stream))
	clear(s.copied)
	s.copied = s.copied[:0]
	return err
}

// toDevice and toHost start copies, until whose end the memory of the host is kept.
func (s *space) toDevice(to devicePointer, from unsafe.Pointer, size int) error {
	s.copied = append(s.copied, from)
	return s.driver.check("cuMemcpyHtoDAsync", s.driver.toDevice(to, from, uintptr(size), s.stream))
}

func (s *space) toHost(to unsafe.Pointer, from devicePointer, size int) error {
	s.copied = append(s.copied, to)
	return s.driver.check("cuMemcpyDtoHAsync", s.driver.toHost(to, from, uintptr(size), s.stream))
}

// launch launches a kernel with the given number of blocks, and s.args.
func (s *space) launch(k kernel, blocks int) error {
	args := [1]unsafe.Pointer{unsafe.Pointer(&s.args)}
	return s.driver.check("cuLaunchKernel", s.driver.launch(k.function, uint32(blocks), 1, 1, k.threads, 1, 1, 0, s.stream, &args[0], nil))
}

// resident returns the set on the device, where a is room for it unless it is there already.
func (s *space) resident(a *arena, set source) (source, error) {
	if set.host == nil {
		return set, nil
	}
	size := descriptorSize * set.n
	if err := s.driver.growDevice(a, size); err != nil {
		return source{}, err
	}
	err := s.toDevice(a.device, unsafe.Pointer(&set.host[0]), size)
	return source{device: a.device, n: set.n}, err
}

// plan makes pairs and items of the tasks, with those of the cross-check after the others. It
// returns how many keys the search for the nearest makes.
func (s *space) plan(concurrent int, crossCheck bool) (keys int) {
	s.pairs, s.items, s.queries, s.trains = s.pairs[:0], s.items[:0], 0, 0
	blocks, crossBlocks := 0, 0 // times columns
	for _, t := range s.tasks {
		blocks += rowBlocks(t.query.n) * t.train.n
		crossBlocks += rowBlocks(min(t.query.n, t.train.n)) * t.query.n
	}
	share := shareOf(blocks, concurrent)
	for i, t := range s.tasks {
		splits := s.split(i, t.query.n, t.train.n, share, keys)
		rows := t.query.n
		if t.train.n == 0 {
			rows = 0
		}
		s.pairs = append(s.pairs, pairArgs{
			query: t.query.device, train: t.train.device, queries: int32(rows), trains: int32(t.train.n),
			base: uint32(s.queries), part: uint32(keys), claims: uint32(s.trains), splits: int32(splits),
		})
		keys += splits * rows
		s.queries += rows
		s.trains += t.train.n
	}
	s.nearest = len(s.items)
	if crossCheck {
		share := shareOf(crossBlocks, concurrent)
		for i, p := range s.pairs {
			s.split(i, int(min(p.queries, p.trains)), int(p.queries), share, 0)
		}
	}
	return keys
}

// rowBlocks returns how many blocks rows take.
func rowBlocks(rows int) int { return (rows + blockRows - 1) / blockRows }

// shareOf returns how many columns an item should have if there are so many in all items. Some
// items for each block that runs at a time make all blocks end together, but they should
// not be too small. If there are few columns, each item runs at the same time.
func shareOf(columns, concurrent int) int {
	const waves, small = 8, 1024
	return max(columns/(waves*concurrent), min(columns/concurrent, small), 1)
}

// split appends the items of a pair, and returns into how many splits they divide the columns.
// The keys of the first split begin at part.
func (s *space) split(pair, rows, columns, share, part int) (splits int) {
	if rows == 0 || columns == 0 {
		return 0
	}
	splits = min(max(columns/share, 1), (columns+tile-1)/tile)
	each := ((columns+splits-1)/splits + tile - 1) / tile * tile
	splits = (columns + each - 1) / each
	for i := range splits {
		for first := 0; first < rows; first += blockRows {
			s.items = append(s.items, itemArgs{
				pair:  uint32(pair),
				first: int32(first), begin: int32(i * each), end: int32(min((i+1)*each, columns)),
				part: uint32(part + i*rows),
			})
		}
	}
	return splits
}

// stage makes room for what the kernels work on, copies the pairs and items to the device, and
// sets the arguments of the kernels. Each pair has the given number of candidates at first.
func (s *space) stage(m *Matcher, keys, candidates int) error {
	claims := 0
	if m.opts.CrossCheck {
		claims = s.trains
	}
	var l layout
	results := add[resultArgs](&l, len(s.pairs)+1) // the last one has the total
	pairs := add[pairArgs](&l, len(s.pairs))
	items := add[itemArgs](&l, len(s.items))
	for _, a := range []struct {
		arena *arena
		size  int
	}{
		{&s.work, l.size},
		{&s.parts, keys * int(unsafe.Sizeof(keyArgs{}))},
		{&s.claims, claims * claimSize},
		{&s.candidates, s.queries * matchSize},
		{&s.beaten, s.queries * beatenSize},
		{&s.deviceFound, s.queries * matchSize},
	} {
		if err := s.driver.growDevice(a.arena, roundUp(a.size)); err != nil {
			return err
		}
	}
	if err := s.driver.growHost(&s.hostWork, roundUp(l.size)); err != nil {
		return err
	}
	r := view[resultArgs](s.hostWork, results, len(s.pairs)+1)
	for i := range r {
		r[i] = resultArgs{count: uint32(candidates)}
	}
	copy(view[pairArgs](s.hostWork, pairs, len(s.pairs)), s.pairs)
	copy(view[itemArgs](s.hostWork, items, len(s.items)), s.items)
	s.args = searchArgs{
		pairs: s.work.at(pairs), items: s.work.at(items), results: s.work.at(results),
		total: s.work.at(results + len(s.pairs)*int(unsafe.Sizeof(resultArgs{}))),
		parts: s.parts.device, candidates: s.candidates.device, beaten: s.beaten.device, matches: s.deviceFound.device,
		ratio: m.opts.Ratio, maxDistance: int32(m.opts.MaxDistance), reach: int32(m.reach),
	}
	if claims > 0 {
		s.args.claims = s.claims.device
	}
	return s.toDevice(s.work.device, s.hostWork.host, l.size)
}

// search launches the search of the items from begin to end, if there are any.
func (s *space) search(k kernel, begin, end int) error {
	if begin == end {
		return nil
	}
	items := s.args.items
	s.args.items += devicePointer(begin * int(unsafe.Sizeof(itemArgs{})))
	err := s.launch(k, end-begin)
	s.args.items = items
	return err
}

// earlyMatches is how many matches there may be at most for them to be copied before it is
// known how many there are. It is a variable for tests.
var earlyMatches = 1 << 14

// start starts the tasks, none of which has more than maxPiece descriptors in a set.
func (m *Matcher) start(s *space) error {
	keys := s.plan(m.device.concurrent, m.opts.CrossCheck)
	if err := s.stage(m, keys, 0); err != nil {
		return err
	}
	if err := s.search(m.nearest, 0, s.nearest); err != nil {
		return err
	}
	if err := s.launch(m.device.pick, len(s.pairs)); err != nil {
		return err
	}
	if err := s.search(m.device.searches[anyNearer], s.nearest, len(s.items)); err != nil {
		return err
	}
	if err := s.launch(m.device.gather, len(s.pairs)); err != nil {
		return err
	}
	size := (len(s.pairs) + 1) * int(unsafe.Sizeof(resultArgs{}))
	if err := s.driver.growHost(&s.hostResults, roundUp(size)); err != nil {
		return err
	}
	if err := s.toHost(s.hostResults.host, s.args.results, size); err != nil {
		return err
	}
	if s.early = s.queries <= earlyMatches; s.early {
		return s.fetch(s.queries)
	}
	return nil
}

// fetch starts to copy the first n matches to the host.
func (s *space) fetch(n int) error {
	if n == 0 {
		return nil
	}
	if err := s.driver.growHost(&s.hostFound, roundUp(n*matchSize)); err != nil {
		return err
	}
	return s.toHost(s.hostFound.host, s.deviceFound.device, n*matchSize)
}

// finish waits until the tasks are done and their matches are there.
func (s *space) finish() error {
	if err := s.synchronize(); err != nil || s.early {
		return err
	}
	total := view[resultArgs](s.hostResults, 0, len(s.pairs)+1)[len(s.pairs)].offset
	if err := s.fetch(int(total)); err != nil {
		return err
	}
	return s.synchronize()
}

// matches returns the matches of a task, as long as the space is not used again.
func (s *space) matches(task int) []match.Match {
	r := view[resultArgs](s.hostResults, 0, len(s.pairs))[task]
	if r.count == 0 {
		return nil
	}
	return view[match.Match](s.hostFound, int(r.offset)*matchSize, int(r.count))
}
