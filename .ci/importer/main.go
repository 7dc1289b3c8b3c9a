// Importer checks the modules as those who import them get them: packed, from a proxy of files, by a
// program outside the repository that is built with the oldest Go that the packages support, and by
// go install.
//
//	importer -oldest go1.24.9 DIR
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fastcorners/fast/.ci/internal/tree"
)

const (
	module  = "github.com/fastcorners/fast"
	version = "v0.0.0-ci"
	// maxZip is the largest size of the packages' module that an importer downloads, in bytes.
	maxZip = 8_000_000
)

// nested are the modules with large dictionaries and with programs, and what these need.
var nested = []string{"tag/large", "cmd/corners", "gpu", "batch"}

// dir is where everything is written.
var dir string

func main() {
	log.SetFlags(0)
	oldest := flag.String("oldest", "", "the oldest Go that the packages support")
	flag.Parse()
	if flag.NArg() != 1 || *oldest == "" {
		log.Fatal("usage: importer -oldest GO DIR")
	}
	var err error
	if dir, err = filepath.Abs(flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
	consumer, err := os.ReadFile(".ci/consumer/main.go")
	if err != nil {
		log.Fatal(err)
	}
	pack()
	if !works(*oldest) {
		*oldest = "local"
	}
	large := run(".", "go", "run", "./.ci/snippets", dir, "tag/large/circle49h12")
	build(consumer, *oldest)
	buildLarge(large, *oldest)
	install()
}

// run runs a program in a directory and returns what it prints. It ends this program if that fails.
func run(in string, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir = in
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		os.Stdout.Write(out)
		log.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// set sets variables of the environment, given by turns with their values.
func set(pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if err := os.Setenv(pairs[i], pairs[i+1]); err != nil {
			log.Fatal(err)
		}
	}
}

// works reports whether there is a toolchain. It comes as a module.
func works(toolchain string) bool {
	set("GOTOOLCHAIN", toolchain)
	out, err := exec.Command("go", "version").CombinedOutput()
	fmt.Printf("%s", out)
	if err != nil {
		fmt.Printf("not tested with %s: it cannot be downloaded from here\n", toolchain)
	}
	set("GOTOOLCHAIN", "local")
	return err == nil
}

// pack makes the proxy: the packages and, as .ci/release makes them, the nested modules. They get a
// module cache of their own, since the version is the same every time. Other modules come from the
// usual cache if they are there.
func pack() {
	files, err := tree.Files()
	if err != nil {
		log.Fatal(err)
	}
	programs := filepath.Join(dir, "programs")
	if err := tree.Copy(programs, files); err != nil {
		log.Fatal(err)
	}
	modproxy, proxy := filepath.Join(dir, "modproxy"), filepath.Join(dir, "proxy")
	run("_tools", "go", "build", "-o", modproxy, "./modproxy")
	fmt.Println(run(".", modproxy, "-out", proxy, "-version", version, "."))
	info, err := os.Stat(filepath.Join(proxy, module, "@v", version+".zip"))
	if err != nil {
		log.Fatal(err)
	}
	if info.Size() > maxZip {
		log.Fatalf("importers download %d bytes, more than %d", info.Size(), maxZip)
	}
	set(
		"GOPROXY", fmt.Sprintf("file://%s,file://%s/cache/download,%s", proxy, run(".", "go", "env", "GOMODCACHE"), run(".", "go", "env", "GOPROXY")),
		"GOMODCACHE", filepath.Join(dir, "modcache"),
		"GOFLAGS", os.Getenv("GOFLAGS")+" -modcacherw",
		"GONOSUMDB", module,
		"GOBIN", filepath.Join(dir, "bin"),
	)
	replaced := regexp.MustCompile(`(?m)^.*?(` + regexp.QuoteMeta(module) + `\S*) => \.\..*$`)
	for _, name := range nested {
		at := filepath.Join(programs, name)
		gomod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err != nil {
			log.Fatal(err)
		}
		for _, match := range replaced.FindAllSubmatch(gomod, -1) {
			path := string(match[1])
			run(at, "go", "mod", "edit", "-dropreplace="+path, "-require="+path+"@"+version)
		}
		run(at, "go", "mod", "tidy")
		fmt.Println(run(".", modproxy, "-out", proxy, "-version", version, at))
	}
}

// get makes the program in a directory a module for the oldest Go, whose version it returns, that
// requires another module.
func get(at, path string) (language string) {
	language = run(".", "go", "list", "-m", "-f", "{{.GoVersion}}")
	run(at, "go", "mod", "init", "example.com/consumer")
	run(at, "go", "mod", "edit", "-go="+language)
	run(at, "go", "get", path+"@"+version)
	run(at, "go", "mod", "tidy")
	return language
}

// build builds and runs a program that imports the packages, with the oldest Go, for which the
// program must stay one, and checks what it gets.
func build(consumer []byte, oldest string) {
	at := filepath.Join(dir, "consumer")
	if err := os.Mkdir(at, 0o777); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "main.go"), consumer, 0o666); err != nil {
		log.Fatal(err)
	}
	set("GOTOOLCHAIN", oldest)
	language := get(at, module)
	gomod, err := os.ReadFile(filepath.Join(at, "go.mod"))
	if err != nil {
		log.Fatal(err)
	}
	want := fmt.Sprintf("module example.com/consumer\n\ngo %s\n\nrequire %s %s\n\nrequire %s // indirect\n",
		language, module, version, run(at, "go", "list", "-m", "golang.org/x/sys"))
	if string(gomod) != want {
		log.Fatalf("go.mod should be\n%s\nand is\n%s", want, gomod)
	}
	run(at, "go", "vet", ".")
	run(at, "go", "build", "-o", "consumer", ".")
	fmt.Println(run(at, filepath.Join(at, "consumer")))

	deps := strings.Fields(run(at, "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "."))
	slices.Sort(deps)
	fmt.Println("packages outside the standard library:", strings.Join(deps, " "))
	deps = slices.DeleteFunc(deps, func(path string) bool { return strings.HasPrefix(path, module+"/internal/") })
	if others := []string{"example.com/consumer", module, module + "/point", "golang.org/x/sys/cpu"}; !slices.Equal(deps, others) {
		log.Fatalf("the program should need %v and packages below internal", others)
	}
	for _, platform := range []string{"linux/arm64", "windows/amd64", "darwin/arm64"} {
		fmt.Println(platform)
		goos, goarch, _ := strings.Cut(platform, "/")
		run(at, "env", "GOOS="+goos, "GOARCH="+goarch, "go", "build", "-o", os.DevNull, ".")
	}
	// The tests do without testdata that importers do not download.
	run(run(at, "go", "list", "-m", "-f", "{{.Dir}}", module), "go", "test", "-short", "./tag", "./calibrate")
	set("GOTOOLCHAIN", "local")
}

// buildLarge builds the program in a directory, which draws a marker of a large dictionary, with the
// oldest Go, and runs it.
func buildLarge(at, oldest string) {
	set("GOTOOLCHAIN", oldest)
	get(at, module+"/tag/large")
	run(at, "go", "build", "-o", "consumer", ".")
	if drawing := run(at, filepath.Join(at, "consumer")); !strings.HasPrefix(drawing, "<svg ") {
		log.Fatalf("%s should be a drawing", drawing)
	}
	set("GOTOOLCHAIN", "local")
}

// install installs the programs. That of another module finds and matches keypoints, and knows its
// version.
func install() {
	bin := os.Getenv("GOBIN")
	run(dir, "go", "install", module+"/cmd/corners@"+version)
	fmt.Println(run(dir, filepath.Join(bin, "corners")))
	run(dir, "go", "install", module+"/batch/cmd/batch@"+version)
	batch := filepath.Join(bin, "batch")
	fmt.Println(run(dir, batch, "features", "-method", "sift", "-input", "corners.png", "-output", "features"))
	fmt.Println(run(dir, batch, "matches", "-features", "features", "-output", "matches"))
	fmt.Println(run(dir, batch, "verify", "-output", "features"))
	manifest, err := fs.ReadFile(os.DirFS(dir), "features/manifest.json")
	if err != nil {
		log.Fatal(err)
	}
	if !strings.Contains(string(manifest), fmt.Sprintf("\"library\": %q", version)) {
		log.Fatalf("the manifest does not name %s:\n%s", version, manifest)
	}
}
