// Package simd128 holds the kernels of packages fast, harris, orb, match, flow, warp and geometry
// for the page: a module of WebAssembly with vectors of 128 bits, whose functions work in the
// memory of the Go program. Programs that are compiled with the build tag simd128 import its
// functions, and page/simd128.js provides them.
package simd128

import (
	_ "embed"
	"encoding/binary"
)

//go:generate go -C ../../_asm run ./simd128

// Kernels is the module.
//
//go:embed simd128.wasm
var Kernels []byte

// Append returns a program with the module as its last section, where simd128.js finds it.
func Append(program []byte) []byte {
	const name = "simd128"
	content := append([]byte{byte(len(name))}, name...)
	content = append(content, Kernels...)
	program = append(program, 0) // a custom section
	program = binary.AppendUvarint(program, uint64(len(content)))
	return append(program, content...)
}
