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

// A set is an instruction set for which package match has functions.
type set interface {
	name() string
	// loop emits a loop over the query descriptors, and the end of the function.
	loop(f *function)
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
func find(s set, m metric) { s.loop(newFunction("find", s, m)) }

// keys emits the function that lists all keys.
func keys(s set, m metric) {
	f := newFunction("keys", s, m)
	f.store = true
	s.loop(f)
}

// A certainty is what the generator knows of what a call asks for.
type certainty int

const (
	never certainty = iota
	perhaps
	always
)

// A function is what the functions have in common. The loop over the blocks leaves few
// registers, so the argument and its fields are loaded again for each query.
type function struct {
	metric
	store   bool      // stores all keys, instead of finding the least ones
	alone   bool      // finds the least keys alone
	run     Component // the argument
	number  GPVirtual // of the next query
	columns certainty // whether the loop that is emitted next lowers them
	prefix  string    // of its labels
	behind  []func()  // emit what is behind the end of the function
}

func newFunction(name string, s set, m metric) *function {
	Func(name + m.suffix + s.name())
	f := &function{metric: m, number: GP64(), prefix: "next"}
	f.load()
	XORQ(f.number, f.number)
	return f
}

// load loads the argument.
func (f *function) load() { f.run = Dereference(Param("r")) }

// where emits what is done only if a register is not 0, which is the same for a whole call: a
// branch that is not taken, and do behind the end of the function.
func (f *function) where(r Register, label string, do func()) {
	TESTQ(r, r)
	JNE(LabelRef(label))
	Label(label + "Done")
	f.behind = append(f.behind, func() {
		Label(label)
		do()
		JMP(LabelRef(label + "Done"))
	})
}

// end emits the end of the function.
func (f *function) end(s ISA) {
	s.End()
	f.emitBehind()
}

// emitBehind emits what is behind the end of the function.
func (f *function) emitBehind() {
	for len(f.behind) > 0 {
		emit := f.behind[0]
		f.behind = f.behind[1:]
		emit()
	}
}

// field returns a field of the argument.
func (f *function) field(name string) Component {
	return f.run.Field(name)
}

// base returns a pointer to the first element of a slice.
func (f *function) base(field string) GPVirtual {
	p := GP64()
	Load(f.field(field).Base(), p)
	return p
}

// eachQuery emits a loop over the query descriptors, count at a time. do gets a pointer to
// them.
func (f *function) eachQuery(count int, do func(queries Register)) {
	Comment("The next query descriptors.")
	Label(f.prefix + "Query")
	f.load()
	at := GP64()
	IMUL3Q(immediate(f.queryBytes()), f.number, at)
	ADDQ(f.base(f.queryField()), at)
	do(at)
	ADDQ(U8(count), f.number)
	CMPQ(f.number, Load(f.field(f.queryField()).Len(), GP64()))
	JNE(LabelRef(f.prefix + "Query"))
}

// blocks are the registers of a loop over the blocks of train descriptors.
type blocks struct {
	packed  Register // points to the next block
	left    Register // the bytes of index that are left, negative
	index   Register // points to the end of index
	norms   Register // points to the end of trainNorms
	columns Register // points to the end of columns, or 0 if there are none
	keys    Register // points to the end of the keys of the first query
	row     Register // the number of bytes of the keys of a query
}

// eachBlock emits a loop over the blocks, each of block train descriptors.
func (f *function) eachBlock(block int, do func(b *blocks)) {
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
	if f.store {
		b.keys, b.row = end("keys"), bytes
		at := GP64()
		MOVQ(f.number, at)
		IMULQ(bytes, at)
		ADDQ(at, b.keys)
	}
	if f.columns != never {
		columns := f.base("columns")
		b.columns = columns
		if f.columns == perhaps {
			b.columns = GP64()
			LEAQ(Mem{Base: columns, Index: bytes, Scale: 1}, b.columns)
			TESTQ(columns, columns)
			CMOVQEQ(columns, b.columns)
		} else {
			ADDQ(bytes, columns)
		}
	}
	MOVQ(bytes, b.left)
	NEGQ(b.left)
	Comment("The next block of train descriptors.")
	Align()
	Label(f.prefix + "Block")
	do(b)
	if !f.flat && !f.l2 { // whose words have been passed
		ADDQ(I32(block*descriptorBytes), b.packed)
	}
	ADDQ(immediate(block*keyBytes), b.left)
	JNE(LabelRef(f.prefix + "Block"))
}

// wordsOf returns a function that emits a loop over the words of eight bytes of the next
// block of flat descriptors. do gets the place of the same word of the query descriptor,
// others of which are flatBytes behind. The loop passes the block.
func (f *function) wordsOf(query Register, block int) func(packed Register, do func(query Mem)) {
	bytes, end := GP64(), GP64()
	Load(f.field("words"), bytes)
	SHLQ(U8(3), bytes)
	LEAQ(Mem{Base: query, Index: bytes, Scale: 1}, end)
	NEGQ(bytes)
	return func(packed Register, do func(query Mem)) {
		left := GP64()
		MOVQ(bytes, left)
		Label(f.prefix + "Word")
		do(Mem{Base: end, Index: left, Scale: 1})
		ADDQ(immediate(8*block), packed)
		ADDQ(U8(8), left)
		JNE(LabelRef(f.prefix + "Word"))
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
