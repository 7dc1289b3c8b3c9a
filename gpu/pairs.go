package gpu

import (
	"errors"
	"iter"

	"github.com/fastcorners/fast/match"
)

// A Pair holds the indices of two sets to compare.
type Pair struct {
	Query, Train int
}

// AllPairs returns all pairs of n sets: each set, as the query set, with the sets after it.
func AllPairs(n int) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		for query := range n {
			for train := query + 1; train < n; train++ {
				if !yield(Pair{query, train}) {
					return
				}
			}
		}
	}
}

const (
	// maxBatches is how many batches of pairs are started before the first one is waited for.
	maxBatches = 3
	// pairCost is what a pair costs at least, in descriptors.
	pairCost = 256
)

// maxBatch is how many descriptors a batch of pairs has at most, counting the larger set of each
// pair, unless it is one pair. It is a variable for tests.
var maxBatch = 1 << 22

// Pairs matches pairs of sets, and calls emit with the matches of each, in the order of pairs.
// The matches are valid until emit returns. If emit returns an error, so does Pairs. Emit must
// not close m, its device, or a set.
//
// This is much faster than one call for each pair: matching two sets of a few thousand descriptors
// takes less time than a call, and does not keep the whole device busy.
func (m *Matcher) Pairs(sets []*Set, pairs iter.Seq[Pair], emit func(p Pair, matches []match.Match) error) error {
	m.begin()
	defer m.done()
	defer release(m.use(sets))
	b := &batches{m: m, emit: emit, maxBatch: maxBatch}
	defer b.release()
	for p := range pairs {
		t := task{p, sets[p.Query].source(), sets[p.Train].source()}
		if err := b.add(t); err != nil {
			return err
		}
	}
	if err := b.start(); err != nil {
		return err
	}
	return b.finish(0)
}

// batches has the state of Pairs.
type batches struct {
	m        *Matcher
	emit     func(Pair, []match.Match) error
	maxBatch int
	tasks    []task // of the next batch
	size     int
	idle     []*space
	started  []*space // in order
	found    []match.Match
}

// add adds a task to the next batch, and starts the batch if it is full.
func (b *batches) add(t task) error {
	if max(t.query.n, t.train.n) > maxPiece {
		if err := b.start(); err != nil {
			return err
		}
		if err := b.finish(0); err != nil {
			return err
		}
		return b.alone(t)
	}
	cost := max(t.query.n, t.train.n, pairCost)
	if b.size+cost > b.maxBatch {
		if err := b.start(); err != nil {
			return err
		}
	}
	b.tasks = append(b.tasks, t)
	b.size += cost
	return nil
}

// start starts the next batch, if it has any tasks.
func (b *batches) start() error {
	if len(b.tasks) == 0 {
		return nil
	}
	tasks := b.tasks
	b.tasks, b.size = tasks[:0], 0
	if started, err := b.launch(tasks); started || err != nil {
		return err
	}
	// There is less memory than was thought. One batch of half the size is left.
	if err := b.finish(0); err != nil {
		return err
	}
	b.maxBatch = max(b.maxBatch/2, 1)
	return b.divide(tasks)
}

// launch starts a batch of tasks. It returns false if there is too little memory for them.
func (b *batches) launch(tasks []task) (started bool, err error) {
	s, err := b.take()
	if err != nil {
		return false, err
	}
	s.tasks = append(s.tasks[:0], tasks...)
	b.started = append(b.started, s)
	err = b.m.device.do(func() error { return b.m.start(s) })
	if errors.Is(err, ErrOutOfMemory) {
		b.started = b.started[:len(b.started)-1]
		b.idle = append(b.idle, s)
		return false, nil
	}
	return err == nil, err
}

// divide does tasks with as little memory as they need.
func (b *batches) divide(tasks []task) error {
	if err := b.trim(); err != nil {
		return err
	}
	if len(tasks) == 1 {
		return b.alone(tasks[0])
	}
	for _, half := range [][]task{tasks[:len(tasks)/2], tasks[len(tasks)/2:]} {
		started, err := b.launch(half)
		if err == nil && !started {
			err = b.divide(half)
		}
		if err == nil {
			err = b.finish(0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// alone does a task, in pieces if it must be.
func (b *batches) alone(t task) error {
	s, err := b.take()
	if err != nil {
		return err
	}
	b.started = append(b.started, s) // in case that it fails
	err = b.m.device.do(func() (err error) {
		b.found, err = b.m.compare(b.found[:0], s, t.query, t.train)
		return err
	})
	if err != nil {
		return err
	}
	b.started = b.started[:0]
	b.idle = append(b.idle, s)
	return b.emit(t.pair, b.found)
}

// take returns a space that is not in use, if need be that of the batch that was started first.
func (b *batches) take() (s *space, err error) {
	switch {
	case len(b.idle) > 0:
	case len(b.started) == 0:
		b.m.spaces.wait()
		return b.more()
	case len(b.started) < maxBatches && b.m.spaces.tryWait():
		return b.more()
	default:
		if err := b.finish(len(b.started) - 1); err != nil {
			return nil, err
		}
	}
	last := len(b.idle) - 1
	s, b.idle = b.idle[last], b.idle[:last]
	return s, nil
}

// more returns a space more, after wait.
func (b *batches) more() (s *space, err error) {
	err = b.m.device.do(func() (err error) {
		s, err = b.m.spaces.take()
		return err
	})
	if err != nil {
		b.m.spaces.leave()
	}
	return s, err
}

// finish finishes batches until so many are left.
func (b *batches) finish(left int) error {
	for len(b.started) > left {
		s := b.started[0]
		if err := b.m.device.do(s.finish); err != nil {
			return err
		}
		for i, t := range s.tasks {
			if err := b.emit(t.pair, s.matches(i)); err != nil {
				return err
			}
		}
		b.started = append(b.started[:0], b.started[1:]...)
		b.idle = append(b.idle, s)
	}
	return nil
}

// trim frees the memory of all spaces that are not in use.
func (b *batches) trim() error {
	return b.m.device.do(func() error {
		errs := []error{b.m.spaces.trim()}
		for _, s := range b.idle {
			errs = append(errs, s.clear())
		}
		return errors.Join(errs...)
	})
}

// release gives the spaces back. It frees those of batches that have not been finished.
func (b *batches) release() {
	for _, s := range b.started {
		_ = b.m.device.do(s.free) // Pairs has an error to return already
		b.m.spaces.leave()
	}
	for _, s := range b.idle {
		b.m.spaces.put(s)
		b.m.spaces.leave()
	}
}
