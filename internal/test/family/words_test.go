package family_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testOneType checks that no two packages declare structs with the same exported fields: one of them
// should be an alias of the other, or both of a third.
func (l *library) testOneType(t *testing.T) {
	declared := map[string]string{}
	l.exported(func(pkg *types.Package, o types.Object) {
		name, ok := o.(*types.TypeName)
		if !ok || name.IsAlias() {
			return
		}
		s, ok := o.Type().Underlying().(*types.Struct)
		if !ok {
			return
		}
		var fields []string
		for f := range fieldsOf(s) {
			if f.Exported() {
				fields = append(fields, f.Name()+" "+types.TypeString(f.Type(), nil))
			}
		}
		if len(fields) < 2 {
			return
		}
		slices.Sort(fields)
		what, key := pkg.Name()+"."+o.Name(), strings.Join(fields, ", ")
		assert.Empty(t, declared[key], "%s is %s again", what, declared[key])
		declared[key] = what
	})
	require.Greater(t, len(declared), 30)
}

// testMade checks that all types that constructors make say so in one way, except the Detector of
// package fast, whose zero value works.
func (l *library) testMade(t *testing.T) {
	count := 0
	for _, m := range family {
		if m.zeroRun {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(m.name, m.pkg()+"."), "[")
		var found bool
		for _, pkg := range l.public {
			if pkg.Name() != m.pkg() {
				continue
			}
			for f := range fieldsOf(pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)) {
				found = found || f.Name() == "made" && f.Type().String() == modulePath+"/internal/option.Made"
			}
		}
		assert.True(t, found, "%s has no field made", m.name)
		count++
	}
	require.Greater(t, count, 15)
}

// testReset checks that what is made anew in its memory is so by a function with Into.
func (l *library) testReset(t *testing.T) {
	l.functions(func(name string, fn *types.Func, _ func(string) *types.Func) {
		assert.False(t, strings.HasPrefix(fn.Name(), "Reset"), "%s should be a function with Into", name)
	})
}

// errorsMean are the names of errors that programs compare with, and what they mean in all packages.
var errorsMean = map[string]string{
	"ErrPairs":        "there are fewer pairs than the required number of inliers",
	"ErrSupport":      "too few pairs agree with any result",
	"ErrDegenerate":   "the points do not determine a result",
	"ErrObservations": "too few observations show a point or a view",
	"ErrNoBoard":      "there is no board in an image",
	"ErrSize":         "no board in an image is of the size that is told",
	"ErrLayout":       "the markers of a board are where its other layout has them",
	"ErrAmbiguous":    "more than one board in an image may be meant",
	"ErrViews":        "too few views, or too few points in one",
	"ErrFocal":        "the views do not determine the focal length",
}

// testErrorNames checks that errors of the same name mean the same.
func (l *library) testErrorNames(t *testing.T) {
	count := 0
	l.exported(func(pkg *types.Package, o types.Object) {
		if v, ok := o.(*types.Var); ok && v.Type().String() == "error" {
			count++
			assert.NotEmpty(t, errorsMean[o.Name()], "what does %s.%s mean in all packages?", pkg.Name(), o.Name())
		}
	})
	require.Greater(t, count, len(errorsMean))
}

// mayBeArrays are functions and fields with 3 by 3 matrices that have no type of their own.
var mayBeArrays = []string{
	"warp.Rectification", // takes any rotation, be it a pose.Rotation
}

// testMatrices checks that 3 by 3 matrices are of types that tell what they map.
func (l *library) testMatrices(t *testing.T) {
	isMatrix := func(typ types.Type) bool {
		for {
			switch t := typ.(type) {
			case *types.Slice:
				typ = t.Elem()
				continue
			case *types.Pointer:
				typ = t.Elem()
				continue
			}
			a, ok := typ.(*types.Array)
			return ok && a.Len() == 9 && types.Identical(a.Elem(), types.Typ[types.Float64])
		}
	}
	var found []string
	l.functions(func(name string, fn *types.Func, _ func(string) *types.Func) {
		for _, list := range []*types.Tuple{fn.Signature().Params(), fn.Signature().Results()} {
			for i := range list.Len() {
				if isMatrix(list.At(i).Type()) {
					found = append(found, name)
				}
			}
		}
	})
	l.exported(func(pkg *types.Package, o types.Object) {
		if s, ok := o.Type().Underlying().(*types.Struct); ok {
			for f := range fieldsOf(s) {
				if f.Exported() && isMatrix(f.Type()) {
					found = append(found, pkg.Name()+"."+o.Name()+"."+f.Name())
				}
			}
		}
	})
	require.ElementsMatch(t, mayBeArrays, found)
}

// timed matches what a comment says of times.
var timed = regexp.MustCompile(`\d (ns|µs|us|ms|microseconds|milliseconds)\b|\d times as (fast|long)`)

// maxWords is the largest number of words of a package's comment. More belongs into docs.
const maxWords = 750

