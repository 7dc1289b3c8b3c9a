// Package jsontext writes strings in the syntax of JSON.
package jsontext

import (
	"fmt"
	"unicode/utf8"
)

// AppendString appends a string. Invalid UTF-8 is replaced.
func AppendString(dst []byte, s string) []byte {
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
