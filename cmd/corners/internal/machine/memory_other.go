//go:build !linux && !darwin

package machine

import "github.com/fastcorners/fast/internal/program/cli"

func memory() cli.ByteSize { return 0 }
