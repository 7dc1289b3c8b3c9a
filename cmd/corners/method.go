package main

import (
	"flag"
	"fmt"
	"image"
	"image/draw"
	"maps"
	"slices"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
)

// A method is a way to find corners or keypoints, with flags, and a report, of its
// own.
type method interface {
	// define defines the flags that not all methods have.
	define(flags *flag.FlagSet)
	// prepare checks these flags and makes what find needs.
	prepare(workers int) error
	// find returns what there is in an image where the mask, if there is one, is
	// not 0.
	find(img *image.Gray, mask *image.Alpha) finding
	// repeater returns a function that does what the time in the table is measured of,
	// for one goroutine.
	repeater() func(img *image.Gray)
	// memory returns how many bytes find takes for a pixel, at most for photos.
	memory() int64
	// titles returns the titles of the columns: those of a table, beside the image's
	// name, size and time, and those of csv.
	titles() (table, csv []string)
	// help returns what corners -method NAME -h says before the flags and after.
	help() (intro, rest string)
}

// A finding is what a method found in an image.
type finding interface {
	drawOn(dst draw.Image)
	// cells returns what the columns of a table have.
	cells() []string
	// records calls write with what the columns of csv have, line by line.
	records(write func(cells ...string))
	// fill adds what JSON has of the method's flags and of the finding.
	fill(o *jsonObject)
}

// A methodInfo is what the program knows of a method.
type methodInfo struct {
	name, summary string
	new           func() method
	// contenders returns what corners bench compares. It calls fresh for methods with
	// the flags of the command line, which are not prepared.
	contenders func(fresh func() method) ([]contender, error)
}

// methods lists all methods. The first one is the default.
var methods = []methodInfo{
	{"fast", "FAST corners, by the segment test (the default)", func() method { return new(fastMethod) }, benchKernels},
	{"orb", "ORB keypoints, with sizes, angles and descriptors", func() method { return new(orbMethod) }, benchSets(
		instructionSet{"portable", 0},
		instructionSet{"neon", cpu.NEON},
		instructionSet{"sse2", cpu.SSE2},
		instructionSet{"avx2", cpu.AVX2FMA},
		instructionSet{"avx512", cpu.VBMI2 | cpu.AVX2FMA},
	)},
	{"harris", "Harris corners, by the structure tensor", func() method { return &harrisMethod{measure: harris.Harris} }, benchTensor},
	{"shi-tomasi", "Shi-Tomasi corners, the good features to track", func() method { return &harrisMethod{measure: harris.MinEigenvalue} }, benchTensor},
	{"lococo", "LoCoCo corners, by boxes of any size", func() method { return new(lococoMethod) }, benchTensor},
	{"vpi", "FAST corners on circles of three sizes, as VPI has them", func() method { return new(vpiMethod) }, benchSets(
		instructionSet{"portable", 0},
		instructionSet{"neon", cpu.NEON},
		instructionSet{"sse2", cpu.SSE2},
		instructionSet{"avx2", cpu.AVX2},
		instructionSet{"avx512", cpu.VBMI2},
	)},
}

// benchTensor is for packages harris and lococo.
var benchTensor = benchSets(
	instructionSet{"portable", 0},
	instructionSet{"neon", cpu.NEON},
	instructionSet{"sse2", cpu.SSE2},
	instructionSet{"avx2", cpu.AVX2},
	instructionSet{"avx512", cpu.AVX512VNNI},
)

// A choice is what a command line says about methods.
type choice struct {
	methodInfo
	named bool // not just the default
	help  bool // is asked for
}

// chooseMethod returns the method that a command line asks for. It fails if there is a flag
// of another method, unless that is also one of those that define defines.
func chooseMethod(args []string, define func(*flag.FlagSet)) (choice, error) {
	given := scan(args, define) // which flags there are depends on one of them
	name, named := given["method"]
	if !named {
		name = methods[0].name
	}
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	i, err := choose(names, name)
	if err != nil {
		return choice{}, fmt.Errorf("invalid value %q for flag -method: %w", name, err)
	}
	_, help := given["help"]
	flags := newFlagSet(define, methods[i].new().define)
	for _, flag := range slices.Sorted(maps.Keys(given)) {
		if flags.Lookup(flag) == nil && !help {
			return choice{}, fmt.Errorf("flag -%s is not for method %s", flag, name)
		}
	}
	return choice{methods[i], named, help}, nil
}

// scan returns the flags on the command line that define defines or any method has, or that
// ask for help, up to the first one that is none of these, with their values. Who asks for
// help gives the flag help.
func scan(args []string, define func(*flag.FlagSet)) map[string]string {
	defines := []func(*flag.FlagSet){define}
	for _, m := range methods {
		defines = append(defines, m.new().define)
	}
	all := newFlagSet()
	all.Var(&anyValue{isBool: true}, "h", "")
	all.Var(&anyValue{isBool: true}, "help", "")
	for _, d := range defines {
		newFlagSet(d).VisitAll(func(f *flag.Flag) {
			if all.Lookup(f.Name) == nil {
				all.Var(&anyValue{isBool: isBool(f)}, f.Name, "")
			}
		})
	}
	parseFlags(all, args) // an error comes again when they are read for good
	given := make(map[string]string)
	all.Visit(func(f *flag.Flag) { given[f.Name] = f.Value.String() })
	if _, ok := given["h"]; ok {
		given["help"] = ""
	}
	return given
}

// An anyValue is a flag that takes any value.
type anyValue struct {
	value  string
	isBool bool
}

func (v *anyValue) Set(value string) error {
	v.value = value
	return nil
}

func (v *anyValue) String() string   { return v.value }
func (v *anyValue) IsBoolFlag() bool { return v.isBool }
