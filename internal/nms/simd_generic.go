//go:build !amd64 || purego

package nms

// run reports that the work is left to Go.
func (r *topsRun) run() bool {
	return false
}

// run reports that the work is left to Go.
func (r *squareRun) run() bool {
	return false
}
