package batch

import "sync/atomic"

// soFar is what the process has done since it began.
var soFar struct {
	images, dead, bytes, retries atomic.Int64
}
