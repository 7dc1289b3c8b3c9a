// Package encodings proves the instructions for arm64 that Go's assembler lacks and the
// generator therefore encodes: it has a function for each, which its test compares with
// what the instruction is meant to do.
package encodings

//go:generate go -C ../../_asm run ./encodings
