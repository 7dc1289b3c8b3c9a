package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A response has what the pixels of a ring say so far, in words.
type response struct{ sums, differences, total VecVirtual }

// responses emits the function that computes the responses of a row of pixels. The last vector ends
// where the row does.
func responses(isa ISA) {
	pixels := isa.Bytes / 2
	r := Func("responses" + isa.Name)
	base, stride := Load(r.Field("pix").Base(), GP64()), Load(r.Field("stride"), GP64())
	out, last := Load(r.Field("responses").Base(), GP64()), Load(r.Field("responses").Len(), GP64())
	SUBQ(U8(pixels), last)
	pointers := map[int]Register{}
	for row := range rows[len(rows)-1] + 1 {
		if contains(row) {
			pointers[row] = GP64()
			MOVQ(base, pointers[row])
		}
		ADDQ(stride, base)
	}
	zero, largest := isa.Zero(), isa.Zero()
	x := Counter()
	words := func(p pixel) VecVirtual {
		return isa.LoadWords(Mem{Base: pointers[p.row], Index: x, Scale: 1, Disp: p.column}, zero)
	}
	absolute := func(v Register) { VPABSW(v, v) }
	// add adds what four pixels say.
	add := func(sum *response, n int) {
		at := quarters(n)
		var pairs, apart [2]VecVirtual
		for k := range pairs {
			a, b := words(at[2*k]), words(at[2*k+1])
			pairs[k], apart[k] = isa.Do(op.AddWord, a, b), isa.Do(op.SubWord, a, b)
			absolute(apart[k])
		}
		r := response{isa.Do(op.SubWord, pairs[0], pairs[1]), isa.Do(op.AddWord, apart[0], apart[1]), isa.Do(op.AddWord, pairs[0], pairs[1])}
		absolute(r.sums)
		if sum.total == nil {
			*sum = r
			return
		}
		isa.DoTo(op.AddWord, sum.sums, r.sums, sum.sums)
		isa.DoTo(op.AddWord, sum.differences, r.differences, sum.differences)
		isa.DoTo(op.AddWord, sum.total, r.total, sum.total)
	}
	Comment("The responses of a vector of pixels.")
	LoopWithin("pixels", x, last, pixels, func() {
		to := Mem{Base: out, Index: x, Scale: 2}
		var sum response
		add(&sum, 0)
		add(&sum, 2)
		Comment("Most vectors end here.")
		mask := isa.Vec()
		var some Register = K()
		if isa == AVX2 {
			some = GP32()
			VPCMPGTW(sum.differences, sum.sums, mask)
			VPMOVMSKB(mask, some)
			TESTL(some, some)
		} else {
			VPCMPGTW(sum.differences, sum.sums, some)
			KTESTD(some, some)
		}
		isa.Store(zero, to)
		JEQ(LabelRef("next"))
		add(&sum, 1)
		add(&sum, 3)
		Comment("The mean of the ring against that of the pixels beside the middle.")
		four := words(beside[0])
		for _, p := range beside[1:] {
			isa.DoTo(op.AddWord, four, words(p), four)
		}
		VPSLLW(U8(2), four, four)
		isa.DoTo(op.SubWord, sum.total, four, sum.total)
		absolute(sum.total)
		v := isa.Do(op.SubWord, sum.sums, sum.differences)
		isa.DoTo(op.SubWord, v, sum.total, v)
		isa.DoTo(op.MaxWord, v, zero, v)
		if isa == AVX2 {
			isa.DoTo(op.And, v, mask, v)
		} else {
			VMOVDQU16_Z(v, some, v)
		}
		isa.Store(v, to)
		isa.DoTo(op.MaxWord, largest, v, largest)
		Label("next")
	})
	Comment("The largest one is the complement of the least complement.")
	if isa == AVX512 {
		half := YMM()
		VEXTRACTI64X4(U8(1), largest, half)
		VPMAXSW(half, largest.(VecVirtual).AsY(), largest.(VecVirtual).AsY())
	}
	v, half, ones := largest.(VecVirtual).AsX(), XMM(), XMM()
	VEXTRACTI128(U8(1), largest.(VecVirtual).AsY(), half)
	VPMAXSW(half, v, v)
	VPCMPEQW(ones, ones, ones)
	VPXOR(ones, v, v)
	VPHMINPOSUW(v, v)
	VPXOR(ones, v, v)
	g := GP32()
	VMOVD(v, g)
	MOVW(g.As16(), Address(r.Field("largest")))
	isa.End()
}

// contains reports whether there is a pixel in a row.
func contains(row int) bool {
	for _, r := range rows {
		if r == row {
			return true
		}
	}
	return false
}
