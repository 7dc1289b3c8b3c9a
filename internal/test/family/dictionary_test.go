package family_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	modulePath = "github.com/fastcorners/fast"
	root       = "../../.." // of the module
)

// A library is the packages of this module that other modules can import, with the types of
// their source code for this platform.
type library struct {
	fset     *token.FileSet
	info     types.Info
	files    map[string][]*ast.File // by import path
	packages map[string]*types.Package
	std      types.Importer
	public   []*types.Package
}

// newLibrary reads and checks the packages.
func newLibrary(t *testing.T) *library {
	l := &library{
		fset:     token.NewFileSet(),
		info:     types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}},
		files:    map[string][]*ast.File{},
		packages: map[string]*types.Package{},
	}
	l.std = importer.ForCompiler(l.fset, "source", nil)
	require.NoError(t, filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if dir != root {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || strings.HasPrefix(name, "_") ||
				strings.HasPrefix(name, ".") || name == "internal" || name == "testdata" {
				return fs.SkipDir
			}
		}
		bp, err := build.ImportDir(dir, 0)
		var none *build.NoGoError // for this platform
		if errors.As(err, &none) || err == nil && bp.Name == "main" {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		pkg, err := l.Import(path.Join(modulePath, filepath.ToSlash(rel)))
		if err == nil {
			l.public = append(l.public, pkg)
		}
		return err
	}))
	require.Greater(t, len(l.public), 12)
	return l
}

// Import returns a package of this module or of the standard library.
func (l *library) Import(name string) (*types.Package, error) {
	rest, ours := strings.CutPrefix(name, modulePath)
	if pkg := l.packages[name]; pkg != nil {
		return pkg, nil
	}
	if !ours {
		if strings.Contains(name, ".") { // no name of another module's package is used
			return types.NewPackage(name, path.Base(name)), nil
		}
		return l.std.Import(name)
	}
	bp, err := build.ImportDir(filepath.Join(root, filepath.FromSlash(rest)), 0)
	if err != nil {
		return nil, err
	}
	for _, file := range bp.GoFiles {
		f, err := parser.ParseFile(l.fset, filepath.Join(bp.Dir, file), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		l.files[name] = append(l.files[name], f)
	}
	// What uses the packages of other modules cannot be checked: only internal/cpu does.
	config := types.Config{Importer: l, FakeImportC: true}
	if rest == "/internal/cpu" {
		config.Error = func(error) {}
		config.IgnoreFuncBodies = true
	}
	pkg, err := config.Check(name, l.fset, l.files[name], &l.info)
	if config.Error != nil {
		err = nil
	}
	l.packages[name] = pkg
	return pkg, err
}

// exported calls f with each exported object of the public packages.
func (l *library) exported(f func(pkg *types.Package, o types.Object)) {
	for _, pkg := range l.public {
		scope := pkg.Scope()
		for _, name := range scope.Names() {
			if o := scope.Lookup(name); o.Exported() {
				f(pkg, o)
			}
		}
	}
}

// functions calls f with each exported function, and each exported method of an exported type.
func (l *library) functions(f func(name string, fn *types.Func, siblings func(string) *types.Func)) {
	l.exported(func(pkg *types.Package, o types.Object) {
		switch o := o.(type) {
		case *types.Func:
			f(pkg.Name()+"."+o.Name(), o, func(name string) *types.Func {
				s, _ := pkg.Scope().Lookup(name).(*types.Func)
				return s
			})
		case *types.TypeName:
			set := types.NewMethodSet(types.NewPointer(o.Type()))
			if types.IsInterface(o.Type()) {
				set = types.NewMethodSet(o.Type())
			}
			method := func(name string) *types.Func {
				if s := set.Lookup(pkg, name); s != nil {
					return s.Obj().(*types.Func)
				}
				return nil
			}
			for i := range set.Len() {
				if m := set.At(i).Obj().(*types.Func); m.Exported() {
					f(pkg.Name()+"."+o.Name()+"."+m.Name(), m, method)
				}
			}
		}
	})
}

// methods returns the signatures of the methods of t and *t, by name, as the types print them.
func methods(t types.Type) map[string]string {
	found := map[string]string{}
	set := types.NewMethodSet(types.NewPointer(t))
	for i := range set.Len() {
		m := set.At(i).Obj()
		found[m.Name()] = types.TypeString(m.Type(), (*types.Package).Name)
	}
	return found
}

// The methods of what lies in an image.
var pointMethods = map[string]string{
	"Pt":       "func() image.Point",
	"Position": "func() (x float32, y float32)",
	"Strength": "func() float32",
}

func TestDictionary(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the source code, which is the same on all platforms")
	}
	l := newLibrary(t)
	t.Run("Points", l.testPoints)
	t.Run("Interfaces", l.testInterfaces)
	t.Run("Enumerations", l.testEnumerations)
	t.Run("Options", l.testOptions)
	t.Run("Constructors", l.testConstructors)
	t.Run("Errors", l.testErrors)
	t.Run("Append", l.testAppend)
	t.Run("Into", l.testInto)
	t.Run("OneType", l.testOneType)
	t.Run("Made", l.testMade)
	t.Run("Reset", l.testReset)
	t.Run("ErrorNames", l.testErrorNames)
	t.Run("Matrices", l.testMatrices)
	t.Run("Comments", l.testComments)
	t.Run("Mentioned", l.testMentioned)
	t.Run("Workers", l.testWorkers)
}

