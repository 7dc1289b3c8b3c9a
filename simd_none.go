//go:build (!amd64 && !arm64 && !(js && simd128)) || purego

package fast

import "github.com/fastcorners/fast/internal/cpu"

var sieveRows []cpu.Row[stages]
