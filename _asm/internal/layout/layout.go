// Package layout reads the declarations of the Go package that assembly is generated for,
// and tells how the compiler lays out its structs.
package layout

import (
	"go/types"
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

// sizes are the same for amd64, arm64 and wasm.
var sizes = types.SizesFor("gc", "amd64")

// Load returns the Go package in a directory, as it is for an architecture. Where it does
// not type-check, the program ends.
func Load(dir, arch string) *types.Package {
	env := append(os.Environ(), "GOARCH="+arch)
	if arch == "wasm" {
		env = append(env, "GOOS=js")
	}
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedTypes | packages.NeedDeps | packages.NeedImports,
		Dir:  dir,
		Env:  env,
	}, ".")
	if err != nil {
		log.Fatal(err)
	}
	if packages.PrintErrors(list) > 0 {
		log.Fatalf("the package in %s has errors for %s", dir, arch)
	}
	return list[0].Types
}

// Signature returns the signature of a function that the package declares.
func Signature(pkg *types.Package, name string) *types.Signature {
	f, ok := pkg.Scope().Lookup(name).(*types.Func)
	if !ok {
		log.Fatalf("package %s declares no function %s", pkg.Path(), name)
	}
	return f.Signature()
}

// Pointed returns the type that a parameter of a function points to.
func Pointed(s *types.Signature, name string) types.Type {
	for p := range s.Params().Variables() {
		if p.Name() == name {
			return p.Type().(*types.Pointer).Elem()
		}
	}
	log.Fatalf("no parameter %s in %v", name, s)
	return nil
}

// Field returns the type of a field of a struct, which [Path] finds.
func Field(t types.Type, name string) types.Type {
	for _, n := range Path(t, name) {
		t = t.Underlying().(*types.Struct).Field(index(t, n)).Type()
	}
	return t
}

// Path returns the names of the fields that lead to what a selector of Go, such as pix or window.pix,
// selects of a struct. Unlike the selector, it has those of embedded structs.
func Path(t types.Type, selector string) []string {
	var path []string
	for name := range strings.SplitSeq(selector, ".") {
		object, indices, _ := types.LookupFieldOrMethod(t, false, t.(*types.Named).Obj().Pkg(), name)
		if object == nil {
			log.Fatalf("%v has no field %s", t, name)
		}
		for _, i := range indices {
			f := t.Underlying().(*types.Struct).Field(i)
			path = append(path, f.Name())
			t = f.Type()
		}
	}
	return path
}

// Element returns the type of what a field of a struct has many of: the elements of a
// slice, of an array, or of an array that it points to, or else what it points to.
func Element(t types.Type, field string) types.Type {
	t = Field(t, field)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if list, ok := t.Underlying().(interface{ Elem() types.Type }); ok {
		t = list.Elem()
	}
	return t
}

// Size returns how many bytes a type takes in a slice or an array.
func Size(t types.Type) int {
	return int(sizes.Sizeof(types.NewArray(t, 1)))
}

// Offset returns where a field of a struct begins.
func Offset(t types.Type, field string) int {
	i := index(t, field)
	var fields []*types.Var
	for f := range t.Underlying().(*types.Struct).Fields() {
		fields = append(fields, f)
	}
	return int(sizes.Offsetsof(fields)[i])
}

// index returns the number of a field of a struct.
func index(t types.Type, field string) int {
	s := t.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		if s.Field(i).Name() == field {
			return i
		}
	}
	log.Fatalf("%v has no field %s", t, field)
	return 0
}

// RequireWords ends the program unless a struct of n words of four bytes begins with the
// given fields in this order, one in each word. Vectors of several structs are made for that.
func RequireWords(t types.Type, n int, fields ...string) {
	if Size(t) != 4*n {
		log.Fatalf("%v has %d bytes, and the assembly is for %d", t, Size(t), 4*n)
	}
	for i, field := range fields {
		if Offset(t, field) != 4*i {
			log.Fatalf("field %s of %v is not in word %d", field, t, i)
		}
	}
}
