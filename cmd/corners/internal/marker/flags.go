package marker

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/tag"
)

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
		kind, codes, given, err := parseMarker(item)
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

// parseMarker returns the kind that text names, and the number after a colon if there is one.
func parseMarker(text string) (kind tag.Kind, number int, given bool, err error) {
	name, digits, given := strings.Cut(text, ":")
	if err := kind.UnmarshalText([]byte(name)); err != nil || kind == 0 {
		return 0, 0, false, errors.New("want names of those that corners tag -h lists")
	}
	if (tag.Family{Kind: kind}).Check() != nil { // whose codes few need
		return 0, 0, false, fmt.Errorf("%v is not in this program, but in package github.com/fastcorners/fast/tag/%v for programs of your own", kind, kind)
	}
	if given {
		if number, err = strconv.Atoi(digits); err != nil {
			return 0, 0, false, fmt.Errorf("want a number after %s and a colon", name)
		}
	}
	return kind, number, given, nil
}

// A markerValue is the flag for a marker: its family and its ID.
type markerValue struct {
	kind tag.Kind // 0 if there is none
	id   int
}

func (v *markerValue) String() string {
	if v.kind == 0 {
		return ""
	}
	return fmt.Sprintf("%v:%d", v.kind, v.id)
}

func (v *markerValue) Set(text string) error {
	kind, id, given, err := parseMarker(text)
	if err != nil {
		return err
	}
	if last := (tag.Family{Kind: kind}).Len() - 1; !given || id < 0 || id > last {
		return fmt.Errorf("want %v, a colon, and an ID of 0 to %d", kind, last)
	}
	*v = markerValue{kind, id}
	return nil
}

// A gridValue is the flag for the columns and rows of a sheet.
type gridValue struct{ columns, rows int }

func (v *gridValue) String() string {
	if v.columns == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", v.columns, v.rows)
}

func (v *gridValue) Set(text string) error {
	columns, rows, _ := strings.Cut(text, "x")
	var err, err2 error
	v.columns, err = strconv.Atoi(columns)
	v.rows, err2 = strconv.Atoi(rows)
	if cmp.Or(err, err2) != nil || v.columns < 1 || v.rows < 1 {
		return errors.New("want numbers of columns and of rows, as 6x4")
	}
	return nil
}