// testPoints checks that every type with the coordinates X and Y of a point has the methods of
// package point, and Strength if it has a strength.
func (l *library) testPoints(t *testing.T) {
	count, strong := 0, 0
	l.exported(func(pkg *types.Package, o types.Object) {
		name, ok := o.(*types.TypeName)
		if !ok || o.Type().Underlying() == nil {
			return
		}
		s, ok := o.Type().Underlying().(*types.Struct)
		if !ok {
			return
		}
		fields := map[string]types.Type{}
		for f := range fieldsOf(s) {
			fields[f.Name()] = f.Type()
		}
		if x, ok := fields["X"].(*types.Basic); !ok || fields["Y"] != x {
			return
		}
		count++
		has := methods(name.Type())
		what := pkg.Name() + "." + name.Name()
		require.Equal(t, pointMethods["Pt"], has["Pt"], what)
		require.Equal(t, pointMethods["Position"], has["Position"], what)
		if fields["Score"] != nil || fields["Response"] != nil {
			strong++
			require.Equal(t, pointMethods["Strength"], has["Strength"], what)
		}
	})
	require.GreaterOrEqual(t, count, 8)
	require.GreaterOrEqual(t, strong, 5)
}

// fieldsOf returns the fields of a struct.
func fieldsOf(s *types.Struct) func(yield func(*types.Var) bool) {
	return func(yield func(*types.Var) bool) {
		for i := range s.NumFields() {
			if !yield(s.Field(i)) {
				return
			}
		}
	}
}

// testInterfaces checks that no package but point declares an interface with a method of
// points, be it without a name, in a constraint or in a type assertion.
func (l *library) testInterfaces(t *testing.T) {
	declared := 0
	for name, files := range l.files {
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				i, ok := n.(*ast.InterfaceType)
				if !ok {
					return true
				}
				for _, m := range i.Methods.List {
					for _, id := range m.Names {
						if pointMethods[id.Name] != "" {
							declared++
							require.Equal(t, modulePath+"/point", name, "%v declares %s again", l.fset.Position(id.Pos()), id.Name)
						}
					}
				}
				return true
			})
		}
	}
	require.Equal(t, len(pointMethods), declared)
}

// noSuccess are the names of the zero value of a status.
var noSuccess = []string{"Untracked", "NoFrame"}

