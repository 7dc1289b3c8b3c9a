package main

import (
	"flag"
	"fmt"
	"image"
	"image/draw"

	"github.com/fastcorners/fast/harris"
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
	// repeat does once what the time in the table is measured of.
	repeat(img *image.Gray)
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
	// object returns what is to be encoded as JSON.
	object(res result) any
}

// methods lists all methods. The first one is the default.
var methods = []struct {
	name, summary string
	new           func() method
}{
	{"fast", "FAST corners, by the segment test (the default)", func() method { return new(fastMethod) }},
	{"orb", "ORB keypoints, with sizes, angles and descriptors", func() method { return new(orbMethod) }},
	{"harris", "Harris corners, by the structure tensor", func() method {
		return &harrisMethod{name: "harris", measure: harris.Harris}
	}},
	{"shi-tomasi", "Shi-Tomasi corners, the good features to track", func() method {
		return &harrisMethod{name: "shi-tomasi", measure: harris.MinEigenvalue}
	}},
}

// newMethod returns a method by its name.
func newMethod(name string) (method, error) {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	i, err := choose(names, name)
	if err != nil {
		return nil, fmt.Errorf("invalid value %q for flag -method: %w", name, err)
	}
	return methods[i].new(), nil
}

// scan returns the flags on the command line that any method has, with their
// values, up to the first one that none has. Who asks for help gives the flag help.
func scan(args []string) map[string]string {
	all := newFlagSet()
	all.Var(&anyValue{isBool: true}, "h", "")
	all.Var(&anyValue{isBool: true}, "help", "")
	for _, m := range methods {
		newFlagSet(new(config).define, m.new().define).VisitAll(func(f *flag.Flag) {
			if all.Lookup(f.Name) == nil {
				b, ok := f.Value.(interface{ IsBoolFlag() bool })
				all.Var(&anyValue{isBool: ok && b.IsBoolFlag()}, f.Name, "")
			}
		})
	}
	all.Parse(args) // which stops at an error; that comes again when they are read for good
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
