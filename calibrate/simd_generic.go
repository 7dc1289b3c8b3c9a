//go:build (!amd64 && !arm64) || purego

package calibrate

import "github.com/fastcorners/fast/internal/cpu"

// There is no assembly.
var assembly []cpu.Row[kernels]
