package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/tag"
)

// Markers are the flags of method tag.
type Markers struct {
	families families
	look     tag.Family // the fields that all families have in common
	opts     tag.Options
	correct  int
}

// Define defines the flags.
func (m *Markers) Define(flags *Set) {
	m.families = families{{Kind: tag.Tag36h11}}
	flags.Var(&m.families, "family", "find markers of the families `NAMES`, with commas between them")
	flags.IntIn(&m.look.Border, "border", 1, From(1, 4), "borders are `N` cells wide; 2 on boards of Kalibr")
	flags.BoolVar(&m.look.Inverted, "inverted", false, "black and white are exchanged")
	flags.IntIn(&m.opts.MinContrast, "contrast", 16, From(2, 255), "around markers brightness varies by `N` or more")
	flags.IntIn(&m.correct, "correct", -1, From(-1, 6), "correct up to `N` wrong bits; -1: as many as is safe")
	flags.IntIn(&m.opts.Samples, "samples", 800, From(100, 10000), "fit the drawing of a marker to `N` pixels")
}

// Options returns what the flags ask for.
func (m *Markers) Options() tag.Options {
	opts := m.opts
	switch m.correct {
	case -1:
	case 0:
		opts.MaxCorrected = -1
	default:
		opts.MaxCorrected = m.correct
	}
	for _, f := range m.families {
		f.Border, f.Inverted = m.look.Border, m.look.Inverted
		opts.Families = append(opts.Families, f)
	}
	return opts
}

// Families returns the names of the families, with commas between them.
func (m *Markers) Families() string { return m.families.String() }

// Look returns a family without a kind that has the fields that all families have in common.
func (m *Markers) Look() tag.Family { return m.look }

// A families is the flag for families: names with commas between them, each with the number of
// its markers or without.
type families []tag.Family

func (l *families) String() string {
	names := make([]string, len(*l))
	for i, f := range *l {
		names[i] = f.Kind.String()
		if f.Codes > 0 {
			names[i] += ":" + strconv.Itoa(f.Codes)
		}
	}
	return strings.Join(names, ",")
}

func (l *families) Set(text string) error {
	*l = nil
	for _, item := range strings.Split(text, ",") {
		kind, codes, given, err := ParseMarker(item)
		if err != nil {
			return err
		}
		f := tag.Family{Kind: kind, Codes: codes}
		if given && (codes < 1 || f.Check() != nil) {
			return fmt.Errorf("want 1 to %d markers of %v", tag.Family{Kind: kind}.Len(), kind)
		}
		*l = append(*l, f)
	}
	return nil
}

// ParseMarker returns the kind of markers that text names, and the number after a colon if there is one.
func ParseMarker(text string) (kind tag.Kind, number int, given bool, err error) {
	name, digits, given := strings.Cut(text, ":")
	if err := kind.UnmarshalText([]byte(name)); err != nil || kind == 0 {
		return 0, 0, false, errors.New("want names of those that corners tag -h lists")
	}
	if (tag.Family{Kind: kind}).Check() != nil { // whose codes few need
		return 0, 0, false, fmt.Errorf("%v is not in this program, but in package github.com/fastcorners/fast/tag/large/%v for programs of your own", kind, kind)
	}
	if given {
		if number, err = strconv.Atoi(digits); err != nil {
			return 0, 0, false, fmt.Errorf("want a number after %s and a colon", name)
		}
	}
	return kind, number, given, nil
}
