package wasm

import (
	"slices"
	"strconv"
	"strings"
)

// An op is an instruction.
type op struct {
	code   []byte
	args   []Type
	result Type
}

// ops holds the instructions by their names.
var ops = map[string]op{}

func init() {
	scalar := func(code byte) []byte { return []byte{code} }
	add(scalar, "i:i", "i32.eqz 45 i32.ctz 68")
	add(scalar, "ii:i", `i32.eq 46 i32.ne 47 i32.lt_s 48 i32.lt_u 49 i32.le_s 4c i32.le_u 4d i32.add 6a i32.sub 6b i32.mul 6c
		i32.and 71 i32.or 72 i32.xor 73 i32.shl 74 i32.shr_s 75 i32.shr_u 76`)
	add(scalar, "iii:i", "select 1b")
	add(scalar, "l:i", "i32.wrap_i64 a7")
	add(scalar, "l:l", "i64.ctz 7a i64.popcnt 7b")
	add(scalar, "ll:l", "i64.add 7c i64.sub 7d i64.and 83 i64.or 84 i64.xor 85 i64.shl 86 i64.shr_u 88")
	add(scalar, "ll:i", "i64.eq 51 i64.ne 52")
	add(scalar, "i:l", "i64.extend_i32_u ad i64.extend_i32_s ac")
	add(scalar, "ff:f", "f32.add 92 f32.mul 94 f32.min 96")
	add(scalar, "f:f", "f32.nearest 90")
	add(scalar, "f:i", "i32.trunc_f32_s a8")
	add(scalar, "i:f", "f32.convert_i32_s b2")
	add(scalar, "dd:d", "f64.add a0 f64.sub a1 f64.mul a2")
	add(scalar, "dd:i", "f64.lt 63 f64.gt 64")
	add(scalar, "f:d", "f64.promote_f32 bb")
	add(scalar, "d:f", "f32.demote_f64 b6")
	add(scalar, "i:d", "f64.convert_i32_u b8")
	add(scalar, "d:l", "i64.reinterpret_f64 bd")
	add(scalar, "l:d", "f64.reinterpret_i64 bf")

	add(scalar, "i:i", "i32.load 28 i32.load8_u 2d i32.load16_u 2f")
	add(scalar, "i:l", "i64.load 29 i64.load32_u 35")
	add(scalar, "ii:", "i32.store 36 i32.store8 3a i32.store16 3b")
	add(scalar, "il:", "i64.store 37")
	add(scalar, "if:", "f32.store 38")

	add(vector, "i:v", "v128.load 00 v128.load8x8_s 01 v128.load8x8_u 02 v128.load16x4_u 04 v128.load32_splat 09 v128.load64_splat 0a v128.load64_zero 5d i8x16.splat 0f i16x8.splat 10 i32x4.splat 11")
	add(vector, "iv:", "v128.store 0b")
	add(vector, "iv:v", "v128.load8_lane 54 v128.load16_lane 55 v128.load32_lane 56")
	add(vector, "f:v", "f32x4.splat 13")
	add(vector, "d:v", "f64x2.splat 14")
	add(vector, "v:f", "f32x4.extract_lane 1f")
	add(vector, "v:l", "i64x2.extract_lane 1d")
	add(vector, "v:v", "i16x8.abs 80 i16x8.neg 81 f32x4.abs e0 f32x4.nearest 6a f32x4.sqrt e3 i32x4.trunc_sat_f32x4_s f8 f32x4.convert_i32x4_s fa f32x4.convert_i32x4_u fb i32x4.extend_low_i16x8_s a7 i32x4.extend_high_i16x8_s a8")
	add(vector, "v:i", "i8x16.all_true 63 i8x16.bitmask 64 i32x4.bitmask a4 i64x2.bitmask c4 i32x4.extract_lane 1b")
	add(vector, "vi:v", "i16x8.shl 8b i16x8.shr_u 8d i32x4.shl ab i32x4.shr_s ac")
	add(vector, "vvv:v", "v128.bitselect 52")
	add(vector, "vv:v", `i8x16.shuffle 0d i8x16.swizzle 0e i8x16.eq 23 i8x16.lt_u 26 i8x16.gt_u 28 i8x16.le_u 2a i8x16.ge_u 2c i16x8.gt_s 31 i32x4.eq 37 i32x4.lt_u 3a i32x4.gt_u 3c i32x4.le_u 3e f32x4.lt 43 f32x4.gt 44
		v128.and 4e v128.or 50 v128.xor 51 i8x16.narrow_i16x8_s 65 i8x16.narrow_i16x8_u 66 i8x16.add_sat_u 70 i8x16.sub_sat_u 73
		i8x16.min_u 77 i8x16.max_u 79 i16x8.q15mulr_sat_s 82 i16x8.narrow_i32x4_s 85 i16x8.add 8e i16x8.sub 91 i16x8.mul 95
		i32x4.add ae i32x4.sub b1 i32x4.mul b5 i32x4.max_s b8 i32x4.dot_i16x8_s ba i32x4.extmul_low_i16x8_s bc i32x4.extmul_high_i16x8_s bd f32x4.add e4 f32x4.sub e5 f32x4.mul e6 f32x4.div e7 f32x4.pmin ea f32x4.pmax eb
		f64x2.ne 48 f64x2.lt 49 f64x2.gt 4a f64x2.le 4b f64x2.add f0 f64x2.sub f1 f64x2.mul f2 f64x2.div f3 f64x2.pmin f6 f64x2.pmax f7`)
}

// vector returns the code of an instruction for vectors.
func vector(code byte) []byte {
	return appendUnsigned([]byte{0xfd}, int(code))
}

// add adds instructions with the types of their arguments and of their results. The list
// has their names and codes.
func add(encode func(byte) []byte, kind, list string) {
	letters := map[byte]Type{'i': I32, 'l': I64, 'f': F32, 'd': F64, 'v': V128}
	args, result, _ := strings.Cut(kind, ":")
	for pair := range slices.Chunk(strings.Fields(list), 2) {
		code, err := strconv.ParseUint(pair[1], 16, 8)
		if err != nil {
			panic(err)
		}
		o := op{code: encode(byte(code)), result: none}
		for i := range len(args) {
			o.args = append(o.args, letters[args[i]])
		}
		if result != "" {
			o.result = letters[result[0]]
		}
		ops[pair[0]] = o
	}
}
