// Package generate writes the assembly of Go packages that have it for amd64 and for arm64.
package generate

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/vec"
)

// Write writes simd_amd64.s and simd_arm64.s, the assembly of the Go package in that directory,
// which is relative to that of the module _asm, the working directory. amd64 and arm64 emit the
// functions.
func Write(dir string, amd64 func(), arm64 func(a *neon.Assembler)) {
	neon.Write(dir, arm64)
	vec.WriteAMD64(dir, amd64) // changes the working directory
}
