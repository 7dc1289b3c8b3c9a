//go:build !(js && simd128) || purego

package fast

// expandVectors has no vectors to expand any values of a row with, and returns their number.
func expandVectors(*expandedRow) int { return 0 }
