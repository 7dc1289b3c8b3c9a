package report

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/fastcorners/fast/internal/jsontext"
	"github.com/fastcorners/fast/internal/program/cli"
)

// WriteObject writes an object in JSON, which fill fills, and the end of a line. What is long ends
// early when the context is done.
func WriteObject(ctx context.Context, w io.Writer, fill func(o *Object)) error {
	o := Object{ctx: ctx, w: w}
	o.braces(func() { fill(&o) })
	return o.end("\n")
}

// An Object is an object in JSON that is being written.
type Object struct {
	ctx  context.Context // ends arrays early
	w    io.Writer
	err  error  // of writing, or of the context
	text []byte // that is not yet written; never empty, once it has begun
}

// flush writes the text but for the last byte, which tells whether a comma must follow.
func (o *Object) flush() {
	last := len(o.text) - 1
	if o.err == nil {
		_, o.err = o.w.Write(o.text[:last])
	}
	if o.err == nil {
		o.err = o.ctx.Err()
	}
	o.text = append(o.text[:0], o.text[last])
}

// end writes the last byte, and what else there is.
func (o *Object) end(text string) error {
	if o.err != nil {
		return o.err
	}
	_, err := o.w.Write(append(o.text, text...))
	return err
}

// Add adds a member. Values other than numbers, bools, integers and nil become strings, as
// package fmt prints them.
func (o *Object) Add(name string, value any) {
	o.name(name)
	switch v := value.(type) {
	case int, int32, uint8, uint16, float32, float64, bool:
		o.text = fmt.Append(o.text, v)
	case *cli.Integers:
		o.text = fmt.Appendf(o.text, "[%v]", v)
	case nil:
		o.text = append(o.text, "null"...)
	default:
		o.text = jsontext.AppendString(o.text, fmt.Sprint(v))
	}
}

// flagOf holds the flags whose members have other names.
var flagOf = map[string]string{"max_corners": "corners", "max_matches": "matches", "kernel_sizes": "kernel-size"}

// AddFlags adds members with the values of flags.
func (o *Object) AddFlags(flags *cli.Set, members []string) {
	for _, name := range members {
		f := flags.Lookup(cmp.Or(flagOf[name], strings.ReplaceAll(name, "_", "-")))
		var value any = f.Value
		if getter, ok := value.(flag.Getter); ok {
			value = getter.Get()
		}
		o.Add(name, value)
	}
}

// List adds a member that is an array of n objects. It calls item to fill each of them.
func (o *Object) List(name string, n int, item func(i int, o *Object)) {
	o.array(name, n, func(i int) {
		o.braces(func() { item(i, o) })
	})
}

// Numbers adds a member that is an array of numbers.
func (o *Object) Numbers(name string, numbers []float64) {
	o.array(name, len(numbers), func(i int) { o.text = fmt.Append(o.text, numbers[i]) })
}

// Rows adds a member that is an array of the rows of a matrix of three columns, which are arrays.
func (o *Object) Rows(name string, matrix []float64) {
	o.array(name, len(matrix)/3, func(i int) {
		row := matrix[3*i:]
		o.text = fmt.Appendf(o.text, "[%v,%v,%v]", row[0], row[1], row[2])
	})
}

// array adds a member that is an array of n values. It calls item to append each of them,
// until there is an error.
func (o *Object) array(name string, n int, item func(i int)) {
	o.name(name)
	o.text = append(o.text, '[')
	for i := 0; i < n && o.err == nil; i++ {
		if i > 0 {
			o.text = append(o.text, ',')
		}
		item(i)
		if len(o.text) > 1<<15 {
			o.flush()
		}
	}
	o.text = append(o.text, ']')
}

// Object adds a member that is an object. It calls fill to fill it.
func (o *Object) Object(name string, fill func(o *Object)) {
	o.name(name)
	o.braces(func() { fill(o) })
}

// braces adds braces around what fill adds.
func (o *Object) braces(fill func()) {
	o.text = append(o.text, '{')
	fill()
	o.text = append(o.text, '}')
}

// name adds the name of a member.
func (o *Object) name(name string) {
	if last := o.text[len(o.text)-1]; last != '{' {
		o.text = append(o.text, ',')
	}
	o.text = append(jsontext.AppendString(o.text, name), ':')
}

// A List is an array of objects in JSON, a report with a line for each of them.
type List struct {
	ctx   context.Context // ends objects early
	w     io.Writer
	items int
}

// NewList returns a List that is written to w. What is long ends early when the context is done.
func NewList(ctx context.Context, w io.Writer) *List { return &List{ctx: ctx, w: w} }

// Add writes an object, which fill fills.
func (l *List) Add(fill func(o *Object)) error {
	o := Object{ctx: l.ctx, w: l.w}
	o.text = append(o.text, ",\n"...)
	if l.items == 0 {
		o.text = append(o.text[:0], "[\n"...)
	}
	l.items++
	o.braces(func() { fill(&o) })
	return o.end("")
}

// Close ends the array.
func (l *List) Close() error {
	end := "\n]\n"
	if l.items == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(l.w, end)
	return err
}
