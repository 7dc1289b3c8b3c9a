// Package encodings checks the instructions for arm64 that Go's assembler lacks and that the
// generator therefore encodes: it has a function for each, and its test compares what the
// function does with the meaning of the instruction.
package encodings

//go:generate go -C ../../../_asm run ./encodings
