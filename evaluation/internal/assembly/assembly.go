// Package assembly counts the vector operations in the generated assembly of
// package fast.
//
// An operation is an instruction that computes a vector, or a mask from one:
// arithmetic, logic, comparisons and shuffles. Loads, stores and moves are none,
// nor is what is done to masks and integers.
package assembly

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A Function is the code of an assembly function.
type Function struct {
	name  string
	lines []line
}

// A line is a label, a comment or an instruction.
type line struct {
	label, comment string
	op, args       string
}

// Parse reads a file as avo writes it and returns its functions by their names.
func Parse(r io.Reader) (map[string]*Function, error) {
	functions := map[string]*Function{}
	f := new(Function) // what comes before the first function
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		text := strings.TrimSpace(scanner.Text())
		if name, ok := strings.CutPrefix(text, "TEXT ·"); ok {
			name, _, _ = strings.Cut(name, "(")
			f = &Function{name: name}
			functions[name] = f
			continue
		}
		var l line
		if comment, ok := strings.CutPrefix(text, "//"); ok {
			l.comment = strings.TrimSpace(comment)
		} else if label, ok := strings.CutSuffix(text, ":"); ok {
			l.label = label
		} else {
			l.op, l.args, _ = strings.Cut(text, " ")
			l.args = strings.TrimSpace(l.args)
		}
		f.lines = append(f.lines, l)
	}
	return functions, scanner.Err()
}

// isVector reports whether l is an operation.
func (l line) isVector() bool {
	op := strings.TrimPrefix(l.op, "V")
	for _, prefix := range []string{"PCALIGN", "PREFETCH", "POP", "PUSH", "PEXT", "PDEP"} {
		if strings.HasPrefix(op, prefix) {
			return false
		}
	}
	return strings.HasPrefix(op, "P") || strings.HasPrefix(op, "INSERT")
}

// isJump reports whether l jumps.
func (l line) isJump() bool {
	return strings.HasPrefix(l.op, "J")
}

// from returns the lines after a label.
func (f *Function) from(label string) ([]line, error) {
	for i, l := range f.lines {
		if l.label == label {
			return f.lines[i+1:], nil
		}
	}
	return nil, f.lacks("the label " + label)
}

func (f *Function) lacks(what string) error {
	return fmt.Errorf("assembly: function %s lacks %s", f.name, what)
}

// A Block is how many operations a block kernel does for one block.
type Block struct {
	Setup  int    // always
	Checks [8]int // in each check
	Exact  int    // in the exact test of what is left
}

// Block counts the operations of a block kernel.
func (f *Function) Block() (Block, error) {
	lines, err := f.from("block")
	if err != nil {
		return Block{}, err
	}
	var b Block
	part := &b.Setup
	for _, l := range lines {
		var check int
		switch {
		case l.label == "next" && part == &b.Exact:
			return b, nil
		case strings.HasPrefix(l.comment, "Something is left"):
			part = &b.Exact
		case l.isVector():
			*part++
		}
		if n, _ := fmt.Sscanf(l.comment, "Check %d:", &check); n == 1 && 1 <= check && check <= len(b.Checks) {
			part = &b.Checks[check-1]
		}
	}
	return Block{}, f.lacks("an exact test before the label next")
}

// Screen counts the operations that the first stage of a sieve does for one
// block.
func (f *Function) Screen() (float64, error) {
	lines, err := f.from("block")
	if err != nil {
		return 0, err
	}
	// The loop does several blocks and stores a mask for each.
	operations, blocks := 0, 0
	for _, l := range lines {
		switch {
		case l.isJump() && l.args == "block" && blocks > 0:
			return float64(operations) / float64(blocks), nil
		case strings.HasPrefix(l.op, "MOVQ") || strings.HasPrefix(l.op, "KMOVQ"):
			blocks++
		case l.isVector():
			operations++
		}
	}
	return 0, f.lacks("a loop that stores masks")
}

// Exact counts the operations that the second stage of a sieve does for one
// block when there are no scores to store.
func (f *Function) Exact() (int, error) {
	lines, err := f.from("block")
	if err != nil {
		return 0, err
	}
	operations := 0
	for _, l := range lines {
		switch {
		case l.isJump(): // over the scores, or to the next block
			return operations, nil
		case l.isVector():
			operations++
		}
	}
	return 0, f.lacks("a loop")
}
