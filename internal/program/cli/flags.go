// Package cli has the flags that the programs share.
package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Set is a set of flags. Some take only numbers in an interval.
type Set struct {
	*flag.FlagSet
	intervals map[string]Interval // by the names of flags
}

// New returns the flags that the functions define. Errors are only returned by
// Parse, not printed.
func New(define ...func(*Set)) *Set {
	flags := &Set{flag.NewFlagSet("corners", flag.ContinueOnError), make(map[string]Interval)}
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	for _, d := range define {
		d(flags)
	}
	return flags
}

// IntIn defines a flag for an integer.
func (f *Set) IntIn(p *int, name string, value int, allowed Interval, usage string) {
	f.IntVar(p, name, value, usage)
	f.intervals[name] = allowed
}

// FloatIn defines a flag for a floating-point number.
func (f *Set) FloatIn(p *float64, name string, value float64, allowed Interval, usage string) {
	f.Float64Var(p, name, value, usage)
	f.intervals[name] = allowed
}

// Named defines a flag for the name of a value, which unmarshal sets. If only some of the names
// that unmarshal knows are good, they are listed.
func (f *Set) Named(value fmt.Stringer, unmarshal func(text []byte) error, name, usage string, names ...string) {
	f.Var(nameValue{value, unmarshal, names}, name, usage)
}

// Parse reads a command line and returns the arguments that are not flags.
func (f *Set) Parse(args []string) ([]string, error) {
	flagArgs, others := f.split(args)
	err := f.FlagSet.Parse(flagArgs)
	if err != nil {
		err = cmp.Or(f.explain(flagArgs), err)
	}
	f.VisitAll(func(flag *flag.Flag) {
		if allowed, ok := f.intervals[flag.Name]; ok && err == nil {
			err = allowed.Check(flag.Name, flag.Value)
		}
	})
	return others, err
}

// explain returns what is wrong with the first value of flags that are split that package flag cannot
// read, with what the flag wants, or nil.
func (f *Set) explain(flagArgs []string) error {
	for i := 0; i < len(flagArgs); i++ {
		name, value, hasValue := strings.Cut(strings.TrimPrefix(flagArgs[i][1:], "-"), "=")
		flag := f.Lookup(name)
		switch {
		case flag == nil:
			return nil // which is the first error
		case hasValue:
		case IsBool(flag):
			continue
		case i+1 == len(flagArgs):
			return nil
		default:
			i++
			value = flagArgs[i]
		}
		err := flag.Value.Set(value)
		want, known := f.want(flag)
		switch {
		case err == nil:
			continue
		case !known:
			return nil // the flag says what it wants
		case !hasValue && isFile(value):
			return fmt.Errorf("flag -%s has no value, but the name of a file, %s: want %s", name, value, want)
		}
		return fmt.Errorf("invalid value %q for flag -%s: want %s", value, name, want)
	}
	return nil
}

// want returns what a flag of a type of package flag wants.
func (f *Set) want(flag *flag.Flag) (text string, known bool) {
	if allowed, ok := f.intervals[flag.Name]; ok {
		return allowed.String(), true
	}
	getter, ok := flag.Value.(interface{ Get() any })
	if !ok {
		return "", false
	}
	switch getter.Get().(type) {
	case int:
		return "a whole number", true
	case float64:
		return "a number", true
	case bool:
		return "true or false", true
	case time.Duration:
		return "a time, such as 3s", true
	}
	return "", false
}

// isFile reports whether there is a file of that name.
func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// split returns the flags on a command line, with their values, and the other arguments:
// those that do not begin with -, a single -, and everything after --.
func (f *Set) split(args []string) (flagArgs, others []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flagArgs, append(others, args[i+1:]...)
		}
		if len(arg) < 2 || arg[0] != '-' {
			others = append(others, arg)
			continue
		}
		flagArgs = append(flagArgs, arg)
		name, _, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		if flag := f.Lookup(name); flag == nil || hasValue || IsBool(flag) || i+1 == len(args) {
			continue
		}
		i++
		flagArgs = append(flagArgs, args[i])
	}
	return flagArgs, others
}

// IsGiven reports whether a flag was on the command line.
func (f *Set) IsGiven(name string) bool {
	given := false
	f.Visit(func(flag *flag.Flag) { given = given || flag.Name == name })
	return given
}

// HelpWidth is the greatest length of lines of help texts that are read on a terminal.
const HelpWidth = 78

