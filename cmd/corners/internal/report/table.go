package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Table is a text of lines whose cells but the last end with tabs. Flush writes it in
// columns, which are two characters apart.
type Table struct {
	w    io.Writer
	text []byte
}

// NewTable returns a Table that is written to w.
func NewTable(w io.Writer) *Table { return &Table{w: w} }

func (t *Table) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	return len(p), nil
}

// Flush writes the lines.
func (t *Table) Flush() error {
	var widths []int
	lines := strings.SplitAfter(string(t.text), "\n")
	for _, line := range lines {
		cells := strings.Split(line, "\t")
		for i, cell := range cells[:len(cells)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell)+2)
		}
	}
	t.text = t.text[:0]
	for _, line := range lines {
		gap := ""
		for i, cell := range strings.Split(line, "\t") {
			t.text = append(append(t.text, gap...), cell...)
			if i < len(widths) {
				gap = strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell)))
			}
		}
	}
	_, err := t.w.Write(t.text)
	return err
}

// A CSV writes records of comma-separated values.
type CSV struct{ w *bufio.Writer }

// NewCSV returns a CSV that writes to w.
func NewCSV(w io.Writer) CSV { return CSV{bufio.NewWriter(w)} }

// Add adds a record. It returns the first error of writing.
func (c CSV) Add(fields ...string) error {
	for i, field := range fields {
		if i > 0 {
			c.w.WriteByte(',')
		}
		first, _ := utf8.DecodeRuneInString(field)
		if field == `\.` || strings.ContainsAny(field, ",\"\r\n") || unicode.IsSpace(first) {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		c.w.WriteString(field)
	}
	return c.w.WriteByte('\n')
}

// Flush writes what is left.
func (c CSV) Flush() error { return c.w.Flush() }

// Texts returns values as package fmt prints them: numbers with as many digits as tell them
// from others.
func Texts(values []any) []string {
	list := make([]string, len(values))
	for i, v := range values {
		if v != nil {
			list[i] = fmt.Sprint(v)
		}
	}
	return list
}
