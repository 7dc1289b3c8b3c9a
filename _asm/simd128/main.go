// Command simd128 writes web/simd128/simd128.wasm, the kernels of packages fast, harris, orb,
// match, flow, warp and geometry in WebAssembly with vectors of 128 bits. It runs in the directory of the
// module _asm.
//
// The stages and kernels of portable Go define what the functions do.
package main

import (
	"go/types"
	"log"
	"os"

	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/pairs"
	"github.com/fastcorners/fast/_asm/internal/transforms"
	"github.com/fastcorners/fast/_asm/internal/wasm"
)

func main() {
	log.SetFlags(0)
	b := builder{Module: new(wasm.Module)}
	b.pkg = layout.Load("..", "wasm")
	b.screen("screen", false)
	b.screen("screen12", true)
	b.compact()
	for arc := 9; arc <= 12; arc++ {
		b.exact(arc)
	}
	b.peaks()
	b.wipe()
	b.pack()
	b.expand()
	b.pkg = layout.Load("../orb", "wasm")
	b.resize()
	b.harris()
	b.moments()
	b.smooth()
	b.compare()
	b.pkg = layout.Load("../match", "wasm")
	b.distances()
	b.pkg = layout.Load("../flow", "wasm")
	b.down()
	b.windows()
	b.pkg = layout.Load("../warp", "wasm")
	b.linear()
	b.nearest()
	b.project()
	b.scale()
	b.unpack()
	b.pkg = layout.Load("../internal/tensor", "wasm")
	b.tensors()
	b.pkg = layout.Load("../harris", "wasm")
	b.corners()
	b.pkg = layout.Load("../geometry", "wasm")
	transforms.Emit(func(name string) *pairs.Kernel {
		return pairs.NewWasm(b.Module, b.name(name), b.argument("run"))
	})
	if err := os.WriteFile("../web/simd128/simd128.wasm", b.Encode(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// A builder makes the kernels of a Go package.
type builder struct {
	*wasm.Module
	pkg *types.Package
}

// kernel begins the kernel that gets a pointer to a struct of the package.
func (b builder) kernel(name, argument string) *wasm.Function {
	return b.Kernel(b.name(name), b.argument(argument))
}

// name returns the name that a kernel has in the module.
func (b builder) name(name string) string { return b.pkg.Name() + "." + name }

// argument returns the type of that name.
func (b builder) argument(name string) types.Type { return b.pkg.Scope().Lookup(name).Type() }

// zero is a vector of zeros.
var zero = wasm.Bytes(func(int) uint8 { return 0 })

// words returns a vector of eight numbers of 16 bits.
func words(f func(i int) int) wasm.Value {
	return wasm.Bytes(func(i int) uint8 { return uint8(f(i/2) >> (i % 2 * 8)) })
}

// sum returns the sum of numbers of 32 bits.
func sum(first wasm.Value, others ...wasm.Value) wasm.Value {
	for _, v := range others {
		first = wasm.Do("i32.add", first, v)
	}
	return first
}

// reduce combines values by an instruction.
func reduce(name string, first wasm.Value, others ...wasm.Value) wasm.Value {
	for _, v := range others {
		first = wasm.Do(name, first, v)
	}
	return first
}
