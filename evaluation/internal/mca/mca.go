// Package mca tells how many cycles loops of arm64 take by LLVM's models of processors. It needs
// llvm-objdump and llvm-mca, of [Version].
package mca

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of LLVM, with which the names of its programs end.
const Version = "19"

// An instruction is one of a function.
type instruction struct {
	address, target uint64 // target is 0 unless the instruction jumps
	text            string // with the name of a label for a target
}

// Functions are the functions of a program or an object file by their names.
type Functions map[string][]instruction

// Disassemble returns the functions of a file whose names the expression matches.
func Disassemble(file string, names *regexp.Regexp) (Functions, error) {
	out, err := run(nil, "llvm-objdump-"+Version, "--disassemble", "--no-show-raw-insn", "--demangle", file)
	if err != nil {
		return nil, err
	}
	return parse(bytes.NewReader(out), names)
}

// run returns what a program prints, or an error with its complaint.
func run(stdin io.Reader, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = stdin, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, stderr.String())
	}
	return out, nil
}

var (
	header = regexp.MustCompile(`^[0-9a-f]+ <(.*)>:$`)
	line   = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(.*)$`)
	// place is an address in the code with the symbol before it.
	place = regexp.MustCompile(`0x([0-9a-f]+) <[^>]*>`)
	// jump matches the instructions that jump and come back to where they are, in loops.
	jump = regexp.MustCompile(`^(b|b\.[a-z]+|cbn?z|tbn?z)\s`)
)

// parse reads what llvm-objdump prints.
func parse(r io.Reader, names *regexp.Regexp) (Functions, error) {
	list := Functions{}
	name := ""
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if m := header.FindStringSubmatch(scanner.Text()); m != nil {
			if name = m[1]; !names.MatchString(name) {
				name = ""
			}
			continue
		}
		m := line.FindStringSubmatch(scanner.Text())
		if m == nil || name == "" {
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return nil, err
		}
		text, _, _ := strings.Cut(m[2], "//")
		i := instruction{address: address, text: place.ReplaceAllString(strings.TrimSpace(text), "loop")}
		if target := place.FindStringSubmatch(text); target != nil && jump.MatchString(text) {
			if i.target, err = strconv.ParseUint(target[1], 16, 64); err != nil {
				return nil, err
			}
		}
		list[name] = append(list[name], i)
	}
	return list, scanner.Err()
}

// A Loop is the code of a round of a loop in which there is no other one. Of two ways through it is
// the one that comes first: conditional jumps are not taken, but that at the end.
type Loop []string

// Loops returns those of a function, in the order of the code. One is empty if the way through it
// does not lead back.
func (f Functions) Loops(name string) []Loop {
	code := f[name]
	ends := map[int]int{} // by the first instruction
	for i, in := range code {
		if in.target == 0 || in.target > in.address {
			continue
		}
		if start := slices.IndexFunc(code, func(c instruction) bool { return c.address == in.target }); start >= 0 {
			ends[start] = i
		}
	}
	var loops []Loop
	for _, start := range innermost(ends) {
		loops = append(loops, path(code[start:ends[start]+1]))
	}
	return loops
}

// path returns the loop that consists of the code.
func path(code []instruction) Loop {
	var l Loop
	for i := 0; i < len(code); i++ {
		in := code[i]
		l = append(l, in.text)
		if !strings.HasPrefix(in.text, "b\t") {
			continue
		}
		switch to := slices.IndexFunc(code, func(c instruction) bool { return c.address == in.target }); {
		case to < 0:
			return nil
		case to == 0:
			return l
		default:
			i = to - 1
		}
	}
	return l
}

// innermost returns the starts of loops that contain no other one, in order.
func innermost(ends map[int]int) []int {
	var starts []int
	for start, end := range ends {
		inner := true
		for other := range ends {
			inner = inner && (other <= start || ends[other] > end)
		}
		if inner {
			starts = append(starts, start)
		}
	}
	slices.Sort(starts)
	return starts
}

// Labels returns the labels of loops in the assembly of Go, in the order of Loops, by the names of the functions.
func Labels(r io.Reader) (map[string][]string, error) {
	labels := map[string][]string{}
	var name string
	var at []string // the labels, by line
	ends := map[int]int{}
	finish := func() {
		for _, start := range innermost(ends) {
			labels[name] = append(labels[name], at[start])
		}
	}
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		text := strings.TrimSpace(scanner.Text())
		label := ""
		if function, ok := strings.CutPrefix(text, "TEXT ·"); ok {
			finish()
			name, _, _ = strings.Cut(function, "(")
			at, ends = nil, map[int]int{}
		} else if l, ok := strings.CutSuffix(text, ":"); ok {
			label = l
		} else if fields := strings.Fields(text); len(fields) > 1 {
			if start := slices.Index(at, fields[len(fields)-1]); start >= 0 {
				ends[start] = len(at)
			}
		}
		at = append(at, label)
	}
	finish()
	return labels, scanner.Err()
}

// iterations of a loop are simulated.
const iterations = 100

var total = regexp.MustCompile(`Total Cycles: +([0-9]+)`)

// Cycles returns how many cycles a round of the loop takes on a processor, by its name for -mcpu,
// when all data is in the first cache, and no branch is
// mispredicted.
func (l Loop) Cycles(processor string) (float64, error) {
	code := "loop:\n" + strings.Join(l, "\n") + "\n"
	out, err := run(strings.NewReader(code), "llvm-mca-"+Version, "-mtriple=aarch64", "-mcpu="+processor, "-iterations="+strconv.Itoa(iterations))
	if err != nil {
		return 0, err
	}
	m := total.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("llvm-mca printed %q", out)
	}
	n, err := strconv.Atoi(string(m[1]))
	return float64(n) / iterations, err
}
