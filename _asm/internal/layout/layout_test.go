package layout

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the directory of the library, seen from this one.
const root = "../../.."

// A reordering is structs whose fields are reversed, and the functions that depend on them.
type reordering struct {
	structs   map[string]string // from their names to the directories of their packages
	functions map[string]string // from directories of packages to patterns of names
}

// refused stands for the functions of a package that the generator must refuse to write.
const refused = ""

// TestReorderedStructs reverses the fields of structs that are elements of slices, in copies
// of the library, and generates assembly there. The functions that use these structs must
// change, or the generator must refuse to write them.
func TestReorderedStructs(t *testing.T) {
	generators := t.TempDir()
	if out, err := run("../..", "go", "build", "-o", generators+"/", "./..."); err != nil {
		t.Fatal(out)
	}
	for _, test := range []reordering{
		{
			map[string]string{"Corner": ".", "Span": "internal/tensor", "tap": "orb"},
			map[string]string{
				".":               refused,
				"harris":          "respond[A-Z]",
				"internal/tensor": "slide",
				"orb":             "harris|resize",
			},
		},
		{map[string]string{"harrisSums": "orb"}, map[string]string{"orb": refused}},
	} {
		copied := copyLibrary(t)
		for name, dir := range test.structs {
			reverse(t, filepath.Join(copied, dir), name)
		}
		for dir, functions := range test.functions {
			t.Run(dir, func(t *testing.T) {
				t.Parallel()
				generator := filepath.Base(dir)
				if dir == "." {
					generator = "fast"
				}
				out, err := run(filepath.Join(copied, "_asm"), filepath.Join(generators, generator))
				if functions == refused {
					if err == nil || !strings.Contains(out, "word") {
						t.Errorf("not refused: %v, %s", err, out)
					}
					return
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				for _, file := range []string{"simd_amd64.s", "simd_arm64.s"} {
					test.requireChanged(t, copied, filepath.Join(dir, file), regexp.MustCompile("^("+functions+")"))
				}
			})
		}
	}
}

// requireChanged fails the test unless those functions of a generated file, and no others,
// differ from the library's or have symbols of one of the structs.
func (r *reordering) requireChanged(t *testing.T, copied, file string, functions *regexp.Regexp) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, file)); err != nil {
		return // not for this architecture
	}
	before := split(t, filepath.Join(root, file))
	for name, text := range split(t, filepath.Join(copied, file)) {
		depends := text != before[name]
		for s := range r.structs {
			depends = depends || strings.Contains(text, s+"_")
		}
		if depends != functions.MatchString(name) {
			t.Errorf("%s depends on the order of fields: %t", name, depends)
		}
	}
}

// split returns the functions of a file of assembly.
func split(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]string{}
	for part := range strings.SplitSeq(string(text), "\nTEXT ·") {
		name, rest, _ := strings.Cut(part, "(SB)")
		body, _, _ := strings.Cut(rest, "\n// func")
		functions[name] = body
	}
	return functions
}

// copyLibrary returns the directory of a copy of the library's Go files, but for tests.
func copyLibrary(t *testing.T) string {
	t.Helper()
	copied := t.TempDir()
	for _, file := range append(list(t, root, "*.go"), "go.mod", "go.sum") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(copied, file), text)
	}
	if err := os.Mkdir(filepath.Join(copied, "_asm"), 0o777); err != nil {
		t.Fatal(err)
	}
	return copied
}

// list returns the files below a directory whose names match, but for those of other
// modules.
func list(t *testing.T, dir, pattern string) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." {
			_, err := os.Stat(filepath.Join(dir, path, "go.mod"))
			if err == nil || strings.ContainsAny(d.Name()[:1], "._") {
				return fs.SkipDir
			}
		}
		if ok, _ := filepath.Match(pattern, d.Name()); ok {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// reverse reverses the fields of a struct of the package in a directory.
func reverse(t *testing.T, dir, name string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`(?s)\ntype ` + name + ` struct ?\{(.*?)\}`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := declaration.FindSubmatchIndex(text)
		if m == nil {
			continue
		}
		var fields []string
		for line := range strings.Lines(string(text[m[2]:m[3]])) {
			line, _, _ = strings.Cut(line, "//")
			if names, typ, ok := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, ", ", ",")), " "); ok {
				list := strings.Split(names, ",")
				slices.Reverse(list)
				fields = append(fields, strings.Join(list, ", ")+" "+typ)
			}
		}
		slices.Reverse(fields)
		write(t, file, slices.Concat(text[:m[2]], []byte("\n"+strings.Join(fields, "\n")+"\n"), text[m[3]:]))
		return
	}
	t.Fatalf("there is no struct %s in %s", name, dir)
}

// write writes a file, and makes its directory.
func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// run runs a command in a directory, and returns what it prints.
func run(dir string, command ...string) (string, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}
