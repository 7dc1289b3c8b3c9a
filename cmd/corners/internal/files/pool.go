package files

import (
	"context"
	"fmt"
	"sync"

	"github.com/fastcorners/fast/internal/program/cli"
)

// A Pool is the memory of the images that are processed at once. Lists are part of it until
// they are reported, in the order of the images. So that they never keep the image whose turn
// it is from being processed, it may drop the lists of later images, which are processed
// again when it is their turn.
type Pool struct {
	ctx     context.Context // ends waiting
	mu      sync.Mutex
	changed *sync.Cond
	free    int64        // bytes
	users   int          // images that are being processed and hold bytes
	turn    int          // the image that is reported next
	waiting map[int]List // whose lists are part of the memory
}

// A List is what was found in an image.
type List interface {
	Bytes() int64 // of memory
	Drop()        // gives the memory back
}

// NewPool returns a Pool of this size, in which waiting ends when the context is done.
func NewPool(ctx context.Context, size cli.ByteSize) *Pool {
	p := &Pool{ctx: ctx, free: int64(size), waiting: make(map[int]List)}
	p.changed = sync.NewCond(&p.mu)
	context.AfterFunc(ctx, func() { p.change(func() {}) })
	return p
}

// change calls f, and wakes all that wait.
func (p *Pool) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.changed.Broadcast()
}

// Hold takes bytes that are in use already, for an image that is not processed.
func (p *Pool) Hold(bytes int) {
	p.change(func() { p.free -= int64(bytes) })
}

// Acquire takes bytes to process image i, which has none. It waits until they are free.
func (p *Pool) Acquire(i int, bytes int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.free < bytes {
		switch {
		case p.ctx.Err() != nil:
			return p.ctx.Err()
		case i == p.turn && p.drop():
		case i == p.turn && p.users == 0:
			return fmt.Errorf("it needs %v of memory, and other images leave %v (-memory)",
				cli.ByteSize(bytes), cli.ByteSize(p.free))
		default:
			p.changed.Wait()
		}
	}
	p.free -= bytes
	p.users++
	return nil
}

// drop drops the list that is reported last, if there is any.
func (p *Pool) drop() bool {
	last := -1
	for i := range p.waiting {
		last = max(last, i)
	}
	if last < 0 {
		return false
	}
	list := p.waiting[last]
	delete(p.waiting, last)
	p.free += list.Bytes()
	list.Drop()
	return true
}

// More takes further bytes for an image that has some, if they are free.
func (p *Pool) More(bytes int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free < bytes {
		return false
	}
	p.free -= bytes
	return true
}

// Release gives the bytes of an image back.
func (p *Pool) Release(bytes int64) {
	p.change(func() {
		p.free += bytes
		p.users--
	})
}

// Keep takes the bytes of the list of image i until it is reported.
func (p *Pool) Keep(i int, list List) {
	p.change(func() {
		p.free -= list.Bytes()
		p.waiting[i] = list
	})
}

// Reported gives the bytes of the list of image i back, and others that it holds. It is the
// turn of the next image.
func (p *Pool) Reported(i, held int) {
	p.change(func() {
		p.free += int64(held)
		if list, ok := p.waiting[i]; ok {
			p.free += list.Bytes()
			delete(p.waiting, i)
		}
		p.turn = i + 1
	})
}
