//go:build !purego

#include "textflag.h"

// func vendor() (ebx, edx, ecx uint32)
TEXT ·vendor(SB), NOSPLIT, $0-12
	XORL AX, AX
	CPUID
	MOVL BX, ebx+0(FP)
	MOVL DX, edx+4(FP)
	MOVL CX, ecx+8(FP)
	RET

// func extended() uint32
TEXT ·extended(SB), NOSPLIT, $0-4
	MOVL $0x80000001, AX
	XORL CX, CX
	CPUID
	MOVL CX, ret+0(FP)
	RET