// testEnumerations checks that every enumeration has the methods of text forms, that no two
// packages have one of the same name but for a status and a kind (of transforms, and of markers), and
// that the zero status is not success.
func (l *library) testEnumerations(t *testing.T) {
	declaredBy := map[string]string{}
	zero := map[string]string{} // the constant that is 0, if there is one
	l.exported(func(pkg *types.Package, o types.Object) {
		c, ok := o.(*types.Const)
		if !ok {
			return
		}
		named, ok := c.Type().(*types.Named)
		if !ok {
			return
		}
		what := pkg.Name() + "." + named.Obj().Name()
		require.Equal(t, pkg, named.Obj().Pkg(), "%s is a constant of another package's type", what)
		basic, ok := named.Underlying().(*types.Basic)
		require.True(t, ok && basic.Kind() == types.Uint8, what)
		if _, ok := zero[what]; !ok {
			zero[what] = ""
			if name := named.Obj().Name(); name != "Status" && name != "Kind" {
				require.Empty(t, declaredBy[name], "%s repeats %s", what, declaredBy[name])
				declaredBy[name] = what
			}
			has := methods(named)
			require.Equal(t, "func() string", has["String"], what)
			require.Equal(t, "func() ([]byte, error)", has["MarshalText"], what)
			require.Equal(t, "func(text []byte) error", has["UnmarshalText"], what)
		}
		if v, exact := constant.Uint64Val(c.Val()); exact && v == 0 {
			zero[what] = c.Name()
		}
	})
	require.Greater(t, len(zero), 8)
	for what, name := range zero {
		if strings.HasSuffix(what, "Status") {
			require.Contains(t, noSuccess, name, what)
		}
	}
}

// sharedOptions are the names that options of several types have, and what they mean in all of
// them. A type that needs such a name for something else has to find another one.
var sharedOptions = map[string]string{
	"ArcLength":         "the number of contiguous pixels of the circle that make a corner",
	"BlockSize":         "the side of the window over which products of gradients are summed, in pixels",
	"Border":            "what lies beyond the edges of an image",
	"Confidence":        "the probability that no sample would have led to a better result",
	"Epsilon":           "the length of a step, in pixels, that ends an iteration",
	"FASTThreshold":     "the threshold of FAST corners that become keypoints",
	"Features":          "the number of keypoints wanted",
	"HuberThreshold":    "the error, in pixels, up to which the cost of an error is its square",
	"InlierThreshold":   "the largest error of a pair that agrees, in pixels",
	"Interpolation":     "how a pixel is computed from those around its position",
	"Iterations":        "the largest number of steps",
	"K":                 "the weight of the squared trace for the Measure Harris",
	"Kind":              "the kind of the transform",
	"Levels":            "the number of levels of the pyramid, the image itself among them",
	"MaxCorners":        "the largest number of corners",
	"MaxSamples":        "the largest number of samples of pairs",
	"Measure":           "how the response is computed from a structure tensor",
	"MinInliers":        "the number of pairs that must agree, besides those that chance explains",
	"MinResponse":       "the threshold of responses",
	"Quality":           "the threshold of responses as a fraction of the largest one",
	"Seed":              "where random numbers begin",
	"SuppressionRadius": "the distance in x and in y, in pixels, within which a corner is the largest",
	"Threshold":         "the difference of gray values on the circle: FAST's term, though vpi's is inclusive",
	"WindowRadius":      "the number of pixels that a window extends in each direction",
	"Workers":           "the number of goroutines that share the work, including the caller's",
}

