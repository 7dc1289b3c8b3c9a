package main

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

// A jsonObject is an object in JSON that is being written. Package encoding/json would be a
// twentieth of the program.
type jsonObject struct {
	ctx  context.Context // ends arrays early
	w    io.Writer
	err  error  // of writing, or of the context
	text []byte // that is not yet written; never empty, once it has begun
}

// flush writes the text but for the last byte, which tells whether a comma must follow.
func (o *jsonObject) flush() {
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
func (o *jsonObject) end(text string) error {
	if o.err != nil {
		return o.err
	}
	_, err := o.w.Write(append(o.text, text...))
	return err
}

// add adds a member. Values other than numbers, bools, integers and nil become strings, as
// package fmt prints them.
func (o *jsonObject) add(name string, value any) {
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

// addFlags adds members with the values of flags.
func (o *jsonObject) addFlags(flags *cli.Set, members []string) {
	for _, name := range members {
		f := flags.Lookup(cmp.Or(flagOf[name], strings.ReplaceAll(name, "_", "-")))
		var value any = f.Value
		if getter, ok := value.(flag.Getter); ok {
			value = getter.Get()
		}
		o.add(name, value)
	}
}

// list adds a member that is an array of n objects. It calls item to fill each of them.
func (o *jsonObject) list(name string, n int, item func(i int, o *jsonObject)) {
	o.array(name, n, func(i int) {
		o.braces(func() { item(i, o) })
	})
}

// array adds a member that is an array of n values. It calls item to append each of them,
// until there is an error.
func (o *jsonObject) array(name string, n int, item func(i int)) {
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

// object adds a member that is an object. It calls fill to fill it.
func (o *jsonObject) object(name string, fill func(o *jsonObject)) {
	o.name(name)
	o.braces(func() { fill(o) })
}

// braces adds braces around what fill adds.
func (o *jsonObject) braces(fill func()) {
	o.text = append(o.text, '{')
	fill()
	o.text = append(o.text, '}')
}

// name adds the name of a member.
func (o *jsonObject) name(name string) {
	if last := o.text[len(o.text)-1]; last != '{' {
		o.text = append(o.text, ',')
	}
	o.text = append(jsontext.AppendString(o.text, name), ':')
}

// A jsonReport is an array of objects.
type jsonReport struct {
	ctx   context.Context // ends objects early
	w     io.Writer
	items int
}

// add writes an object, which fill fills.
func (j *jsonReport) add(fill func(o *jsonObject)) error {
	o := jsonObject{ctx: j.ctx, w: j.w}
	o.text = append(o.text, ",\n"...)
	if j.items == 0 {
		o.text = append(o.text[:0], "[\n"...)
	}
	j.items++
	o.braces(func() { fill(&o) })
	return o.end("")
}

// close ends the array.
func (j *jsonReport) close() error {
	end := "\n]\n"
	if j.items == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(j.w, end)
	return err
}