// testComments checks that the documentation quotes no times, which age and are those of one
// processor, and that package comments can be read at one go.
func (l *library) testComments(t *testing.T) {
	for _, pkg := range l.public {
		for _, f := range l.files[pkg.Path()] {
			require.Positive(t, len(f.Comments))
			if f.Doc != nil {
				words := len(strings.Fields(f.Doc.Text()))
				assert.LessOrEqual(t, words, maxWords, "the comment of package %s", pkg.Name())
				assert.Empty(t, timed.FindString(f.Doc.Text()), "the comment of package %s", pkg.Name())
			}
			for _, d := range f.Decls {
				for _, doc := range docsOf(d) {
					assert.Empty(t, timed.FindString(doc.Text()), l.fset.Position(doc.Pos()))
				}
			}
		}
	}
}

// testMentioned checks that what comments mention of a public package is there. NVIDIA's package is
// named vpi, too.
func (l *library) testMentioned(t *testing.T) {
	scopes := map[string]*types.Scope{}
	for _, pkg := range l.public {
		scopes[pkg.Name()] = pkg.Scope()
	}
	mention := regexp.MustCompile(`\b([a-z0-9]+)\.([A-Z]\w*)`)
	count := 0
	for _, pkg := range l.public {
		for _, f := range l.files[pkg.Path()] {
			for _, c := range f.Comments {
				for _, m := range mention.FindAllStringSubmatch(c.Text(), -1) {
					if scope := scopes[m[1]]; scope != nil && pkg.Name() != "vpi" {
						count++
						assert.NotNil(t, scope.Lookup(m[2]), "%s: %s", l.fset.Position(c.Pos()), m[0])
					}
				}
			}
		}
	}
	require.Greater(t, count, 100)
}

// maxWorkersLines is the largest number of lines that the options have for the field Workers. The page
// that they name has the rest.
const maxWorkersLines = 4

// testWorkers checks that all options have the same words for the field Workers, and name a page.
func (l *library) testWorkers(t *testing.T) {
	words, count := "", 0
	for _, pkg := range l.public {
		for _, f := range l.files[pkg.Path()] {
			ast.Inspect(f, func(n ast.Node) bool {
				typ, ok := n.(*ast.TypeSpec)
				if !ok || !typ.Name.IsExported() || !strings.HasSuffix(typ.Name.Name, "Options") {
					return true
				}
				for _, field := range typ.Type.(*ast.StructType).Fields.List {
					if len(field.Names) != 1 || field.Names[0].Name != "Workers" {
						continue
					}
					count++
					if words == "" {
						words = field.Doc.Text()
					}
					assert.Equal(t, words, field.Doc.Text(), l.fset.Position(field.Pos()))
				}
				return false
			})
		}
	}
	require.Greater(t, count, 10)
	assert.LessOrEqual(t, strings.Count(words, "\n"), maxWorkersLines)
	page := regexp.MustCompile(`https://github\.com/fastcorners/fast/blob/main/([a-z/]+\.md) `).FindStringSubmatch(words)
	require.NotNil(t, page)
	if _, err := os.Stat(filepath.Join(root, "docs")); err != nil {
		t.Skip("the module has been packed without its pages")
	}
	require.FileExists(t, filepath.Join(root, page[1]))
}

// docsOf returns the comments of a declaration that go doc shows.
func docsOf(d ast.Decl) (docs []*ast.CommentGroup) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() {
			docs = append(docs, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if typ, ok := spec.(*ast.TypeSpec); ok && !typ.Name.IsExported() {
				continue
			}
			docs = append(docs, d.Doc)
			ast.Inspect(spec, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok {
					docs = append(docs, f.Doc, f.Comment)
				}
				return true
			})
		}
	}
	return slices.DeleteFunc(docs, func(g *ast.CommentGroup) bool { return g == nil })
}

// TestKernelsListed checks that the program that lists kernels imports every package that has
// assembly for them.
func TestKernelsListed(t *testing.T) {
	file := filepath.Join(root, ".ci", "kernels", "main.go")
	if _, err := os.Stat(file); err != nil {
		t.Skip("the module has been packed without it")
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	require.NoError(t, err)
	var imported []string
	for _, i := range f.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		require.NoError(t, err)
		imported = append(imported, name)
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "simd_amd64.go"))
	require.NoError(t, err)
	below, err := filepath.Glob(filepath.Join(root, "*", "*", "simd_amd64.go"))
	require.NoError(t, err)
	files = append(files, below...)
	require.Greater(t, len(files), 10)
	// Others import these: package fast, whose kernels are not all in tables, and nms and tensor.
	imported = append(imported, modulePath, modulePath+"/internal/nms", modulePath+"/internal/tensor")
	for _, name := range files {
		rel, err := filepath.Rel(root, filepath.Dir(name))
		require.NoError(t, err)
		assert.Contains(t, imported, fmt.Sprintf("%s/%s", modulePath, filepath.ToSlash(rel)))
	}
}
