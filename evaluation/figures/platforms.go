package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fastcorners/fast/internal/cpu"
)

// otherGo is the version of Go that the results are compared with.
const otherGo = "go1.27.4"

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
	file := filepath.Join(c.dir, fmt.Sprint("hashes", len(c.built)))
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
