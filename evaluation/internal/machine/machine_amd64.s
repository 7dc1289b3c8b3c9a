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

// CX rounds of some operations.
#define ROUNDS(OPS) \
	PCALIGN $64; \
loop: \
	OPS; \
	DECQ CX; \
	JNE  loop

// func minimaSSE2(n int)
TEXT ·minimaSSE2(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	ROUNDS(X12(MINX) X12(MINX))
	RET

// func minimaAVX2(n int)
TEXT ·minimaAVX2(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	ROUNDS(Y12(MINY) Y12(MINY))
	VZEROUPPER
	RET

// func minimaAVX512(n int)
TEXT ·minimaAVX512(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	ROUNDS(Z12(MINZ) Z12(MINZ))
	VZEROUPPER
	RET

// Loads, and the step to the next ones.
#define LOADZ(OFFSET, R) VMOVDQU8 OFFSET(SI), R;
#define LOADY(OFFSET, R) VMOVDQU OFFSET(SI), R;
#define NEXT ADDQ $256, SI

// func readAVX512(p *byte, n int)
TEXT ·readAVX512(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	ROUNDS(LOADZ(0, Z0) LOADZ(64, Z1) LOADZ(128, Z2) LOADZ(192, Z3) NEXT)
	VZEROUPPER
	RET

// func readAVX2(p *byte, n int)
TEXT ·readAVX2(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	ROUNDS(LOADY(0, Y0) LOADY(32, Y1) LOADY(64, Y2) LOADY(96, Y3) LOADY(128, Y4) LOADY(160, Y5) LOADY(192, Y6) LOADY(224, Y7) NEXT)
	VZEROUPPER
	RET
