package batch

import "sync/atomic"

// soFar is what the process has done since it began.
var soFar struct {
	todo, images, dead, adopted, bytes atomic.Int64 // sources, and those of them that are done
	groups                             atomic.Int64 // that were adopted
	retries                            atomic.Int64
}
