package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Grid is the flag for numbers of columns and of rows, such as 9x6. The zero Grid is none.
type Grid struct{ Columns, Rows int }

func (g *Grid) String() string {
	if g.Columns == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", g.Columns, g.Rows)
}

func (g *Grid) Set(text string) error {
	columns, rows, _ := strings.Cut(text, "x")
	var err, err2 error
	g.Columns, err = strconv.Atoi(columns)
	g.Rows, err2 = strconv.Atoi(rows)
	if cmp.Or(err, err2) != nil || g.Columns < 1 || g.Rows < 1 {
		return errors.New("want numbers of columns and of rows, as 6x4")
	}
	return nil
}
