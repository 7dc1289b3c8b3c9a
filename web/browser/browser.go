// Package browser runs the page of this repository in Chromium, for its tests and for
// the program figures. It is a module of its own, so that the library does not depend on
// the packages that are needed here.
package browser

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
)

// A Server is a running program serve, which has built the page.
type Server struct {
	URL string // of the page, with a slash at the end
	cmd *exec.Cmd
}

// Root returns the directory of the repository.
func Root() (string, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/fastcorners/fast").Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	return string(bytes.TrimSpace(dir)), nil
}

// Build compiles the program serve into a directory and returns the path of the file.
func Build(dir string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "serve")
	cmd := exec.Command("go", "build", "-o", file, "./serve")
	cmd.Dir = filepath.Join(root, "web")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %s", out)
	}
	return file, nil
}

// Serve starts the program serve, a file, on a free port.
func Serve(file string) (*Server, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(file, "-addr", "127.0.0.1:0")
	cmd.Dir = filepath.Join(root, "web")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Server{cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.Close()
		return nil, errors.New("serve did not print an address")
	}
	s.URL = strings.TrimSpace(line)
	return s, nil
}

// Close ends the program.
func (s *Server) Close() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// Start starts Chromium without a window, with an empty directory for its files and with
// further flags; the value of a flag without one is true. The context is that of the
// first tab.
func Start(dir string, flags map[string]any) (context.Context, context.CancelFunc) {
	options := []chromedp.ExecAllocatorOption{
		chromedp.UserDataDir(dir),
		chromedp.Headless,
		chromedp.NoSandbox, // root cannot have one
		chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WindowSize(1280, 800),
	}
	for name, value := range flags {
		options = append(options, chromedp.Flag(name, value))
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	// Chromium may be newer, and have events that chromedp does not know.
	tab, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	return tab, func() {
		cancel()
		stop()
	}
}
