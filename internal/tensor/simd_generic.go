//go:build (!amd64 && !arm64 && !(js && simd128)) || purego

package tensor

import "github.com/fastcorners/fast/internal/cpu"

var assembly []cpu.Row[kernels]
