package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fastcorners/fast/web/simd128"
)

// program is what is compiled to WebAssembly.
const program = "github.com/fastcorners/fast/web"

// The programs that it is compiled to, with the names that the page has for them: the second one has
// the rooms for markers and for calibration, which most visitors do not enter, and is as large as the
// first one.
var programs = []struct{ name, tags string }{{"first", "simd128"}, {"boards", "simd128,boards"}}

// A site holds the files of the page by their names, which are separated by slashes.
type site map[string][]byte

// build makes the site. The working directory must be in the module web, or in the repository's
// workspace. The support file for WebAssembly is that of the Go version of the command go. It tells
// the user first what takes time.
func build(user io.Writer) (site, error) {
	fmt.Fprintln(user, "serve: building the page, which takes up to half a minute for the first time")
	folder, err := goCommand("list", "-f", "{{.Dir}}", program)
	if err != nil {
		return nil, err
	}
	goroot, err := goCommand("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	s := make(site)
	if s["wasm_exec.js"], err = os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")); err != nil {
		return nil, err
	}
	if err := s.read(os.DirFS(filepath.Join(folder, "page"))); err != nil {
		return nil, err
	}
	var compressed [][]byte
	for _, p := range programs {
		wasm, err := compile(p.tags)
		if err != nil {
			return nil, err
		}
		file, err := compress(wasm)
		if err != nil {
			return nil, err
		}
		compressed = append(compressed, file)
	}
	peers, err := os.ReadFile(filepath.Join(folder, "..", "evaluation", "results", "emerald-rapids", "peers.csv"))
	if err != nil {
		return nil, err
	}
	native, err := nativeTimes(peers)
	if err != nil {
		return nil, err
	}
	s.add(compressed, native)
	return s, nil
}

// nativeTimes returns what the evaluation has measured, its file peers.csv, as JSON: the name
// of the machine, and for each test the nanoseconds by instruction set or peer.
func nativeTimes(peers []byte) ([]byte, error) {
	lines, err := csv.NewReader(bytes.NewReader(peers)).ReadAll()
	if err != nil {
		return nil, err
	}
	var times struct {
		Machine string                        `json:"machine"`
		Tests   map[string]map[string]float64 `json:"tests"`
	}
	times.Tests = make(map[string]map[string]float64)
	column := func(line []string, name string) string { return line[slices.Index(lines[0], name)] }
	for _, line := range lines[1:] {
		test := column(line, "test")
		if times.Tests[test] == nil {
			times.Tests[test] = make(map[string]float64)
		}
		if times.Tests[test][column(line, "by")], err = strconv.ParseFloat(column(line, "ns"), 64); err != nil {
			return nil, err
		}
		times.Machine, _, _ = strings.Cut(strings.ReplaceAll(column(line, "machine"), "(R)", ""), " (")
	}
	return json.Marshal(times)
}

// read adds the files of fsys.
func (s site) read(fsys fs.FS) error {
	return fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			s[name], err = fs.ReadFile(fsys, name)
		}
		return err
	})
}

// add adds the compressed programs, what tells the page of them and of native times, and what
// tells its service worker of the files.
func (s site) add(compressed [][]byte, native []byte) {
	type file struct {
		Name string `json:"name"`
		Size int    `json:"size"` // bytes
	}
	names := make(map[string]file)
	for i, data := range compressed {
		// The name changes with the content, so that caches may keep it forever. Its extension
		// means nothing, so that no server tells browsers of the compression, or compresses it.
		name := fmt.Sprintf("fast-%.8x.bin", sha256.Sum256(data))
		s[name] = data
		names[programs[i].name] = file{name, len(data)}
	}
	list, err := json.Marshal(names)
	if err != nil {
		panic(err) // there are only strings and numbers
	}
	s["program.js"] = fmt.Appendf(nil, "export const programs = %s;\nexport const native = %s;\n", list, native)

	version := sha256.New()
	var files []string // that the service worker keeps from the start
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(version, "%s %x\n", name, sha256.Sum256(s[name]))
		if path.Ext(name) != ".bin" || name == names[programs[0].name].Name {
			files = append(files, name)
		}
	}
	s["files.js"] = fmt.Appendf(nil, "const version = \"%.8x\";\nconst files = [\n  \"./\",\n  \"%s\",\n];\n",
		version.Sum(nil), strings.Join(files, "\",\n  \""))
}

// compress compresses data with gzip.
func compress(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// compile returns the program with some tags as WebAssembly, with the kernels that it calls.
func compile(tags string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "fast-web-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "fast.wasm")
	// It contains neither the path of the sources nor the commit, so it changes with the code
	// only.
	if _, err := goCommand("build", "-tags="+tags, "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, program); err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if wasm, err = joinSegments(wasm); err != nil {
		return nil, err
	}
	return simd128.Append(wasm), nil
}

// goCommand runs the command go for WebAssembly, and returns what it prints.
func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("go %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

// types are the media types of files. Those of the system may differ.
var types = map[string]string{
	".bin":  "application/octet-stream",
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".jpg":  "image/jpeg",
	".js":   "text/javascript; charset=utf-8",
	".md":   "text/plain; charset=utf-8",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	".webp": "image/webp",
}

// compressible are the extensions of files that are sent in a compressed form.
var compressible = map[string]bool{".css": true, ".html": true, ".js": true, ".svg": true}

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
	if path.Ext(name) == ".bin" {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache") // ask each time whether the file has changed
		h.Set("ETag", fmt.Sprintf(`"%.8x"`, sha256.Sum256(data)))
	}
	if compressible[path.Ext(name)] {
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			if compressed, err := compress(data); err == nil {
				h.Set("Content-Encoding", "gzip")
				data = compressed
			}
		}
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
