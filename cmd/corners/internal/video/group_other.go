//go:build !unix && !windows

package video

import "syscall"

// ownGroup returns nil where no programs can be started.
func ownGroup() *syscall.SysProcAttr { return nil }
