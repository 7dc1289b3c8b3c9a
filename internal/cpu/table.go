package cpu

import (
	"iter"
	"math/bits"
	"slices"
)

// Portable is the name of rows of portable Go.
const Portable = "portable"

// A Row is an implementation of a package's kernels.
type Row[K any] struct {
	Name    string // of the instruction set, such as avx2
	Needs   Set    // every feature that the kernels use
	Kernels K
}

// A Table holds the implementations of a package's kernels that this platform has, the
// fastest first. The last one is portable Go, which every processor runs.
type Table[K any] []Row[K]

// NewTable returns a package's table: the given rows and one of portable Go. It registers
// the rows for [InstructionSets], so it is called for package variables only.
func NewTable[K any](pkg string, portable K, rows ...Row[K]) Table[K] {
	t := append(Table[K](rows), Row[K]{Portable, 0, portable})
	for _, r := range t {
		registered = append(registered, registration{pkg, InstructionSet{r.Name, r.Needs}})
	}
	return t
}

// Best returns the first kernels of the table that need nothing but what the processor has.
func (t Table[K]) Best() *K {
	for i := range t {
		if Has(t[i].Needs) {
			return &t[i].Kernels
		}
	}
	panic("cpu: a table without portable Go")
}

// Available returns the rows that the processor can run. Within Limit(row.Needs) the row
// is the best one.
func (t Table[K]) Available() iter.Seq[*Row[K]] {
	return func(yield func(*Row[K]) bool) {
		for i := range t {
			if Has(t[i].Needs) && !yield(&t[i]) {
				return
			}
		}
	}
}

// An InstructionSet is what rows with a name need, of one package or of several.
type InstructionSet struct {
	Name string
	Set  Set
}

// A registration is a row of a package's table.
type registration struct {
	pkg string
	InstructionSet
}

var registered []registration

// Rows returns the packages of all tables that the program has with the instruction set of
// each of their rows, also of those that the processor cannot run.
func Rows() iter.Seq2[string, InstructionSet] {
	return func(yield func(string, InstructionSet) bool) {
		for _, r := range registered {
			if !yield(r.pkg, r.InstructionSet) {
				return
			}
		}
	}
}

// InstructionSets returns the instruction sets that the packages have kernels for which
// the processor can run, portable Go first, then those with fewer features. Without
// packages it returns those of all that the program has. Within Limit(s.Set) every
// package takes its row of the name, or the best one that needs less.
func InstructionSets(packages ...string) []InstructionSet {
	var sets []InstructionSet
	for _, r := range registered {
		if len(packages) > 0 && !slices.Contains(packages, r.pkg) || !Has(r.Set) {
			continue
		}
		i := slices.IndexFunc(sets, func(s InstructionSet) bool { return s.Name == r.Name })
		if i < 0 {
			sets = append(sets, r.InstructionSet)
		} else {
			sets[i].Set |= r.Set
		}
	}
	// These few are sorted by insertion, since package slices would make programs 8 KB larger.
	for i := range sets {
		for ; i > 0 && sets[i].before(sets[i-1]); i-- {
			sets[i], sets[i-1] = sets[i-1], sets[i]
		}
	}
	return sets
}

// before reports whether s needs fewer features than t, or as many and has a smaller name.
func (s InstructionSet) before(t InstructionSet) bool {
	features := bits.OnesCount32(uint32(s.Set)) - bits.OnesCount32(uint32(t.Set))
	return features < 0 || features == 0 && s.Name < t.Name
}
