package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// written are the files that examples write.
var written = map[string][]string{
	"scan":      {"upright.png"},
	"ar":        {"ar.png"},
	"calibrate": {"camera.yaml", "straight.png", "views.png"},
	"stab":      {"steady.gif"},
	"track":     {"tracked.gif"},
	"dedup":     nil,
	"odometry":  {"way.txt", "way.png"},
	"onscreen":  {"onscreen.png"},
	"marker":    {"marker.gif"},
}

// TestRun runs all examples, as README.md says, in a directory that has what they read.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("examples take a minute")
	}
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "examples"), 0o777))
	for _, name := range []string{"testdata", filepath.Join("examples", "testdata")} {
		from, err := filepath.Abs(filepath.Join("..", name))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(from, filepath.Join(dir, name)))
	}
	commands := regexp.MustCompile(`(?m)^    go run \./examples/(\w+)$`).FindAllStringSubmatch(string(page), -1)
	require.Len(t, commands, len(written))
	for _, command := range commands {
		t.Run(command[1], func(t *testing.T) {
			files, ok := written[command[1]]
			require.True(t, ok)
			program := filepath.Join(t.TempDir(), "run")
			out, err := exec.Command("go", "build", "-o", program, "./"+command[1]).CombinedOutput()
			require.NoError(t, err, "%s", out)
			run := exec.Command(program)
			run.Dir = dir
			out, err = run.CombinedOutput()
			require.NoError(t, err, "%s", out)
			for _, file := range files {
				info, err := os.Stat(filepath.Join(dir, file))
				require.NoError(t, err)
				require.NotZero(t, info.Size())
			}
		})
	}
}
