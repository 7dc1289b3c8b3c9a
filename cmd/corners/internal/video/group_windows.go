package video

import "syscall"

// ownGroup lets a program be in a group of processes of its own, to which a console sends no
// interruptions.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
