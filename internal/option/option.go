// Package option has what the Options of all packages share: how an error names one of
// them, how a value that New has not made panics, and the text forms of enumerations.
//
// The constructors of all packages do the same:
//
//	func New(opts Options) (*Detector, error) {
//		opts.setDefaults()
//		if err := opts.check(); err != nil {
//			return nil, err
//		}
//		...
//	}
package option

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// An Error says that a field of a package's Options is out of range.
type Error struct {
	Package, Field string // such as harris, Options.BlockSize
	Value          any
	Want           string // what the field may be, such as 3 to 31
}

// Fields are those of a type of options, such as those of Options of package harris.
type Fields struct {
	Package, Type string
}

// OutOfRange returns the Error of a field. Inlined, it would be a kilobyte in each package.
//
//go:noinline
func (f Fields) OutOfRange(field string, value any, want string) error {
	return &Error{f.Package, f.Type + "." + field, value, want}
}

// CheckThreshold returns the Error of Quality or of MinResponse, the threshold of responses as a
// fraction of the largest one and as a number, of which only one may be set.
func (f Fields) CheckThreshold(quality, minResponse float64) error {
	switch {
	case !(quality <= 1): // NaN is not
		return f.OutOfRange("Quality", quality, "a number up to 1")
	case !(minResponse <= math.MaxFloat32):
		return f.OutOfRange("MinResponse", minResponse, "a number up to 3.4e38")
	case minResponse != 0 && quality != 0:
		return f.OutOfRange("MinResponse", minResponse, "0 with Options.Quality")
	}
	return nil
}

// A Made is a field of the types that constructors make, which set it.
type Made bool

// Require panics unless the value whose field m is was made by the constructor of its type, such as
// New of Detector in package harris.
func (m Made) Require(pkg, typ, constructor string) {
	if !m {
		panicNotMade(pkg, typ, constructor)
	}
}

//go:noinline
func panicNotMade(pkg, typ, constructor string) {
	panic(fmt.Sprintf("%s: %s not made by %s", pkg, typ, constructor))
}

// OneOf returns the Error of a field unless its value is one of those that are supported of an
// enumeration.
func OneOf[T interface {
	comparable
	fmt.Stringer
}](f Fields, field string, value T, supported ...T) error {
	if slices.Contains(supported, value) {
		return nil
	}
	names := make([]string, len(supported))
	for i, v := range supported {
		names[i] = v.String()
	}
	return f.OutOfRange(field, value, oneOf(names))
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s is %v, not %s", e.Package, e.Field, e.Value, e.Want)
}

// An Enum is an enumeration: the names of a type whose values count from 0.
type Enum[T ~uint8] []string

// Has reports whether v has a name.
func (e Enum[T]) Has(v T) bool {
	return int(v) < len(e)
}

// String returns the name of v, or the number if it has none.
func (e Enum[T]) String(v T) string {
	if !e.Has(v) {
		return fmt.Sprintf("%s(%d)", reflect.TypeFor[T]().Name(), uint8(v))
	}
	return e[v]
}

// MarshalText returns the name of v. It fails if there is none.
func (e Enum[T]) MarshalText(v T) ([]byte, error) {
	if !e.Has(v) {
		return nil, fmt.Errorf("%s %d", unknown[T](), uint8(v))
	}
	return []byte(e[v]), nil
}

// UnmarshalText sets v to the value that text names. It fails if there is none.
func (e Enum[T]) UnmarshalText(v *T, text []byte) error {
	i := slices.Index(e, string(text))
	if i < 0 {
		return fmt.Errorf("%s %q, not %s", unknown[T](), text, e.Want())
	}
	*v = T(i)
	return nil
}

// unknown begins the message of an error about a T.
func unknown[T any]() string {
	pkg, name, _ := strings.Cut(reflect.TypeFor[T]().String(), ".")
	return pkg + ": unknown " + name
}

// Want lists the names, as an Error has them.
func (e Enum[T]) Want() string {
	return oneOf(e)
}

// oneOf lists names.
func oneOf(names []string) string {
	return "one of " + strings.Join(names, ", ")
}