// Print writes a line for each flag, with a tab between the two columns. Lines that would be longer
// than a width are broken if the second column begins two characters after the longest text of the
// first one.
func (f *Set) Print(w io.Writer, width int) {
	left := 0
	names := func(f *flag.Flag) string {
		arg, _ := flag.UnquoteUsage(f)
		return fmt.Sprintf("  -%s %s", f.Name, arg)
	}
	f.VisitAll(func(f *flag.Flag) { left = max(left, len(names(f))) })
	f.VisitAll(func(f *flag.Flag) {
		_, usage := flag.UnquoteUsage(f)
		width := width - left - 2
		lines := Wrap(usage, width)
		switch f.DefValue {
		case "", "0", "false":
		default:
			text := fmt.Sprintf("(default %s)", f.DefValue)
			if last := &lines[len(lines)-1]; len(*last)+1+len(text) <= width {
				*last += " " + text
			} else {
				lines = append(lines, text)
			}
		}
		first := names(f)
		for _, line := range lines {
			fmt.Fprintf(w, "%s\t%s\n", first, line)
			first = ""
		}
	})
}

// Wrap returns the lines of a text that are as long as the words allow, up to a width.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// IsBool reports whether a flag needs no value.
func IsBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// An Interval is a set of numbers.
type Interval struct {
	low, high float64
	open      bool // without low
}

// Unlimited is the upper end of an interval without one. Infinity is not in it.
const Unlimited = math.MaxFloat64

// From returns the numbers from low to high.
func From(low, high float64) Interval { return Interval{low, high, false} }

// Above returns the numbers above low, up to high.
func Above(low, high float64) Interval { return Interval{low, high, true} }

// Check returns an error unless the value of a flag is in the interval.
func (i Interval) Check(name string, value any) error {
	v, _ := strconv.ParseFloat(fmt.Sprint(value), 64)
	if v >= i.low && v <= i.high && !(i.open && v == i.low) {
		return nil
	}
	return fmt.Errorf("invalid value %v for flag -%s: want %v", value, name, i)
}

func (i Interval) String() string {
	switch {
	case i.open && i.high == Unlimited:
		return fmt.Sprintf("more than %v", i.low)
	case i.open:
		return fmt.Sprintf("more than %v, up to %v", i.low, i.high)
	case i.high == Unlimited:
		return fmt.Sprintf("%v or more", i.low)
	}
	return fmt.Sprintf("%v to %v", i.low, i.high)
}

// Scan parses a command line with the flags that the functions define, and those that ask for
// help, up to the first other flag. They take any value, and several functions may define the same.
func Scan(args []string, define ...func(*Set)) *Set {
	all := New()
	for _, d := range define {
		New(d).VisitAll(func(f *flag.Flag) {
			if all.Lookup(f.Name) == nil {
				all.Var(&anyValue{isBool: IsBool(f)}, f.Name, "")
			}
		})
	}
	all.Var(&anyValue{isBool: true}, "h", "")
	all.Var(&anyValue{isBool: true}, "help", "")
	all.Parse(args) // an error is found again when they are parsed for good
	return all
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

// OneOf returns a flag that takes one of two or more names.
func OneOf(value *string, names []string) flag.Value {
	return choice{value, names}
}

type choice struct {
	value *string
	names []string
}

func (c choice) String() string {
	if c.value == nil {
		return "" // package flag makes zero flags
	}
	return *c.value
}

func (c choice) Set(name string) error {
	if err := checkName(name, c.names); err != nil {
		return err
	}
	*c.value = name
	return nil
}

// checkName returns an error unless a name is among names, of which there are two or more.
func checkName(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	last := len(names) - 1
	return errors.New("want " + strings.Join(names[:last], ", ") + " or " + names[last])
}

// A nameValue is a flag that takes the names of an enumeration. With the interfaces of
// package encoding, which flag.TextVar uses, the program would have all that package time
// parses.
type nameValue struct {
	fmt.Stringer
	unmarshal func(text []byte) error
	names     []string // the good ones, or none if all that unmarshal knows are
}

func (v nameValue) Set(name string) error {
	if len(v.names) > 0 {
		if err := checkName(name, v.names); err != nil {
			return err
		}
	}
	err := v.unmarshal([]byte(name))
	if err == nil {
		return nil
	}
	_, text, _ := strings.Cut(err.Error(), ": ") // without the package
	return errors.New(text)
}

func (v nameValue) String() string {
	if v.Stringer == nil {
		return "" // package flag makes zero flags
	}
	return v.Stringer.String()
}
