// Command match generates simd_amd64.s and simd_arm64.s, the assembly of package match.
// It runs in the directory of the module _asm.
//
// The Go declarations of the functions and of their argument are written by hand, in
// simd_amd64.go, simd_arm64.go and kernel.go. The functions in portable.go define what
// the assembly does.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/generate"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	// descriptorBytes is the size of a descriptor.
	descriptorBytes = 32
	// keyBytes is the size of a key, and of an index.
	keyBytes = 4
	// flatBytes is the room of a flat query descriptor.
	flatBytes = 128
	// vectorBytes is the size of a vector.
	vectorBytes = 128
	// indexBits is the number of bits of the index in a key, and vectorIndexBits in one of
	// vectors.
	indexBits       = 21
	vectorIndexBits = 9
)

// A metric is a way to measure distances.
type metric struct {
	suffix string // in the names of functions
	cells  bool   // of two bits that differ are counted, not bits
	short  bool   // only the first 32 bits may be set
	flat   bool   // descriptors have any number of words
	l2     bool   // descriptors are vectors
}

// words returns how many words of a descriptor, of size bytes each, are compared.
func (m metric) words(size int) int {
	if m.short {
		return 1
	}
	return descriptorBytes / size
}

// queryField returns the name of the field with the query descriptors.
func (m metric) queryField() string {
	switch {
	case m.flat:
		return "flat"
	case m.l2:
		return "vectors"
	}
	return "queries"
}

// queryBytes returns the size of a query descriptor.
func (m metric) queryBytes() int {
	switch {
	case m.flat:
		return flatBytes
	case m.l2:
		return vectorBytes
	}
	return descriptorBytes
}

// A mode is what is done with the keys. Unless all are stored, the least ones are found.
type mode struct {
	prefix          string // of labels
	store           bool   // stores all keys
	second, columns bool   // finds these, too
}

// A set is an instruction set for which package match has functions.
type set interface {
	name() string
	// loop emits a loop over the query descriptors.
	loop(f *function, m mode)
}

func main() {
	generate.Write("../match", generateAMD64, generateNEON)
}

// generateAMD64 emits the functions for POPCNT, AVX2 and AVX-512.
func generateAMD64() {
	for _, s := range []set{avx512{AVX512}, avx2{AVX2}, popcnt{}} {
		for _, m := range []metric{{}, {suffix: "2", cells: true}, {suffix: "Flat", flat: true}} {
			find(s, m)
			keys(s, m)
		}
		find(s, metric{suffix: "32", short: true})
	}
	for _, s := range []set{avx512{AVX512}, avx2{AVX2}} {
		m := metric{suffix: "L2", l2: true}
		find(s, m)
		keys(s, m)
	}
	slice(AVX2)
	for _, s := range []ISA{AVX512, AVX2} {
		packBlocks(s)
		packVectors(s)
		distances(s)
	}
}

// find emits the function that finds the nearest train descriptors.
func find(s set, m metric) {
	f := newFunction("find"+m.suffix+s.name(), m)
	test := func(field, label string) {
		p := f.base(field)
		TESTQ(p, p)
		JNE(LabelRef(label))
	}
	test("columns", "columns")
	test("second", "second")
	s.loop(f, mode{prefix: "best"})
	Label("second")
	s.loop(f, mode{prefix: "second", second: true})
	Label("columns")
	test("second", "both")
	s.loop(f, mode{prefix: "columns", columns: true})
	Label("both")
	s.loop(f, mode{prefix: "both", second: true, columns: true})
}

// keys emits the function that lists all keys.
func keys(s set, m metric) {
	s.loop(newFunction("keys"+m.suffix+s.name(), m), mode{prefix: "keys", store: true})
}

// A function is what the functions have in common. The loop over the blocks leaves few
// registers, so all else is loaded again for each query.
type function struct {
	metric
	number GPVirtual // of the next query
}

func newFunction(name string, m metric) *function {
	Func(name)
	f := &function{m, GP64()}
	XORQ(f.number, f.number)
	return f
}