// testOptions checks that options of the same name have the same type, but for Threshold, and
// said what the name means in all of them.
func (l *library) testOptions(t *testing.T) {
	typeOf := map[string]types.Type{}
	usedBy := map[string][]string{}
	l.exported(func(pkg *types.Package, o types.Object) {
		s, ok := o.Type().Underlying().(*types.Struct)
		if _, isType := o.(*types.TypeName); !isType || !ok || !strings.HasSuffix(o.Name(), "Options") {
			return
		}
		for f := range fieldsOf(s) {
			what := pkg.Name() + "." + o.Name() + "." + f.Name()
			usedBy[f.Name()] = append(usedBy[f.Name()], what)
			if before := typeOf[f.Name()]; before != nil && f.Name() != "Threshold" {
				require.True(t, types.Identical(before, f.Type()), "%v have different types", usedBy[f.Name()])
			}
			typeOf[f.Name()] = f.Type()
		}
	})
	var shared []string
	for name, users := range usedBy {
		if len(users) > 1 {
			shared = append(shared, name)
			assert.NotEmpty(t, sharedOptions[name], "what does %s mean in all of %v?", name, users)
		}
	}
	require.Len(t, sharedOptions, len(shared), "some are not shared")
}

// testConstructors checks that every function that takes options is New or begins with it,
// returns a pointer and an error, that what it returns tells its options, and that the tests
// of this package's family know it.
func (l *library) testConstructors(t *testing.T) {
	var made []string
	l.functions(func(name string, fn *types.Func, _ func(string) *types.Func) {
		sig := fn.Signature()
		if sig.Recv() != nil || sig.Params().Len() == 0 {
			return
		}
		options, ok := sig.Params().At(0).Type().(*types.Named)
		if !ok || !strings.HasSuffix(options.Obj().Name(), "Options") {
			return
		}
		require.Equal(t, "New"+strings.TrimSuffix(options.Obj().Name(), "Options"), fn.Name(), name) // or its options need another name
		require.Equal(t, 1, sig.Params().Len(), name)
		require.Equal(t, 2, sig.Results().Len(), name)
		require.Equal(t, "error", sig.Results().At(1).Type().String(), name)
		pointer, ok := sig.Results().At(0).Type().(*types.Pointer)
		require.True(t, ok, name)
		tells := "func() " + types.TypeString(options, (*types.Package).Name)
		require.Equal(t, tells, methods(pointer.Elem())["Options"], name)
		of := pointer.Elem().(*types.Named).Obj()
		made = append(made, of.Pkg().Name()+"."+of.Name())
	})
	var known []string
	for _, m := range family {
		name, _, _ := strings.Cut(m.name, "[") // of the type's parameters
		known = append(known, name)
	}
	slices.Sort(known)
	slices.Sort(made)
	require.Equal(t, slices.Compact(known), slices.Compact(made))
}

// mayFail are the functions that return errors although they make nothing of options.
var mayFail = []string{
	"calibrate.Finder.AppendAprilGrid", // not every image has the board
	"calibrate.Finder.AppendCharuco",   // likewise
	"calibrate.Finder.AprilGrid",       // likewise
	"calibrate.Finder.Charuco",         // likewise
	"calibrate.Finder.FindOne",         // nor has every image one board
	"calibrate.Calibrator.Calibrate",   // not all views determine a camera
	"calibrate.Calibrator.Halves",      // likewise
	"calibrate.Calibrator.Pair",        // likewise
	"calibrate.Chessboard.Check",       // whose result is whether a board is one
	"camera.Camera.Check",              // whose result is whether a camera is one
	"camera.Info.Check",                // likewise
	"camera.Info.WriteJSON",            // a file may not be written
	"camera.Info.WriteOpenCV",          // likewise
	"camera.Info.WriteROS",             // likewise
	"camera.ReadInfo",                  // nor read
	"geometry.Estimator.Estimate",      // not every list of pairs has a transform
	"pose.Estimator.Absolute",          // likewise
	"pose.Estimator.Fundamental",       // likewise
	"pose.Estimator.Relative",          // likewise
	"pose.LeastSquares",                // too few points may count, or be on a line
	"pose.View.Refine",                 // likewise
	"pose.Refiner.Refine",              // not all observations determine one
	"register.Registrar.Match",         // nor has every pair of images
	"register.Registrar.MatchInto",     // likewise
	"register.Registrar.Register",      // likewise
	"register.Registrar.RegisterInto",  // likewise
	"tag.Charuco.Check",                // whose result is whether a board is one
	"tag.Family.Check",                 // likewise
	"tag.Sheet.Check",                  // likewise
	"warp.Map.Fixed",                   // a Map is made by hand
}

