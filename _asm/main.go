// Command _asm generates simd_amd64.s, the assembly of package fast:
//
//	go run . ../simd_amd64.s
//
// The Go declarations of the functions are written by hand, in
// simd_amd64.go; their comments say what the functions do.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"

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
	if err := checkRegisters(temp); err != nil {
		log.Fatal(err)
	}
	if err := os.Rename(temp, file); err != nil {
		log.Fatal(err)
	}
}

// checkRegisters reports a function for SSE2 or AVX2 that uses one of the vector
// registers from 16 on. Only AVX-512 has them, but the register allocator takes
// them when the others are in use.
func checkRegisters(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name := ""
	for _, m := range regexp.MustCompile(`(?m)^TEXT ·(\w+)\(|\b([XY](?:1[6-9]|2\d|3[01]))\b`).FindAllStringSubmatch(string(text), -1) {
		switch {
		case m[1] != "":
			name = m[1]
		case regexp.MustCompile(`(SSE2|AVX2)$`).MatchString(name):
			return fmt.Errorf("%s uses %s", name, m[2])
		}
	}
	return nil
}
