package batch

import "sync/atomic"

// soFar is what the process has done since it began.
var soFar struct {
	todo, images, dead, adopted, bytes atomic.Int64 // sources, and those of them that are done
	groups                             atomic.Int64 // that were adopted
	retries                            atomic.Int64
}

// A Progress is what the workers in a process have done since it started. Runners with workers
// elsewhere provide these numbers as counters.
type Progress struct {
	Todo    int64 // the images, or pairs, to be done, as far as known
	Done    int64 // those that are done, including dead letters
	Adopted int64 // those of Done that earlier runs did
	Dead    int64 // dead letters
	Bytes   int64 // read from images
	Retries int64 // repeated requests to stores
}

// ProgressSoFar returns what has been done so far.
func ProgressSoFar() Progress {
	p := Progress{
		Todo: soFar.todo.Load(), Adopted: soFar.adopted.Load(), Dead: soFar.dead.Load(), Bytes: soFar.bytes.Load(), Retries: soFar.retries.Load(),
	}
	p.Done = soFar.images.Load() + p.Dead + p.Adopted
	return p
}
