//go:build !amd64 || purego

package integral

import "github.com/fastcorners/fast/internal/cpu"

var assembly []cpu.Row[kernels]
