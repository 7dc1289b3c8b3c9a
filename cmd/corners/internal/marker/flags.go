package marker

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/tag"
)

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
	kind, id, given, err := cli.ParseMarker(text)
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
