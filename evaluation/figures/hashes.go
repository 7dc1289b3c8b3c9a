package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/internal/cpu"
)

// otherGo is the version of Go that the results are compared with.
const otherGo = "go1.27.4"

// elsewhereFile has what was computed on machines that are not at hand.
const elsewhereFile = "hashes-elsewhere.txt"

// A build is a way to compile the program hashes.
type build struct {
	env  []string // its first element is GOARCH=...
	tags string
	// run is the command before the program, if the machine cannot run it alone.
	run []string
}

// A platform is a build and a way to run it.
type platform struct {
	name string
	build
	env  []string // of the program
	args []string
}

// A group is a line that the program hashes prints.
type group struct {
	name    string
	results int
	hash    string
}

// parseGroups returns the lines.
func parseGroups(out string) ([]group, error) {
	var list []group
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("hashes printed %q", line)
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("hashes printed %q", line)
		}
		list = append(list, group{fields[0], n, fields[2]})
	}
	return list, nil
}

// parseElsewhere returns the platforms and the groups that a program printed, after lines with
// the names of the platforms.
func parseElsewhere(out string) (list []platform, computed []computation, err error) {
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "\t") {
			list = append(list, platform{name: strings.TrimSpace(line)})
			computed = append(computed, computation{})
			continue
		}
		groups, err := parseGroups(line)
		if err != nil {
			return nil, nil, err
		}
		if len(computed) == 0 {
			return nil, nil, fmt.Errorf("no platform before %q", line)
		}
		last := &computed[len(computed)-1]
		last.groups = append(last.groups, groups...)
	}
	return list, computed, nil
}

// different returns how many of the results are in groups that are not those of the first
// list, by their hashes.
func different(want, got []group) (results, different int) {
	for _, g := range got {
		results += g.results
		if !slices.Contains(want, g) {
			different += g.results
		}
	}
	return results, different
}

// A computer compiles the program hashes and runs it.
type computer struct {
	s        *session
	dir      string     // of the programs
	building sync.Mutex // go build has processes of its own for all processors
	built    map[string]string
}

// compile returns the program of a build.
func (c *computer) compile(b build) (string, error) {
	c.building.Lock()
	defer c.building.Unlock()
	key := fmt.Sprint(b.env, b.tags)
	if file, ok := c.built[key]; ok {
		return file, nil
	}
	file := filepath.Join(c.dir, strconv.Itoa(len(c.built)))
	cmd := exec.Command("go", "build", "-buildvcs=false", "-tags", b.tags, "-o", file, "./hashes")
	cmd.Dir = filepath.Join(c.s.root, "evaluation")
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), b.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, lastLine(out))
	}
	c.built[key] = file
	return file, nil
}

// lastLine returns the last line of a program's output.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// run returns what the program prints with the arguments.
func (c *computer) run(p platform, args ...string) (string, error) {
	if len(p.run) > 0 {
		if _, err := exec.LookPath(p.run[0]); err != nil {
			return "", err
		}
	}
	file, err := c.compile(p.build)
	if err != nil {
		return "", err
	}
	line := slices.Concat(p.run, []string{file}, p.args, args)
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, p.env) // Go for js has no room for more
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, lastLine(exit.Stderr))
		}
		return "", err
	}
	return string(out), nil
}

// compute returns the groups of a platform.
func (c *computer) compute(p platform) ([]group, error) {
	args := []string{"-photos", filepath.Join(c.s.root, "testdata", "photos")}
	if c.s.quick {
		args = append(args, "-small")
	}
	out, err := c.run(p, args...)
	if err != nil {
		return nil, err
	}
	return parseGroups(out)
}

// A computation is what a platform computed, or why it did not.
type computation struct {
	groups []group
	err    error
}

// computeAll returns the groups of each platform. It runs as many platforms at once as there are
// processors. It begins with the last ones, since those are emulated and take longest.
func (c *computer) computeAll(list []platform) []computation {
	done := make([]computation, len(list))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for i := range next {
				done[i].groups, done[i].err = c.compute(list[i])
				c.s.step()
			}
		})
	}
	for i := range slices.Backward(list) {
		next <- i
	}
	close(next)
	wg.Wait()
	return done
}

