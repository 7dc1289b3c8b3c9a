// Snippets writes the Go code of pages and of packages as programs, so that it can be compiled and
// run.
//
//	snippets [-run "FILE..."] DIR PAGE.md|PACKAGE...
//
// The documentation of a package, which is given by its directory, must begin with a program, in
// its second block. In a page, a block of code that begins with a package clause is a program by itself. All others of a
// page, one after the other, are the body of the main function of one program, with the packages
// that they name imported. So is what stands in the second column of a table whose heading there
// is Here: the code of each cell is a few statements, whose results need not be used. Blocks in a
// language with another name than go, such as golang, are left out. The directories of the
// programs are printed. With -run, the programs are vetted and run, with the given files, the first of
// which they can also read from their standard input. Those of a package are built in its module.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	block   = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	span    = regexp.MustCompile("`([^`]+)`")
	assigns = regexp.MustCompile(`^(\w+(?:, \w+)*) := `)
)

// standard holds the packages of the standard library that the code of pages may name.
var standard = []string{"bufio", "errors", "fmt", "image", "image/color", "image/draw", "image/png", "log", "math", "os", "slices", "time"}

func main() {
	log.SetFlags(0)
	files := flag.String("run", "", "the files to run the programs with")
	flag.Parse()
	if flag.NArg() < 2 {
		log.Fatal("usage: snippets [-run FILES] DIR PAGE.md|PACKAGE...")
	}
	to, err := filepath.Abs(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	imports := map[string]string{} // paths by names
	for _, path := range standard {
		imports[path[strings.LastIndex(path, "/")+1:]] = path
	}
	list, err := exec.Command("go", "list", "-f", `{{if and (ne .Name "main") (not (eq .Name "test"))}}{{.Name}} {{.ImportPath}}{{end}}`, "./...").Output()
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if name, path, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.Contains(path, "/internal/") {
			imports[name] = path
		}
	}

	for _, name := range flag.Args()[1:] {
		var programs [][]byte
		module := "."
		if strings.HasSuffix(name, ".md") {
			page, err := os.ReadFile(name)
			if err != nil {
				log.Fatal(err)
			}
			programs = assemble(string(page), imports)
		} else {
			programs = documented(name)
			module = name
		}
		if len(programs) == 0 {
			log.Fatalf("%s has no code", name)
		}
		for i, program := range programs {
			base := strings.NewReplacer("/", "-", ".md", "").Replace(filepath.Clean(name))
			dir := filepath.Join(to, fmt.Sprintf("%s-%d", base, i))
			if err := os.MkdirAll(dir, 0o777); err != nil {
				log.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "main.go"), program, 0o666); err != nil {
				log.Fatal(err)
			}
			fmt.Println(dir)
			if *files != "" {
				run(dir, module, program, strings.Fields(*files))
			}
		}
	}
}

// run vets and builds the program in a directory, in the module that another directory belongs to,
// and runs it with files.
func run(dir, module string, program []byte, files []string) {
	source, file := filepath.Join(dir, "main.go"), filepath.Join(dir, "run")
	for _, args := range [][]string{{"-C", module, "vet", source}, {"-C", module, "build", "-o", file, source}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			log.Fatalf("%s: %s", source, out)
		}
	}
	for i, name := range files {
		var err error
		if files[i], err = filepath.Abs(name); err != nil {
			log.Fatal(err)
		}
	}
	in, err := os.Open(files[0])
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command(file, files...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("%s: %v", source, err)
	}
	if len(out) == 0 && regexp.MustCompile(`Encode\(os\.Stdout|fmt\.Print`).Match(program) {
		log.Fatalf("%s has written nothing", source)
	}
}

// documented returns the program with which the documentation of the package in a directory begins.
func documented(dir string) [][]byte {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			log.Fatal(err)
		}
		text := new(comment.Parser).Parse(file.Doc.Text())
		if strings.HasSuffix(name, "_test.go") || len(text.Content) < 2 {
			continue
		}
		if code, ok := text.Content[1].(*comment.Code); ok && strings.HasPrefix(code.Text, "package main\n") {
			return [][]byte{[]byte(code.Text)}
		}
	}
	return nil
}

// assemble returns the programs of a page.
func assemble(page string, imports map[string]string) [][]byte {
	var programs [][]byte
	var body strings.Builder
	inTable := false
	for text := page; text != ""; {
		if at := block.FindStringSubmatchIndex(text); at != nil && at[0] == 0 {
			code := text[at[2]:at[3]]
			if strings.HasPrefix(code, "package ") {
				programs = append(programs, []byte(code))
			} else {
				body.WriteString(code)
			}
			text = text[at[1]:]
			continue
		}
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		switch {
		case len(cells) < 4:
			inTable = false
		case strings.TrimSpace(cells[2]) == "Here":
			inTable = true
		case inTable:
			writeStatements(&body, strings.ReplaceAll(cells[2], "\x00", "|"))
		}
	}
	if body.Len() > 0 {
		programs = append(programs, program(body.String(), imports))
	}
	return programs
}

// writeStatements writes the code of a cell of a table, and uses what it declares: an err that is
// not nil, or an ok that is false, is a panic.
func writeStatements(body *strings.Builder, cell string) {
	for _, m := range span.FindAllStringSubmatch(cell, -1) {
		for statement := range strings.SplitSeq(m[1], "; ") {
			fmt.Fprintln(body, statement)
			if m := assigns.FindStringSubmatch(statement); m != nil {
				for name := range strings.SplitSeq(m[1], ", ") {
					switch name {
					case "_":
					case "err":
						fmt.Fprintln(body, "if err != nil { panic(err) }")
					case "ok":
						fmt.Fprintln(body, "if !ok { panic(\"not ok\") }")
					default:
						fmt.Fprintln(body, "_ =", name)
					}
				}
			}
		}
	}
}

// program returns a program with a body, and the imports for the packages that it names.
func program(body string, imports map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString("package main\n\nimport (\n\t_ \"image/jpeg\"\n")
	if !strings.Contains(body, "png.") {
		b.WriteString("\t_ \"image/png\"\n")
	}
	names := make([]string, 0, len(imports))
	for name := range imports {
		if regexp.MustCompile(`(^|[^\w.])` + name + `\.[A-Z]`).MatchString(body) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "\t%q\n", imports[name])
	}
	fmt.Fprintf(&b, ")\n\nfunc main() {\n%s}\n", body)
	return b.Bytes()
}
