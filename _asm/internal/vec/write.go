package vec

import (
	"bytes"
	"flag"
	"fmt"
	"go/types"
	"log"
	"os"
	"regexp"

	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/output"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
)

// file is the name of the file that WriteAMD64 writes.
const file = "simd_amd64.s"

var (
	pkg       *types.Package   // the Go package
	signature *types.Signature // of the current function
)

// WriteAMD64 writes simd_amd64.s, the assembly of the Go package in that directory. emit
// emits the functions, which the package declares. If something fails, WriteAMD64 ends the
// program and leaves the file as it was.
func WriteAMD64(dir string, emit func()) {
	log.SetFlags(0)
	command := output.Command(dir)
	// The directory says which module the package belongs to.
	if err := os.Chdir(dir); err != nil {
		log.Fatal(err)
	}
	pkg = layout.Load(".", "amd64")
	Package(".")
	ConstraintExpr("!purego")
	emit()

	// A generator that fails leaves its output empty, so the file is replaced only by a
	// complete one.
	if err := flag.Set("out", output.Temp(file)); err != nil {
		log.Fatal(err)
	}
	Generate()
	text, err := os.ReadFile(output.Temp(file))
	if err != nil {
		log.Fatal(err)
	}
	if err := checkRegisters(text); err != nil {
		log.Fatal(err)
	}
	// The first line names a command that avo takes for the generator's.
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	output.Write(file, append([]byte(output.Header(command)), rest...))
}

// Func begins the function of that name and returns the struct that its argument
// r points to.
func Func(name string) Component {
	signature = layout.Signature(pkg, name)
	Implement(name)
	Attributes(NOSPLIT)
	return Dereference(Param("r"))
}

// Points returns the type that an argument of the function points to.
func Points(name string) types.Type {
	return layout.Pointed(signature, name)
}

// Field returns a field of the struct that the argument r of the function points to, which Func has
// returned. [layout.Path] finds it.
func Field(r Component, name string) Component {
	for _, n := range layout.Path(Points("r"), name) {
		r = r.Field(n)
	}
	return r
}

// Element returns the element at p of a field of the argument r, as [layout.Element]
// defines it, and its size in bytes.
func Element(field string, p Register) (element Component, size int) {
	t := layout.Element(Points("r"), field)
	return gotypes.NewComponent(t, Mem{Base: p}), layout.Size(t)
}

// checkRegisters returns an error if a function for SSE2 or AVX2 uses a vector register
// from 16 on. Only AVX-512 has them, but the register allocator takes them when the others
// are in use.
func checkRegisters(text []byte) error {
	name := ""
	for _, m := range regexp.MustCompile(`(?m)^TEXT ·(\w+)\(|\b([XY](?:1[6-9]|2\d|3[01]))\b`).FindAllStringSubmatch(string(text), -1) {
		switch {
		case m[1] != "":
			name = m[1]
		case regexp.MustCompile(`(SSE2|AVX2)$`).MatchString(name):
			return fmt.Errorf("%s uses %s", name, m[2])
		}
	}
	return nil
}
