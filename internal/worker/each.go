package worker

import "sync/atomic"

// Lanes hold the memory of the workers that share a call, an L for each of them. They can be used
// again for other calls, but not for several at once.
type Lanes[L any] struct {
	pkg    string
	create func() *L
	all    []*L
}

// NewLanes returns Lanes with one lane, that of the caller's goroutine. Others are created when
// they are needed. Panics of workers name the package.
func NewLanes[L any](pkg string, create func() *L) Lanes[L] {
	return Lanes[L]{pkg, create, []*L{create()}}
}

// All returns the lanes that have been created, that of the caller's goroutine first.
func (l *Lanes[L]) All() []*L { return l.all }

// AtLeast returns all lanes, after it has created those that are missing from the given number.
func (l *Lanes[L]) AtLeast(n int) []*L {
	for len(l.all) < n {
		l.all = append(l.all, l.create())
	}
	return l.all
}

// Each calls do with s and the numbers i from 0 to n-1, in at most the given number of goroutines,
// including the caller's, each of which has a lane of its own. Each of them begins with its own portion
// of the numbers, which follow each other and are the same ones in each call, so that what it needs is
// often still in its cache; then it takes from the portions of others. If do panics, so does Each when
// all have ended, as [Run] does.
//
// Since s is an argument, do can be a method expression, which unlike a closure does not allocate.
func Each[S, L any](s S, lanes *Lanes[L], workers, n int, do func(s S, l *L, i int)) {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			do(s, lanes.all[0], i)
		}
		return
	}
	e := &each[S, L]{s, lanes.AtLeast(workers), do, make([]portion, workers)}
	for w := range e.portions {
		e.portions[w].next.Store(int64(n) * int64(w) / int64(workers))
		e.portions[w].end = int64(n) * int64(w+1) / int64(workers)
	}
	Run(lanes.pkg, e, workers, func(e *each[S, L]) { e.work(0) }, (*each[S, L]).work)
}

// An each is a call of Each by several workers.
type each[S, L any] struct {
	s        S
	lanes    []*L
	do       func(s S, l *L, i int)
	portions []portion // of the workers
}

// A portion is what a worker does first.
type portion struct {
	next atomic.Int64 // the first number that has not been taken
	end  int64
	_    [112]byte // keeps portions in cache lines of their own
}

// work does what is left, beginning with the portion of the given worker.
func (e *each[S, L]) work(worker int) {
	for k := range e.portions {
		p := &e.portions[(worker+k)%len(e.portions)]
		for i := p.next.Add(1) - 1; i < p.end; i = p.next.Add(1) - 1 {
			e.do(e.s, e.lanes[worker], int(i))
		}
	}
}
