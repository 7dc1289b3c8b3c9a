//go:build !linux || (!amd64 && !arm64)

package gpu

import (
	"fmt"
	"runtime"
)

// load fails: the way to load a library without cgo is made for Linux only.
func load(string, []symbol) error {
	return fmt.Errorf("gpu: not supported on %s/%s", runtime.GOOS, runtime.GOARCH)
}
