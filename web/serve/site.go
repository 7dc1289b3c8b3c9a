package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/fastcorners/fast/web/simd128"
)

// program is what is compiled to WebAssembly.
const program = "github.com/fastcorners/fast/web"

// samples are the photos in the module's testdata that the page offers.
var samples = []string{"astronaut_512x512.png", "coffee_600x400.png", "chelsea_451x300.png"}

// A site holds the files of the page by their names, which are separated by slashes.
type site map[string][]byte

// build makes the site. The working directory must be in the module. The support file for
// WebAssembly is that of the Go version of the command go. What takes time is told to the
// user first.
func build(user io.Writer) (site, error) {
	fmt.Fprintln(user, "serve: building the page, which takes up to half a minute for the first time")
	where, err := goCommand("list", "-f", "{{.Dir}}\n{{.Module.Dir}}", program)
	if err != nil {
		return nil, err
	}
	goroot, err := goCommand("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folder, module, _ := strings.Cut(where, "\n")

	s := make(site)
	sources := map[string]string{"wasm_exec.js": filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")}
	pages, err := filepath.Glob(filepath.Join(folder, "page", "*"))
	if err != nil {
		return nil, err
	}
	for _, file := range pages {
		sources[filepath.Base(file)] = file
	}
	for _, name := range samples {
		sources["samples/"+name] = filepath.Join(module, "testdata", "photos", name)
	}
	for name, file := range sources {
		if s[name], err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}

	wasm, err := compile()
	if err != nil {
		return nil, err
	}
	// The name changes with the content, so that caches may keep it forever.
	name := fmt.Sprintf("fast-%.8x.wasm", sha256.Sum256(wasm))
	s[name] = wasm
	s["program.js"] = fmt.Appendf(nil, "export const name = %q;\nexport const size = %d; // bytes\n", name, len(wasm))
	return s, nil
}

// compile returns the program as WebAssembly, with the kernels that it calls.
func compile() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fast-web-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "fast.wasm")
	// It contains neither the path of the sources nor the commit, so it changes with the code
	// only.
	if _, err := goCommand("build", "-tags=simd128", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, program); err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(file)
	return simd128.Append(wasm), err
}

// goCommand runs the command go for WebAssembly, and returns what it prints.
func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("go %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

// types are the media types of files. Those of the system may differ.
var types = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	".wasm": "application/wasm",
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	data, ok := s[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", types[path.Ext(name)])
	h.Set("X-Content-Type-Options", "nosniff")
	// A page that is isolated from others gets a finer timer.
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	if path.Ext(name) == ".wasm" {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache") // ask each time whether the file has changed
		h.Set("ETag", fmt.Sprintf(`"%.8x"`, sha256.Sum256(data)))
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
