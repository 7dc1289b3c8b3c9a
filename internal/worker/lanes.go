package worker

import "image"

// Lanes hold the memory of the workers that share an image, an L for each worker. They can be
// used again for other images.
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
func (l *Lanes[L]) All() []*L {
	return l.all
}

// AtLeast returns all lanes, of which it creates those that the given number lacks.
func (l *Lanes[L]) AtLeast(n int) []*L {
	for len(l.all) < n {
		l.all = append(l.all, l.create())
	}
	return l.all
}

// EachNumber is Each for the numbers from 0 to n-1 instead of parts of an image.
func EachNumber[S, L any](s S, lanes *Lanes[L], workers, n int, do func(s S, lane *L, i int)) {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			do(s, lanes.all[0], i)
		}
		Done()
		return
	}
	all := lanes.AtLeast(workers)
	ShareNear(lanes.pkg, workers, n, func(worker, i int) { do(s, all[worker], i) })
}

// Each calls do with s for all parts of an image, in at most the given number of goroutines,
// including the caller's, each of which has its own lane. Since s is an argument, do can be a
// method expression, which unlike a closure does not allocate. If do panics, so does Each, as
// Share does.
func Each[S, L any](s S, lanes *Lanes[L], workers int, parts []image.Rectangle, do func(s S, lane *L, part image.Rectangle)) {
	workers = min(workers, len(parts))
	if workers <= 1 {
		for _, part := range parts {
			do(s, lanes.all[0], part)
		}
		Done()
		return
	}
	all := lanes.AtLeast(workers)
	ShareNear(lanes.pkg, workers, len(parts), func(worker, i int) { do(s, all[worker], parts[i]) })
}