// field returns a field of the argument.
func (f *function) field(name string) Component {
	return Dereference(Param("r")).Field(name)
}

// base returns a pointer to the first element of a slice.
func (f *function) base(field string) GPVirtual {
	p := GP64()
	Load(f.field(field).Base(), p)
	return p
}

// eachQuery emits a loop over the query descriptors, count at a time. do gets a pointer to
// them.
func (f *function) eachQuery(prefix string, count int, do func(queries Register)) {
	Comment("The next query descriptors.")
	Label(prefix + "Query")
	at := GP64()
	IMUL3Q(immediate(f.queryBytes()), f.number, at)
	ADDQ(f.base(f.queryField()), at)
	do(at)
	ADDQ(U8(count), f.number)
	CMPQ(f.number, Load(f.field(f.queryField()).Len(), GP64()))
	JNE(LabelRef(prefix + "Query"))
}

// blocks are the registers of a loop over the blocks of train descriptors.
type blocks struct {
	packed  Register // points to the next block
	left    Register // the bytes of index that are left, negative
	index   Register // points to the end of index
	norms   Register // points to the end of trainNorms
	columns Register // points to the end of columns
	keys    Register // points to the end of the keys of the first query
	row     Register // the number of bytes of the keys of a query
}

// eachBlock emits a loop over the blocks, each of block train descriptors.
func (f *function) eachBlock(m mode, block int, do func(b *blocks)) {
	bytes := GP64()
	Load(f.field("index").Len(), bytes)
	SHLQ(U8(2), bytes)
	// end returns a pointer to the end of a slice that has a word for each.
	end := func(field string) Register {
		p := f.base(field)
		ADDQ(bytes, p)
		return p
	}
	b := &blocks{packed: f.base("packed"), left: GP64(), index: end("index")}
	if f.l2 {
		b.norms = end("trainNorms")
	}
	if m.columns {
		b.columns = end("columns")
	}
	if m.store {
		b.keys, b.row = end("keys"), bytes
		at := GP64()
		MOVQ(f.number, at)
		IMULQ(bytes, at)
		ADDQ(at, b.keys)
	}
	MOVQ(bytes, b.left)
	NEGQ(b.left)
	Comment("The next block of train descriptors.")
	Align()
	Label(m.prefix + "Block")
	do(b)
	if !f.flat && !f.l2 { // whose words have been passed
		ADDQ(I32(block*descriptorBytes), b.packed)
	}
	ADDQ(immediate(block*keyBytes), b.left)
	JNE(LabelRef(m.prefix + "Block"))
}

// wordsOf returns a function that emits a loop over the words of eight bytes of the next
// block of flat descriptors. do gets the place of the same word of the query descriptor,
// others of which are flatBytes behind. The loop passes the block.
func (f *function) wordsOf(query Register, prefix string, block int) func(packed Register, do func(query Mem)) {
	bytes, end := GP64(), GP64()
	Load(f.field("words"), bytes)
	SHLQ(U8(3), bytes)
	LEAQ(Mem{Base: query, Index: bytes, Scale: 1}, end)
	NEGQ(bytes)
	return func(packed Register, do func(query Mem)) {
		left := GP64()
		MOVQ(bytes, left)
		Label(prefix + "Word")
		do(Mem{Base: end, Index: left, Scale: 1})
		ADDQ(immediate(8*block), packed)
		ADDQ(U8(8), left)
		JNE(LabelRef(prefix + "Word"))
	}
}

// immediate returns the shortest operand for a number.
func immediate(n int) Constant {
	if n < 128 {
		return U8(n)
	}
	return I32(n)
}

// at returns what belongs to the next block in a slice that has a word for each train
// descriptor.
func (b *blocks) at(end Register) Mem {
	return Mem{Base: end, Index: b.left, Scale: 1}
}

// result returns the place of a result of query i of the current ones.
func (f *function) result(field string, i int) Mem {
	return Mem{Base: f.base(field), Index: f.number, Scale: keyBytes, Disp: keyBytes * i}
}
