package worker

import "image"

// Lanes are the memory of the workers that share an image, one for each worker. They are
// used again for other images.
type Lanes[L any] struct {
	pkg    string
	create func() *L
	all    []*L
}

// NewLanes returns the lanes of a package, with that of the caller's goroutine. Others are
// created when they are needed.
func NewLanes[L any](pkg string, create func() *L) Lanes[L] {
	return Lanes[L]{pkg, create, []*L{create()}}
}

// All returns all lanes that there are, that of the caller's goroutine first.
func (l *Lanes[L]) All() []*L {
	return l.all
}

// Each calls do with all parts of an image, in at most the given number of goroutines, each
// of which has its lane. It is called with a method expression, which allocates nothing as
// a closure would: do gets what it works on as its first argument. A panic of do goes on as
// Share says.
func Each[S, L any](s S, lanes *Lanes[L], workers int, parts []image.Rectangle, do func(s S, lane *L, part image.Rectangle)) {
	workers = min(workers, len(parts))
	if workers <= 1 {
		for _, part := range parts {
			do(s, lanes.all[0], part)
		}
		return
	}
	for len(lanes.all) < workers {
		lanes.all = append(lanes.all, lanes.create())
	}
	all := lanes.all
	Share(lanes.pkg, workers, len(parts), func(worker, i int) { do(s, all[worker], parts[i]) })
}
