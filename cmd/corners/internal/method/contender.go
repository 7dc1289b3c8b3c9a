package method

import (
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/cpu"
)

// A Contender is one of several implementations of a method.
type Contender struct {
	Name string
	Run  func(img *image.Gray)
}

// Contenders returns the implementations of a method: the kernels of method fast, or one for each
// instruction set of the packages. Each has a method that fresh returns, with the flags of the
// command line.
func (i Info) Contenders(fresh func() Method) ([]Contender, error) {
	if i.Packages == nil {
		return kernels(fresh)
	}
	return sets(i.Packages, fresh)
}

// sets returns a Contender for each instruction set of the packages. Each has a method
// that fresh returns, with the flags of the command line.
func sets(packages []string, fresh func() Method) ([]Contender, error) {
	var list []Contender
	for _, i := range cpu.InstructionSets(packages...) {
		m := fresh()
		restore := cpu.Limit(i.Set)
		err := m.Prepare(1)
		restore()
		if err != nil {
			return nil, err
		}
		repeat := m.Repeater()
		list = append(list, Contender{i.Name, func(img *image.Gray) {
			defer cpu.Limit(i.Set)()
			repeat(img)
		}})
	}
	return list, nil
}

// kernels returns a Contender for each kernel that this processor has, or only for
// that of the flag -kernel.
func kernels(fresh func() Method) ([]Contender, error) {
	if err := fresh().Prepare(1); err != nil {
		return nil, err
	}
	var list []Contender
	for _, k := range fast.Kernels() {
		m := fresh().(*fastMethod)
		if asked := m.opts.Kernel; asked != fast.Auto && asked != k {
			continue
		}
		m.opts.Kernel = k
		if m.Prepare(1) != nil {
			continue // it does not serve the arc
		}
		list = append(list, Contender{k.String(), m.Repeater()})
	}
	return list, nil
}
