package batch

import "sync/atomic"

// soFar is what the process has done since it began.
var soFar struct {
	todo, images, dead, adopted, bytes atomic.Int64 // sources, and those of them that are done
	groups                             atomic.Int64 // that were adopted
	retries                            atomic.Int64
}

// A Progress is what the workers in a process have done since it began. Runners that have workers
// elsewhere know these numbers as counters.
type Progress struct {
	Todo    int64 // the images, or pairs, that are to be done, as far as they are known
	Done    int64 // those of them that are done, dead letters included
	Adopted int64 // those of Done that former runs have done
	Dead    int64 // dead letters
	Bytes   int64 // that were read of images
	Retries int64 // requests to stores that were made again
}

// ProgressSoFar returns what was done so far.
func ProgressSoFar() Progress {
	p := Progress{
		Todo: soFar.todo.Load(), Adopted: soFar.adopted.Load(), Dead: soFar.dead.Load(), Bytes: soFar.bytes.Load(), Retries: soFar.retries.Load(),
	}
	p.Done = soFar.images.Load() + p.Dead + p.Adopted
	return p
}
