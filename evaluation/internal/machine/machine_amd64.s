#include "textflag.h"

// Twelve operations that do not wait for each other.
#define TWELVE(OP, A, B, C, D, E, F, G, H, I, J, K, L) \
	OP(A) \
	OP(B) \
	OP(C) \
	OP(D) \
	OP(E) \
	OP(F) \
	OP(G) \
	OP(H) \
	OP(I) \
	OP(J) \
	OP(K) \
	OP(L)

#define X12(OP) TWELVE(OP, X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11)
#define Y12(OP) TWELVE(OP, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11)
#define Z12(OP) TWELVE(OP, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11)

#define MINX(R) PMINUB X15, R;
#define MINY(R) VPMINUB Y14, Y15, R;
#define MINZ(R) VPMINUB Z14, Z15, R;

// func minimaSSE2(n int)
TEXT ·minimaSSE2(SB), NOSPLIT, $0-8
	MOVQ    n+0(FP), CX
	PCALIGN $64

loop:
	X12(MINX)
	X12(MINX)
	DECQ CX
	JNE  loop
	RET

// func minimaAVX2(n int)
TEXT ·minimaAVX2(SB), NOSPLIT, $0-8
	MOVQ    n+0(FP), CX
	PCALIGN $64

loop:
	Y12(MINY)
	Y12(MINY)
	DECQ CX
	JNE  loop
	VZEROUPPER
	RET

// func minimaAVX512(n int)
TEXT ·minimaAVX512(SB), NOSPLIT, $0-8
	MOVQ    n+0(FP), CX
	PCALIGN $64

loop:
	Z12(MINZ)
	Z12(MINZ)
	DECQ CX
	JNE  loop
	VZEROUPPER
	RET

// func readAVX512(p *byte, n int)
TEXT ·readAVX512(SB), NOSPLIT, $0-16
	MOVQ    p+0(FP), SI
	MOVQ    n+8(FP), CX
	PCALIGN $64

loop:
	VMOVDQU8 (SI), Z0
	VMOVDQU8 64(SI), Z1
	VMOVDQU8 128(SI), Z2
	VMOVDQU8 192(SI), Z3
	ADDQ     $256, SI
	DECQ     CX
	JNE      loop
	VZEROUPPER
	RET

// func readAVX2(p *byte, n int)
TEXT ·readAVX2(SB), NOSPLIT, $0-16
	MOVQ    p+0(FP), SI
	MOVQ    n+8(FP), CX
	PCALIGN $64

loop:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	VMOVDQU 128(SI), Y4
	VMOVDQU 160(SI), Y5
	VMOVDQU 192(SI), Y6
	VMOVDQU 224(SI), Y7
	ADDQ    $256, SI
	DECQ    CX
	JNE     loop
	VZEROUPPER
	RET