// elsewhere returns what other machines computed, and the group of pairs of sets, which GPUs have.
// It fails if something is not what this machine computes: either they are wrong, or their
// program was another one.
func (c *computer) elsewhere(want []group) (list []platform, computed []computation, pairs []group, err error) {
	text, err := os.ReadFile(filepath.Join(c.s.root, "evaluation", "results", elsewhereFile))
	if err != nil {
		return nil, nil, nil, err
	}
	if list, computed, err = parseElsewhere(string(text)); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", elsewhereFile, err)
	}
	here := platform{build: build{env: []string{"GOARCH=" + runtime.GOARCH}}}
	out, err := c.run(here, "-photos", filepath.Join(c.s.root, "testdata", "photos"), "-pairs")
	if err != nil {
		return nil, nil, nil, err
	}
	if pairs, err = parseGroups(out); err != nil {
		return nil, nil, nil, err
	}
	want = slices.Concat(want, pairs)
	for i, p := range list {
		if _, diff := different(want, computed[i].groups); diff > 0 {
			return nil, nil, nil, fmt.Errorf("%s: %s has %d other results: make them again, or leave them out", elsewhereFile, p.name, diff)
		}
	}
	return list, computed, pairs, nil
}

// withSets returns the platform with each instruction set that it can run, the best last.
func (c *computer) withSets(p platform) []platform {
	out, err := c.run(p, "-sets")
	if err != nil {
		return []platform{p} // whose row will say why
	}
	var list []platform
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "set\t"); ok {
			name, _, _ = strings.Cut(name, "\t")
			q := p
			q.name += ", " + name
			q.args = []string{"-set", name}
			list = append(list, q)
		}
	}
	return list
}

// native returns the platforms that are this processor: each instruction set, each block
// kernel, each feature switched off, and several workers.
func (c *computer) native() ([]platform, error) {
	here := build{env: []string{"GOARCH=" + runtime.GOARCH}}
	p := platform{name: runtime.GOARCH, build: here}
	list := c.withSets(p)
	out, err := c.run(p, "-sets")
	if err != nil {
		return nil, err
	}
	features := map[string]bool{"all": true}
	always := strings.ToLower(cpu.SSE2.String()) // GODEBUG cannot switch it off on amd64
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case fields[0] == "kernel":
			list = append(list, platform{p.name + ", block kernel " + fields[1], here, nil, []string{"-kernel", fields[1]}})
		case len(fields) == 3:
			for feature := range strings.FieldsSeq(strings.ToLower(fields[2])) {
				if feature != always {
					features[feature] = true
				}
			}
		}
	}
	list = append(list, platform{p.name + ", 3 workers", here, nil, []string{"-workers", "3"}})
	for _, feature := range slices.Sorted(maps.Keys(features)) {
		debug := "GODEBUG=cpu." + feature + "=off"
		list = append(list, platform{p.name + ", " + debug, here, []string{debug}, nil})
	}
	return list, nil
}

// foreign returns the other platforms, which need emulators, Node.js and another Go.
func (c *computer) foreign() ([]platform, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	node := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "go_js_wasm_exec")
	vectors := filepath.Join(c.s.root, "web", "simd128", "go_js_wasm_exec")
	arch := func(name string, env ...string) build {
		return build{env: append([]string{"GOARCH=" + name}, env...)}
	}
	under := func(b build, run ...string) build {
		b.run = run
		return b
	}
	tagged := func(b build, tags string) build {
		b.tags = tags
		return b
	}
	amd64, arm64 := arch("amd64"), under(arch("arm64"), "qemu-aarch64", "-cpu", "cortex-a53")
	js := under(arch("wasm", "GOOS=js"), node)
	other := "GOTOOLCHAIN=" + otherGo
	var list []platform
	for _, level := range []string{"v1", "v2", "v3", "v4"} {
		list = append(list, platform{name: "amd64, GOAMD64=" + level, build: arch("amd64", "GOAMD64="+level)})
	}
	list = append(list,
		platform{name: "amd64, build tag purego", build: tagged(amd64, "purego")},
		platform{name: "386", build: arch("386")},
		platform{name: "386, GO386=softfloat", build: arch("386", "GO386=softfloat")},
	)
	list = append(list, c.withSets(platform{name: "amd64, qemu64", build: under(amd64, "qemu-x86_64", "-cpu", "qemu64")})...)
	list = append(list, c.withSets(platform{name: "arm64, Cortex-A53 emulated", build: arm64})...)
	list = append(list,
		platform{name: "s390x, big-endian, emulated", build: under(arch("s390x"), "qemu-s390x")},
		platform{name: "wasm in Node.js", build: js},
	)
	list = append(list, c.withSets(platform{name: "wasm in Node.js, build tag simd128", build: tagged(under(js, vectors), "simd128")})...)
	emulated := arch("arm64", other)
	emulated.run = arm64.run
	list = append(list, c.withSets(platform{name: "amd64, " + otherGo, build: arch("amd64", other)})...)
	return append(list,
		platform{name: "amd64, GOAMD64=v3, " + otherGo, build: arch("amd64", "GOAMD64=v3", other)},
		platform{name: "386, " + otherGo, build: arch("386", other)},
		platform{name: "arm64, Cortex-A53 emulated, " + otherGo, build: emulated},
	), nil
}

