package main

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fastcorners/fast/evaluation/internal/mca"
)

// neonLoops are loops of OpenCV's algorithms.
//
//go:embed neon/loops.cc
var neonLoops []byte

// neonProcessors are the names of processors, as they are read and for LLVM.
var neonProcessors = []struct{ name, llvm string }{
	{"Neoverse N1", "neoverse-n1"},
	{"Neoverse V2", "neoverse-v2"},
	{"Apple M1", "apple-m1"},
}

// A round is so many rounds of a loop of a function, which for Go's has a label.
type round struct {
	function, label string
	times           float64
}

// A counterpart is what a kernel and loops of OpenCV's algorithm do.
type counterpart struct {
	what         string
	ours, theirs []round
}

// neonCounterparts are the kernels that have one.
var neonCounterparts = []counterpart{
	{"fast: first test of 64 pixels", []round{{"fast.screenNEON", "Many", 1}}, []round{{"fast_test", "", 4}}},
	{"fast: arcs of 9, 16 pixels", []round{{"fast.exact9NEON", "block", 1}}, []round{{"fast_ring", "", 25}}},
	{"match: 8 pairs of 256 bits", []round{{"match.findNEON", "block", 1}}, []round{{"hamming", "", 8}}},
	{"match: 2 pairs of vectors of SIFT", []round{{"match.findL2NEON", "step", 1}}, []round{{"squares", "", 16}}},
	{"match: the same with dot products", []round{{"match.findL2DotProd", "step", 0.5}}, []round{{"squares", "", 16}}},
	{"flow: step, row of 21 columns", []round{{"flow.stepNEON", "blocks2tail5Row", 1}}, []round{{"flow_step", "", 1}}},
	{"flow: 16 pixels of a level", []round{{"flow.downNEON", "columns", 1}}, []round{{"down_row", "", 4}, {"down_columns", "", 1}}},
	{
		"harris: sums of 3 by 3 and eigenvalues, 8 pixels",
		[]round{{"tensor.slide3NEON", "block", 1}},
		[]round{{"tensor_products", "", 2}, {"tensor_rows", "", 8}, {"tensor_columns", "", 6}, {"tensor_responses", "", 2}},
	},
	{"harris: Refine, a pixel of 4 points", []round{{"harris.refineMomentsNEON", "columns", 1}}, []round{{"refine", "", 4}}},
	{"orb: 56 smoothed pixels", []round{{"orb.smoothNEON", "rows", 1}}, []round{{"smooth_row", "", 14}, {"smooth_columns", "", 3.5}}},
	{"sift: a tap of 16 pixels of a row", []round{{"sift.rowsNEON", "taps", 1}}, []round{{"filter_row", "", 4}}},
	{"warp: 8 gray pixels", []round{{"warp.linearGrayNEON", "group", 1}}, []round{{"warp_places", "", 1}, {"warp", "", 1}}},
}

// A neonFunction is one of a package or of OpenCV's loops, with its loops for each processor.
type neonFunction struct {
	labels []string
	loops  [][]mca.Loop // by processor
}

// cycles returns those of rounds on the processor of this index.
func cycles(functions map[string]neonFunction, rounds []round, processor int) (float64, error) {
	sum := 0.0
	for _, r := range rounds {
		f := functions[r.function]
		i := slices.Index(f.labels, r.label)
		if i < 0 {
			return 0, fmt.Errorf("function %s has no loop %s, only %q", r.function, r.label, f.labels)
		}
		n, err := f.loops[processor][i].Cycles(neonProcessors[processor].llvm)
		if err != nil {
			return 0, err
		}
		sum += r.times * n
	}
	return sum, nil
}

// neonKernels returns the functions of the packages, which are compiled into a program in dir.
func (s *session) neonKernels(dir string) (map[string]neonFunction, error) {
	program := filepath.Join(dir, "kernels")
	build := exec.Command("go", "build", "-o", program, "./figures")
	build.Dir = filepath.Join(s.root, "evaluation")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w: %s", err, out)
	}
	const module = "github.com/fastcorners/fast"
	code, err := mca.Disassemble(program, regexp.MustCompile(`^`+module+`[/.].*(NEON|DotProd)\.abi0$`))
	if err != nil {
		return nil, err
	}
	functions := map[string]neonFunction{}
	for symbol := range code {
		at := strings.TrimSuffix(symbol, ".abi0")
		slash := strings.LastIndex(at, "/")
		dot := slash + strings.Index(at[slash:], ".")
		file, err := os.Open(filepath.Join(s.root, strings.TrimPrefix(at[:dot], module), "simd_arm64.s"))
		if err != nil {
			return nil, err
		}
		labels, err := mca.Labels(file)
		file.Close()
		if err != nil {
			return nil, err
		}
		f := neonFunction{labels: labels[at[dot+1:]]}
		loops := code.Loops(symbol)
		if len(loops) != len(f.labels) {
			return nil, fmt.Errorf("%s has %d loops, and its source %d", symbol, len(loops), len(f.labels))
		}
		for range neonProcessors {
			f.loops = append(f.loops, loops)
		}
		functions[path.Base(at)] = f
	}
	return functions, nil
}

