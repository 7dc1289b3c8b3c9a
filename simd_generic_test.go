//go:build !amd64 || purego

package fast

import "github.com/fastcorners/fast/internal/cpu"

func otherRows() []cpu.Row[stages] { return nil }
