//go:build !unix && !windows

package main

import "syscall"

// ownGroup returns nil where no programs can be started.
func ownGroup() *syscall.SysProcAttr { return nil }