// neonPeers returns the functions of OpenCV's algorithms, which are compiled for each processor.
func neonPeers(dir string) (map[string]neonFunction, error) {
	source := filepath.Join(dir, "loops.cc")
	if err := os.WriteFile(source, neonLoops, 0o666); err != nil {
		return nil, err
	}
	functions := map[string]neonFunction{}
	for _, p := range neonProcessors {
		object := filepath.Join(dir, p.llvm+".o")
		compile := exec.Command("clang++-"+mca.Version, "--target=aarch64-linux-gnu", "-mcpu="+p.llvm, "-O3", "-fno-unroll-loops", "-ffreestanding", "-c", "-o", object, source)
		if out, err := compile.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("clang++: %w: %s", err, out)
		}
		code, err := mca.Disassemble(object, regexp.MustCompile(`.`))
		if err != nil {
			return nil, err
		}
		for name := range code {
			loops := code.Loops(name)
			if len(loops) != 1 {
				return nil, fmt.Errorf("%s has %d loops for %s", name, len(loops), p.name)
			}
			functions[name] = neonFunction{[]string{""}, append(functions[name].loops, loops)}
		}
	}
	return functions, nil
}

// neon tells the cycles of the kernels for NEON by models of processors.
func neon(s *session) (map[string][]byte, error) {
	for _, name := range []string{"llvm-mca-", "llvm-objdump-", "clang++-"} {
		if _, err := exec.LookPath(name + mca.Version); err != nil {
			return nil, skipError(name + mca.Version + " is missing: apt-get install llvm-" + mca.Version + " clang-" + mca.Version)
		}
	}
	dir, err := os.MkdirTemp("", "neon")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	kernels, err := s.neonKernels(dir)
	if err != nil {
		return nil, err
	}
	theirs, err := neonPeers(dir)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(kernels))
	if s.quick {
		names = names[:5]
	}
	s.steps(len(neonCounterparts) + len(names))

	header := []string{"loop"}
	for _, p := range neonProcessors {
		header = append(header, p.name)
	}
	var beside [][]string
	for _, c := range neonCounterparts {
		row := []string{c.what}
		for i := range neonProcessors {
			a, err := cycles(kernels, c.ours, i)
			if err != nil {
				return nil, err
			}
			b, err := cycles(theirs, c.theirs, i)
			if err != nil {
				return nil, err
			}
			row = append(row, fmt.Sprintf("%.1f, %.1f (%.1f)", a, b, b/a))
		}
		beside = append(beside, row)
		s.step()
	}
	var all [][]string
	for _, name := range names {
		f := kernels[name]
		for i, label := range f.labels {
			if len(f.loops[0][i]) == 0 {
				continue
			}
			row := []string{name + ": " + label, fmt.Sprint(len(f.loops[0][i]))}
			for k := range neonProcessors {
				n, err := cycles(kernels, []round{{name, label, 1}}, k)
				if err != nil {
					return nil, err
				}
				row = append(row, fmt.Sprintf("%.1f", n))
			}
			all = append(all, row)
		}
		s.step()
	}
	return map[string][]byte{"neon.md": s.stamp.markdown("Kernels for NEON, by the model of the processor, not measured", 0,
		"There was no arm64 processor to measure on. These are cycles by the models of LLVM "+mca.Version+" (llvm-mca), which know the ports and the latencies of a processor. "+
			"All data is in the first cache, no branch is mispredicted, and rounds follow each other. That of Apple's M1 is the model of the older Cyclone, with fewer ports: "+
			"LLVM has no other. Nobody checked them against these processors: with one, please "+
			"run `corners bench -share`.",
		"## Beside OpenCV's algorithms",
		"Cycles of a kernel, then those of [loops](../figures/neon/loops.cc) that do the same as OpenCV's algorithm does it, compiled by clang "+mca.Version+
			" with -O3 for that processor, and in parentheses how many times as long they take. They are written for this page with NEON's intrinsics, "+
			"with OpenCV's types of numbers and without what is around the loops.",
		table(1, header, beside),
		"## All loops",
		"The loops that have no other one in them, from the label on, by function. Where there are two ways through a loop, the first one counts. "+
			"The [notes](../../notes/neon.md) tell how they were chosen.",
		table(1, slices.Concat([]string{"loop", "instructions"}, header[1:]), all))}, nil
}
