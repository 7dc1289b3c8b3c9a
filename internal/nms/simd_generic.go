//go:build !amd64 || purego

package nms

// run reports that the work is left to Go.
func (r *maximizeRun) run() bool {
	return false
}

// run reports that the work is left to Go.
func (r *peaksRun) run() bool {
	return false
}