// readFiles are the packages that read and write files.
var readFiles = []string{"photo", "y4m"}

// testErrors checks that only constructors, the text forms of enumerations, packages that read files
// and the functions of the list return errors.
func (l *library) testErrors(t *testing.T) {
	var fail []string
	l.functions(func(name string, fn *types.Func, _ func(string) *types.Func) {
		results := fn.Signature().Results()
		if results.Len() == 0 || results.At(results.Len()-1).Type().String() != "error" ||
			slices.Contains(readFiles, fn.Pkg().Name()) || fn.Pkg().Name() == "io" ||
			strings.HasPrefix(fn.Name(), "New") || fn.Name() == "MarshalText" || fn.Name() == "UnmarshalText" {
			return
		}
		fail = append(fail, name)
	})
	require.ElementsMatch(t, mayFail, fail)
}

// testAppend checks that whatever appends takes the slices first and returns them first, and
// that a function without Append returns new ones.
func (l *library) testAppend(t *testing.T) {
	count := 0
	l.functions(func(name string, fn *types.Func, sibling func(string) *types.Func) {
		rest, ok := strings.CutPrefix(fn.Name(), "Append")
		if !ok {
			return
		}
		count++
		plain := sibling(rest)
		for _, verb := range []string{"Extract", "Detect", "Match", "Track"} {
			if plain == nil {
				plain = sibling(verb + rest)
			}
		}
		require.NotNil(t, plain, "nothing beside %s returns new slices", name)
		a, p := fn.Signature(), plain.Signature()
		n := a.Params().Len() - p.Params().Len()
		require.Positive(t, n, name)
		require.GreaterOrEqual(t, a.Results().Len(), n, name)
		require.Equal(t, p.Results().Len(), a.Results().Len(), name)
		for i := range n {
			slice := types.TypeString(a.Params().At(i).Type(), nil)
			require.True(t, strings.HasPrefix(slice, "[]"), name)
			require.Equal(t, slice, types.TypeString(a.Results().At(i).Type(), nil), name)
			require.Equal(t, slice, types.TypeString(p.Results().At(i).Type(), nil), name)
		}
		for i := range p.Params().Len() {
			require.Equal(t, types.TypeString(p.Params().At(i).Type(), nil), types.TypeString(a.Params().At(n+i).Type(), nil), name)
		}
	})
	require.Greater(t, count, 20)
}

// testInto checks that whatever makes something in the memory of another one takes that first
// and returns it, or whether that failed, and that a function without Into makes a new one.
func (l *library) testInto(t *testing.T) {
	var into []string
	l.functions(func(name string, fn *types.Func, sibling func(string) *types.Func) {
		rest, ok := strings.CutSuffix(fn.Name(), "Into")
		if !ok {
			return
		}
		into = append(into, name)
		plain := sibling(rest)
		if plain == nil {
			plain = sibling("New" + rest)
		}
		require.NotNil(t, plain, "nothing beside %s makes a new one", name)
		a, p := fn.Signature(), plain.Signature()
		dst, made := a.Params().At(0).Type().String(), p.Results().At(0).Type().String()
		require.True(t, strings.HasPrefix(dst, "*"), name)
		require.Contains(t, []string{dst, dst[1:]}, made, name)
		if slices.Contains(mayFail, name) {
			require.Equal(t, "error", a.Results().At(0).Type().String(), name)
		} else {
			require.Equal(t, dst, a.Results().At(0).Type().String(), name)
		}
		require.Equal(t, p.Params().Len()+1, a.Params().Len(), name)
		for i := range p.Params().Len() {
			require.Equal(t, p.Params().At(i).Type().String(), a.Params().At(i+1).Type().String(), name)
		}
	})
	require.True(t, slices.Contains(into, "fast.GrayInto"), into)
}
