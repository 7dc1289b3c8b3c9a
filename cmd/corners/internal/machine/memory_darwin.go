package machine

import (
	"github.com/fastcorners/fast/internal/program/cli"
	"golang.org/x/sys/unix"
)

func memory() cli.ByteSize {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return cli.ByteSize(bytes)
}
