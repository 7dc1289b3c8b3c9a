//go:build !purego

package worker

// pause lets the other thread of the core go on, if there is one, before a condition is looked at
// again.
func pause()
