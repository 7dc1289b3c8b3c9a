package method

import (
	"flag"
	"fmt"
	"slices"
	"strconv"

	"github.com/fastcorners/fast/internal/program/cli"
)

// A Selection is what a command line says about methods.
type Selection struct {
	Info
	Named   bool // not just the default
	Help    bool // asked for
	Version bool // asked for
}

// Select returns the one of several methods that a command line asks for, or the first one.
// It fails if there is a flag that is neither the method's nor one of those that define defines.
func Select(methods []Info, args []string, define func(*cli.Set)) (Selection, error) {
	given := scan(methods, args, define) // which flags are valid depends on one of them
	value := func(flag string) string { return given.Lookup(flag).Value.String() }
	s := Selection{
		Info:  methods[0],
		Named: given.IsGiven("method"),
		Help:  given.IsGiven("h") || given.IsGiven("help"),
	}
	if given.IsGiven("version") {
		s.Version, _ = strconv.ParseBool(value("version"))
	}
	if s.Named {
		names := Names(methods)
		i := slices.Index(names, value("method"))
		if i < 0 {
			err := cli.OneOf(new(string), names).Set(value("method"))
			return Selection{}, fmt.Errorf("invalid value %q for flag -method: %w", value("method"), err)
		}
		s.Info = methods[i]
	}
	var err error
	flags := cli.New(define, s.New().Define)
	given.Visit(func(f *flag.Flag) {
		if err == nil && flags.Lookup(f.Name) == nil && !s.Help {
			err = fmt.Errorf("flag -%s is not for method %s", f.Name, s.Name)
		}
	})
	return s, err
}

// Names returns the names of methods.
func Names(methods []Info) []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return names
}

// scan parses a command line with the flags that define defines, and those of methods.
func scan(methods []Info, args []string, define func(*cli.Set)) *cli.Set {
	all := []func(*cli.Set){define}
	for _, m := range methods {
		all = append(all, m.New().Define)
	}
	return cli.Scan(args, all...)
}
