// Command _asm generates simd_amd64.s, the assembly of package fast:
//
//	go run . ../simd_amd64.s
//
// The Go declarations of the functions are written by hand, in
// simd_amd64.go; their comments say what the functions do.
package main

import (
	"flag"
	"log"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: go run . FILE")
	}
	file := flag.Arg(0)

	ConstraintExpr("!purego")
	for _, b := range blocks {
		b.generate()
	}
	for _, s := range []isa{sse2, avx2, avx512} {
		s.screen("screen", false)
		s.screen("screen12", true)
		for n := 9; n <= 12; n++ {
			s.exact(n)
		}
		s.peaks()
		s.wipe()
	}
	compactSSE2()
	compactAVX512()
	packBits(sse2)
	packBits(avx2)
	packAVX512()
	widenSSE2()
	widenAVX512()

	// A generator that fails leaves its output empty, so the file is replaced
	// only when there is a new one.
	temp := file + ".tmp"
	if err := flag.Set("out", temp); err != nil {
		log.Fatal(err)
	}
	if err := flag.Set("pkg", "fast"); err != nil {
		log.Fatal(err)
	}
	Generate()
	if err := os.Rename(temp, file); err != nil {
		log.Fatal(err)
	}
}
