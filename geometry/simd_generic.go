//go:build (!amd64 && !(js && simd128)) || purego

package geometry

import "github.com/fastcorners/fast/internal/cpu"

// There is no assembly.
var assembly []cpu.Row[kernels]
