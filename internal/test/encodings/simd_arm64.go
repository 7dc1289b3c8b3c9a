//go:build !purego

package encodings

// operands holds pairs of operands of an instruction and the results, to which some
// instructions add. The instruction is executed once for each place, with different registers.
type operands struct {
	xy     [places][2][16]byte
	result [places][16]byte
}

const places = 7

// The functions of simd_arm64.s. Those with one operand use the first one of a pair.

//go:noescape
func vuqsubb16(r *operands)

//go:noescape
func vsmaxh8(r *operands)

//go:noescape
func vcmgth8(r *operands)

//go:noescape
func vfsqrtd2(r *operands)

//go:noescape
func vcmhib16(r *operands)

//go:noescape
func vcmhsb16(r *operands)

//go:noescape
func vfadds4(r *operands)

//go:noescape
func vfsubs4(r *operands)

//go:noescape
func vfmuls4(r *operands)

//go:noescape
func vfdivs4(r *operands)

//go:noescape
func vuaddlpb16(r *operands)

//go:noescape
func vuaddlph8(r *operands)

//go:noescape
func vfmaxnms4(r *operands)

//go:noescape
func vfminnms4(r *operands)

//go:noescape
func vfrintms4(r *operands)

//go:noescape
func vfsqrts4(r *operands)

//go:noescape
func vscvtfs4(r *operands)

//go:noescape
func vucvtfs4(r *operands)

//go:noescape
func vfcvtnss4(r *operands)

//go:noescape
func vfcvtzss4(r *operands)

//go:noescape
func vsmlalh4(r *operands)

//go:noescape
func vsmlal2h8(r *operands)

//go:noescape
func vsmlslh4(r *operands)

//go:noescape
func vsmlsl2h8(r *operands)

//go:noescape
func vmlas4(r *operands)

//go:noescape
func vsxtlb8(r *operands)

//go:noescape
func vsxtl2b16(r *operands)

//go:noescape
func vumullb8(r *operands)

//go:noescape
func vumull2b16(r *operands)

//go:noescape
func vabsh8(r *operands)

//go:noescape
func vuadalph8(r *operands)

//go:noescape
func vrshrn9s4(r *operands)

//go:noescape
func vrshrn29s4(r *operands)

//go:noescape
func vrshrn14s4(r *operands)

//go:noescape
func vrshrn214s4(r *operands)

//go:noescape
func vrshrn8h8(r *operands)

//go:noescape
func vrshrn28h8(r *operands)

//go:noescape
func vmlah8(r *operands)

//go:noescape
func vsmullh4(r *operands)

//go:noescape
func vsmull2h8(r *operands)

//go:noescape
func vumlalb8(r *operands)

//go:noescape
func vumlal2b16(r *operands)

//go:noescape
func vuaddlb8(r *operands)

//go:noescape
func vuaddl2b16(r *operands)

//go:noescape
func vusublb8(r *operands)

//go:noescape
func vfaddd2(r *operands)

//go:noescape
func vfsubd2(r *operands)

//go:noescape
func vfmuld2(r *operands)

//go:noescape
func vfcvtls2(r *operands)

//go:noescape
func vfcvtl2s4(r *operands)

//go:noescape
func vfcvtnd2(r *operands)

//go:noescape
func vfcvtn2d2(r *operands)

//go:noescape
func vsshls4(r *operands)

//go:noescape
func vcmhis4(r *operands)

//go:noescape
func vfcmgts4(r *operands)

//go:noescape
func vfdivd2(r *operands)

//go:noescape
func vfmaxnmd2(r *operands)

//go:noescape
func vfminnmd2(r *operands)

//go:noescape
func vfcmgtd2(r *operands)

//go:noescape
func vfcmged2(r *operands)

//go:noescape
func vrshrn10s4(r *operands)

//go:noescape
func vrshrn210s4(r *operands)

//go:noescape
func vfcmeq0d2(r *operands)

//go:noescape
func vfcvtnsd2(r *operands)

//go:noescape
func vuabdb16(r *operands)

//go:noescape
func vudot0b16(r *operands)

//go:noescape
func vudot1b16(r *operands)

//go:noescape
func vudot2b16(r *operands)

//go:noescape
func vudot3b16(r *operands)

//go:noescape
func vfcmges4(r *operands)

//go:noescape
func vsxtls2(r *operands)

//go:noescape
func vsxtl2s4(r *operands)

//go:noescape
func vusubl2b16(r *operands)

//go:noescape
func vusubls2(r *operands)

//go:noescape
func vusubl2s4(r *operands)

//go:noescape
func vsmlalword0h4(r *operands)

//go:noescape
func vsmlalword1h4(r *operands)

//go:noescape
func vsmlal2word0h8(r *operands)

//go:noescape
func vsmlal2word1h8(r *operands)

//go:noescape
func vfmaxs4(r *operands)

//go:noescape
func vfmins4(r *operands)

//go:noescape
func vfaddps4(r *operands)

//go:noescape
func vuadalpb16(r *operands)

//go:noescape
func vrshrn2h8(r *operands)

//go:noescape
func vrshrn22h8(r *operands)

//go:noescape
func vsqdmulhh8(r *operands)
