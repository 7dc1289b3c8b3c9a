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
	"github.com/fastcorners/fast/overlay"
)

// A method is a way to find corners or keypoints, with flags of its own.
type method interface {
	// define defines the flags that not all methods have.
	define(flags *flagSet)
	// prepare makes what find needs, as the flags say.
	prepare(workers int) error
	// find returns what there is in an image where the mask, if there is one, is
	// not 0.
	find(img, mask *image.Gray) finding
	// repeater returns a function that does what the time in the table is measured of,
	// for one goroutine.
	repeater() func(img *image.Gray)
	// memory returns how many bytes find takes for a pixel, at most for photos.
	memory() int64
}

// A finding is what a method found in an image.
type finding struct {
	cells  []any             // of the table, those of the method
	count  int               // the number of corners or keypoints
	record func(i int) []any // the columns of one of them
	draw   func(dst draw.Image)
}

// A methodInfo is what the program knows of a method.
type methodInfo struct {
	name, summary string
	new           func() method
	// contenders returns what corners bench compares. It calls fresh for methods with
	// the flags of the command line, which are not prepared.
	contenders func(fresh func() method) ([]contender, error)

	things  string   // that it finds: corners or keypoints
	titles  []string // of its columns in a table
	columns []string // of a corner or keypoint
	members []string // of JSON, from flags
	intro   string   // of the help text
	rest    string   // of the help text, after the report
}

// methods lists all methods. The first one is the default.
var methods = []methodInfo{
	fastInfo,
	orbInfo,
	harrisInfo("harris", "Harris corners, by the structure tensor", harris.Harris),
	harrisInfo("shi-tomasi", "Shi-Tomasi corners, the good features to track", harris.MinEigenvalue),
	lococoInfo,
	vpiInfo,
}

// A detector is the part of a method that all methods for corners share. C is the type of
// the corners.
type detector[C interface{ Pt() image.Point }] struct {
	search   func(dst []C, img, mask *image.Gray) []C // appends the corners of an image to dst
	columns  func(c C) []any
	strength func(c C) float64 // in pictures
}

func (d *detector[C]) find(img, mask *image.Gray) finding {
	corners := d.search(nil, img, mask)
	return finding{
		cells:  []any{len(corners)},
		count:  len(corners),
		record: func(i int) []any { return d.columns(corners[i]) },
		draw:   func(dst draw.Image) { overlay.Points(dst, corners, d.strength) },
	}
}

func (d *detector[C]) repeater() func(img *image.Gray) {
	var corners []C
	return func(img *image.Gray) { corners = d.search(corners[:0], img, nil) }
}

// benchTensor is for packages harris and lococo.
var benchTensor = benchSets(
	instructionSet{"portable", 0},
	instructionSet{"neon", cpu.NEON},
	instructionSet{"sse2", cpu.SSE2},
	instructionSet{"avx2", cpu.AVX2},
	instructionSet{"avx512", cpu.AVX512VNNI},
)

// A selection is what a command line says about methods.
type selection struct {
	methodInfo
	named   bool // not just the default
	help    bool // is asked for
	version bool // is asked for
}

// selectMethod returns the method that a command line asks for. It fails if there is a flag
// of another method, unless that is also one of those that define defines.
func selectMethod(args []string, define func(*flagSet)) (selection, error) {
	given := scan(args, define) // which flags there are depends on one of them
	name, named := given["method"]
	if !named {
		name = methods[0].name
	}
	if err := (choice{new(string), methodNames()}).Set(name); err != nil {
		return selection{}, fmt.Errorf("invalid value %q for flag -method: %w", name, err)
	}
	_, help := given["help"]
	s := selection{methods[slices.Index(methodNames(), name)], named, help, given["version"] == "true"}
	flags := newFlagSet(define, s.new().define)
	for _, flag := range slices.Sorted(maps.Keys(given)) {
		if flags.Lookup(flag) == nil && !help {
			return selection{}, fmt.Errorf("flag -%s is not for method %s", flag, name)
		}
	}
	return s, nil
}

// methodNames returns the names of all methods.
func methodNames() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// scan returns the flags on the command line that define defines or any method has, or that
// ask for help, up to the first one that is none of these, with their values. A request for
// help is the flag help.
func scan(args []string, define func(*flagSet)) map[string]string {
	all := newFlagSet()
	add := func(f *flag.Flag) {
		if all.Lookup(f.Name) == nil {
			all.Var(&anyValue{isBool: isBool(f)}, f.Name, "")
		}
	}
	newFlagSet(define).VisitAll(add)
	for _, m := range methods {
		newFlagSet(m.new().define).VisitAll(add)
	}
	all.Var(&anyValue{isBool: true}, "h", "")
	all.Var(&anyValue{isBool: true}, "help", "")
	all.parse(args) // an error comes again when they are read for good
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
