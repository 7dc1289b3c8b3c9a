// Package machine has what the program asks the machine.
package machine

import "github.com/fastcorners/fast/internal/program/cli"

// Memory returns how much memory the machine has, or less if the container that the program runs in
// has less. It returns 0 where it is not known.
func Memory() cli.ByteSize { return memory() }
