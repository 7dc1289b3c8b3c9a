package batch

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// A gate bounds what the bundles of a process do at the same time, for a runner may have any
// number of them.
type gate struct {
	memory int64
	bytes  *semaphore.Weighted
	slots  chan *slot          // that are free
	groups *semaphore.Weighted // of images in groups that are worked on
}

// A slot is the right to work on one image.
type slot struct {
	gate   *gate
	file   *bytes.Buffer
	alone  bool  // whether the next take is of all memory
	held   int64 // bytes
	waited time.Duration
}

type gateLimits struct {
	workers int // 0: the number of CPUs
	memory  int64
}

var gates = struct {
	sync.Mutex
	by map[gateLimits]*gate
}{by: make(map[gateLimits]*gate)}

// gateOf returns the gate of the process for the given limits.
func gateOf(limits gateLimits) *gate {
	if limits.workers == 0 {
		limits.workers = runtime.GOMAXPROCS(0)
	}
	gates.Lock()
	defer gates.Unlock()
	g := gates.by[limits]
	if g == nil {
		g = &gate{limits.memory, semaphore.NewWeighted(limits.memory), make(chan *slot, limits.workers), semaphore.NewWeighted(2 * int64(limits.workers))}
		for range limits.workers {
			g.slots <- &slot{gate: g, file: new(bytes.Buffer)}
		}
		gates.by[limits] = g
	}
	return g
}

// open waits until a group of images may be worked on, and returns a function to be called when it is
// done. Of groups that keep all workers busy there are two at a time, so that none is idle at the end of
// one: what is not done is lost with the process.
func (g *gate) open(ctx context.Context, images int) (leave func(), err error) {
	n := int64(min(images, cap(g.slots)))
	if err := g.groups.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { g.groups.Release(n) }, nil
}

// enter waits for a slot. The caller must leave it.
func (g *gate) enter(ctx context.Context) (*slot, error) {
	select {
	case s := <-g.slots:
		s.waited = 0
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take waits for memory, once: what has some does not get more. What needs more than all of it works
// alone.
func (s *slot) take(ctx context.Context, bytes int64) error {
	if s.held > 0 {
		return nil
	}
	if bytes = min(bytes, s.gate.memory); s.alone {
		bytes = s.gate.memory
	}
	start := time.Now()
	if err := s.gate.bytes.Acquire(ctx, bytes); err != nil {
		return err
	}
	s.held = bytes
	s.waited = time.Since(start)
	return nil
}

// keptFile is the most memory that a slot keeps for the next file.
const keptFile = 16 << 20

func (s *slot) leave() {
	s.gate.bytes.Release(s.held)
	s.held, s.alone = 0, false
	if s.file.Cap() > keptFile {
		s.file = new(bytes.Buffer)
	}
	s.gate.slots <- s
}

// A pool has what is made by options, keeps memory and is not used by any bundle.
type pool[T any] struct {
	mu   sync.Mutex
	free map[any][]T
}

// get returns what has been put for equal options, or is created.
func (p *pool[T]) get(options any, create func() (T, error)) (T, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	free := p.free[options]
	if len(free) == 0 {
		return create()
	}
	last := free[len(free)-1]
	p.free[options] = free[:len(free)-1]
	return last, nil
}

func (p *pool[T]) put(options any, value T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == nil {
		p.free = make(map[any][]T)
	}
	p.free[options] = append(p.free[options], value)
}
