package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A jsonObject is an object in JSON that is being made. Package encoding/json would be a
// twentieth of the program.
type jsonObject struct {
	text []byte
}

// add adds a member. Values other than numbers, bools, integers and nil become strings, as
// package fmt prints them.
func (o *jsonObject) add(name string, value any) {
	o.name(name)
	switch v := value.(type) {
	case int, int32, uint8, uint16, float32, float64, bool:
		o.text = fmt.Append(o.text, v)
	case *integers:
		o.text = fmt.Appendf(o.text, "[%v]", v)
	case nil:
		o.text = append(o.text, "null"...)
	default:
		o.text = appendJSONString(o.text, fmt.Sprint(v))
	}
}

// flagOf holds the flags whose members have other names.
var flagOf = map[string]string{"max_corners": "corners", "kernels": "kernel"}

// addFlags adds members with the values of flags.
func (o *jsonObject) addFlags(flags *flagSet, members []string) {
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

// array adds a member that is an array of n values. It calls item to append each of them.
func (o *jsonObject) array(name string, n int, item func(i int)) {
	o.name(name)
	o.text = append(o.text, '[')
	for i := range n {
		if i > 0 {
			o.text = append(o.text, ',')
		}
		item(i)
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
	o.text = append(appendJSONString(o.text, name), ':')
}

// appendJSONString appends a string in the syntax of JSON. Invalid UTF-8 is replaced.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// A jsonReport is an array of objects.
type jsonReport struct {
	w     io.Writer
	items int
}

// add writes an object, which fill fills.
func (j *jsonReport) add(fill func(o *jsonObject)) error {
	var o jsonObject
	o.text = append(o.text, ",\n"...)
	if j.items == 0 {
		o.text = append(o.text[:0], "[\n"...)
	}
	j.items++
	o.braces(func() { fill(&o) })
	_, err := j.w.Write(o.text)
	return err
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
