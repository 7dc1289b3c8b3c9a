//go:build unix

package video

import "syscall"

// ownGroup lets a program be in a group of processes of its own, to which a terminal sends no
// signals.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
