package main

import "github.com/fastcorners/fast/_asm/internal/neon"

// A neonFunction is a function for NEON.
type neonFunction struct {
	neon.Function
	prefix string // of labels
}

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	f := &neonFunction{Function: neon.Function{Assembler: a}}
	f.tables()
	f.down()
	f.template()
	f.tensor()
	f.step()
	f.difference()
}

// within emits a loop over n things, n >= atOnce, that does atOnce of them at a time. The last
// time ends with the last one: back emits how to move on by n, which is not positive then. body
// moves on by atOnce.
func (f *neonFunction) within(label string, n neon.R, atOnce int, body, back func()) {
	f.SUBS(neon.Imm(atOnce), n, n)
	f.BEQ(label + "Last")
	f.Loop(label)
	f.Scope(body)
	f.SUBS(neon.Imm(atOnce), n, n)
	f.BGT(label)
	f.Label(label + "Last")
	back()
	f.Scope(body)
}