// hashes compares what all packages compute on many platforms, and with OpenCV.
func hashes(s *session) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "hashes")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := &computer{s: s, dir: dir, built: map[string]string{}}
	list, err := c.native()
	if err != nil {
		return nil, err
	}
	if !s.quick {
		others, err := c.foreign()
		if err != nil {
			return nil, err
		}
		list = append(list, others...)
	}
	s.steps(len(list))
	want, err := c.compute(list[0])
	if err != nil {
		return nil, err
	}
	s.step()
	computed := []computation{{groups: want}}
	machines := ""
	if s.quick {
		computed = append(computed, c.computeAll(list[1:])...)
	} else {
		// They come first, for if they are wrong, the others need not be computed.
		others, there, pairs, err := c.elsewhere(want)
		if err != nil {
			return nil, err
		}
		computed = slices.Concat(computed, c.computeAll(list[1:]), there)
		list, want = append(list, others...), append(want, pairs...)
		machines = " The last rows are from other machines, by the programs `hashes` of this module and, for GPUs, of the module [gpu](../../gpu), " +
			"which find the matches of pairs of sets."
	}
	var rows [][]string
	total, wrong, missing := 0, 0, 0
	for i, p := range list {
		if err := computed[i].err; err != nil {
			missing++
			rows = append(rows, []string{p.name, "not run: " + err.Error(), ""})
		} else {
			results, diff := different(want, computed[i].groups)
			total, wrong = total+results, wrong+diff
			rows = append(rows, []string{p.name, thousands(results), thousands(diff)})
		}
	}
	if wrong > 0 {
		return nil, fmt.Errorf("%d results differ:\n%s", wrong, table(1, platformHeader, rows))
	}
	results, _ := different(want, computed[0].groups)
	paragraphs := []string{
		fmt.Sprintf("Each platform computes the same %s results of all packages, of the photos in `testdata` and of images that were "+
			"made up. All bits count. What the first one, which is portable Go, computes is what the others must. "+
			"Block kernels find FAST-10 corners alone. "+
			"**%d different of %s on %d platforms.** %s", thousands(results), wrong, thousands(total), len(list)-missing, unavailable(missing)+machines),
		table(1, platformHeader, rows),
		"What is computed, and the first 16 digits of its SHA-256 hash:",
		table(1, []string{"results", "number", "hash"}, groupRows(want)),
		"The module [gpu](../../gpu) has tests that compare matches on emulated devices everywhere, and [figures](../../gpu/results/nvidia-h200.md) " +
			"of an NVIDIA H200, where all matches of the pairs of sets compared were those of package match.",
	}
	opened, err := peers.Open()
	switch {
	case errors.Is(err, peers.ErrMissing):
		paragraphs = append(paragraphs, "OpenCV was not compared: "+err.Error()+".")
	case err != nil:
		return nil, err
	default:
		others, err := s.compareOpenCV(opened, dir)
		if err != nil {
			return nil, err
		}
		paragraphs = append(paragraphs, others...)
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# One answer everywhere\n\n%s · %s %s/%s · %s · commit %s\n\n%s\n", s.stamp.machine,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, s.stamp.date, s.stamp.commit, strings.Join(paragraphs, "\n\n"))
	return map[string][]byte{"hashes.md": page.Bytes()}, nil
}

var platformHeader = []string{"platform", "results", "different"}

// unavailable says that platforms could not be compared.
func unavailable(n int) string {
	if n == 0 {
		return "Every one could be run."
	}
	return fmt.Sprintf("%d could not be run on this machine.", n)
}

// groupRows returns the rows of a table.
func groupRows(list []group) [][]string {
	var rows [][]string
	for _, g := range list {
		rows = append(rows, []string{g.name, thousands(g.results), "`" + g.hash + "`"})
	}
	return rows
}

// thousands returns n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return cmp.Or(s, "0")
}
