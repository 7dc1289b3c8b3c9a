//go:build js && wasm

package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"image"

	"github.com/fastcorners/fast/internal/jsontext"
)

// A report is what a finder has found, as the program corners reports it.
type report struct {
	subject string // what the method is called in JSON; empty means method
	method  string
	members []member // of JSON, for options
	things  string   // what was found
	columns []string // of CSV, and members of each thing in JSON
	count   int
	record  func(i int) []any
}

// A member is a member of an object in JSON.
type member struct {
	name  string
	value any
}

// An integers value is a list in JSON.
type integers []int

// writeCSV returns the report as corners -format csv writes it.
func (r *report) writeCSV(names [2]string) []byte {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	columns := r.columns
	if r.method != "" { // of one image
		columns = append([]string{"image"}, columns...)
	}
	w.Write(columns)
	for i := range r.count {
		var fields []string
		if r.method != "" {
			fields = append(fields, names[0])
		}
		for _, value := range r.record(i) {
			fields = append(fields, fmt.Sprint(value))
		}
		w.Write(fields)
	}
	w.Flush()
	return buf.Bytes()
}

// writeJSON returns the report as corners -format json writes it for an image.
func (r *report) writeJSON(names [2]string, size image.Point) []byte {
	text := []byte("[\n{")
	text = appendMembers(text, []member{{"image", names[0]}, {"width", size.X}, {"height", size.Y}, {cmp.Or(r.subject, "method"), r.method}})
	text = append(appendMembers(append(text, ','), r.members), ',')
	text = r.appendThings(text, func(text []byte, i int) []byte {
		for column, value := range r.record(i) {
			text = appendMembers(text, []member{{r.columns[column], value}})
			text = append(text, ',')
		}
		return text[:len(text)-1]
	})
	return append(text, "}\n]\n"...)
}

// appendThings appends the list of what was found. Item appends the members of a thing.
func (r *report) appendThings(text []byte, item func(text []byte, i int) []byte) []byte {
	text = append(jsontext.AppendString(text, r.things), ":["...)
	for i := range r.count {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(item(append(text, '{'), i), '}')
	}
	return append(text, ']')
}

// appendMembers appends members of an object, with commas between them.
func appendMembers(text []byte, members []member) []byte {
	for i, m := range members {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(jsontext.AppendString(text, m.name), ':')
		switch v := m.value.(type) {
		case int, int32, uint8, uint16, float32, float64, bool:
			text = fmt.Append(text, v)
		case integers:
			text = append(text, '[')
			for j, n := range v {
				if j > 0 {
					text = append(text, ',')
				}
				text = fmt.Append(text, n)
			}
			text = append(text, ']')
		default:
			text = jsontext.AppendString(text, fmt.Sprint(v))
		}
	}
	return text
}
