//go:build !(linux && amd64 && cgo)

package peers

// missing says why there are no peers.
const missing = "libCVD and OpenCV are compared with on linux/amd64 and with cgo only"

func open() (calls, error) { return nil, ErrMissing }
