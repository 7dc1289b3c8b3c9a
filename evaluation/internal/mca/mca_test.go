package mca

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listing is what llvm-objdump prints of a function with two loops, one of which has two ways
// through it, in a third one.
const listing = `
0000000000001000 <other>:
    1000:      	b	0x1000 <other>
0000000000001010 <fast.sumNEON.abi0>:
    1010:      	mov	x2, #0x10               // =16
    1014:      	ldr	q0, [x0], #0x10
    1018:      	subs	x2, x2, #0x1
    101c:      	b.ne	0x1014 <fast.sumNEON.abi0+0x4>
    1020:      	ldrb	w3, [x1], #0x1
    1024:      	cbz	w3, 0x1030 <fast.sumNEON.abi0+0x20>
    1028:      	add	x4, x4, x3
    102c:      	b	0x1034 <fast.sumNEON.abi0+0x24>
    1030:      	add	x5, x5, #0x1
    1034:      	tbz	w4, #0x3, 0x1020 <fast.sumNEON.abi0+0x10>
    1038:      	cbnz	x5, 0x1010 <fast.sumNEON.abi0>
    103c:      	cbz	x6, 0x1048 <fast.sumNEON.abi0+0x38>
    1040:      	sub	x6, x6, #0x1
    1044:      	b	0x103c <fast.sumNEON.abi0+0x2c>
    1048:      	cbz	x7, 0x1054 <fast.sumNEON.abi0+0x44>
    104c:      	sub	x7, x7, #0x1
    1050:      	b	0x1044 <fast.sumNEON.abi0+0x34>
    1054:      	ret
`

// source is that function in Go's assembler.
const source = `
TEXT ·sumNEON(SB), NOSPLIT, $0-8
all:
	MOVD $16, R2
	PCALIGN $32

vectors:
	FMOVQ.P 16(R0), F0
	SUBS $1, R2, R2
	BNE vectors

pixels:
	MOVBU.P 1(R1), R3
	CBZ R3, zero
	ADD R3, R4
	JMP next
zero:
	ADD $1, R5
next:
	TBZ $3, R4, pixels
	CBNZ R5, all
down:
	CBZ R6, odd
	SUB $1, R6
back:
	B down
odd:
	CBZ R7, done
	SUB $1, R7
	B back
done:
	RET
`

// TestLoops checks the loops of a function, their labels, and the way through them.
func TestLoops(t *testing.T) {
	f, err := parse(strings.NewReader(listing), regexp.MustCompile("NEON"))
	require.NoError(t, err)
	require.Len(t, f, 1)
	require.Equal(t, []Loop{
		{"ldr\tq0, [x0], #0x10", "subs\tx2, x2, #0x1", "b.ne\tloop"},
		{"ldrb\tw3, [x1], #0x1", "cbz\tw3, loop", "add\tx4, x4, x3", "b\tloop", "tbz\tw4, #0x3, loop"},
		{"cbz\tx6, loop", "sub\tx6, x6, #0x1", "b\tloop"},
		nil, // which jumps into the one before it
	}, f.Loops("fast.sumNEON.abi0"))
	labels, err := Labels(strings.NewReader(source))
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"sumNEON": {"vectors", "pixels", "down", "back"}}, labels)
}

// TestCycles checks that a chain of additions takes a cycle each, and independent ones less.
func TestCycles(t *testing.T) {
	if _, err := exec.LookPath("llvm-mca-" + Version); err != nil {
		t.Skip(err)
	}
	chain, err := Loop{"add\tx1, x1, x2", "add\tx1, x1, x2", "add\tx1, x1, x2"}.Cycles("neoverse-n1")
	require.NoError(t, err)
	require.InDelta(t, 3, chain, .1)
	free, err := Loop{"add\tx1, x4, x2", "add\tx2, x4, x5", "add\tx3, x4, x6"}.Cycles("neoverse-n1")
	require.NoError(t, err)
	require.InDelta(t, 1, free, .1)
	_, err = Loop{"nonsense"}.Cycles("neoverse-n1")
	require.Error(t, err)
}
