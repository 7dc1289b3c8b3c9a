//go:build (!amd64 && !arm64 && !(js && simd128)) || purego

package warp

import "github.com/fastcorners/fast/internal/cpu"

// There is no assembly.
var assembly []cpu.Row[kernels]
