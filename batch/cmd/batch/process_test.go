//go:build linux && amd64

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
)

// Workers that a runner starts run the program that has submitted the job, without its source
// and without Go, as Beam's boot program, which is in images, too, fetches it.
func TestProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles Beam's boot program")
	}
	boot := filepath.Join(os.Getenv(toolsDir), "boot")
	if os.Getenv(toolsDir) == "" {
		boot = filepath.Join(t.TempDir(), "boot")
		out, err := exec.Command("go", "build", "-o", boot, "github.com/apache/beam/sdks/v2/go/container").CombinedOutput()
		require.NoError(t, err, string(out))
	}
	config := processConfig(t, boot)
	_, endpoint := startPrism(t)
	t.Setenv("PATH", t.TempDir()) // no Go
	output := t.TempDir()
	images, err := filepath.Abs(photos)
	require.NoError(t, err)
	status, stdout, stderr := batchProgram(t, "features", "-input", images, "-output", output, "-runner=universal",
		"-endpoint="+endpoint, "-environment_type=PROCESS", "-environment_config="+config, "-v")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "images                11\n")
	require.Len(t, rows[batch.Keypoints](t, output, batch.FeaturesTable), 11)
}

// processConfig returns the configuration of an environment in which a runner starts workers by
// Beam's boot program.
func processConfig(t *testing.T, boot string) string {
	t.Helper()
	script, err := filepath.Abs("../../worker.sh")
	require.NoError(t, err)
	config, err := json.Marshal(map[string]any{"command": script, "env": map[string]string{
		role: "batch", "BATCH_BOOT": boot, "BATCH_WORKER_DIR": t.TempDir(),
	}})
	require.NoError(t, err)
	return string(config)
}

// The image's boot program is of the version of Beam that the workers have.
func TestImage(t *testing.T) {
	version := func(name, pattern string) string {
		file, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		found := regexp.MustCompile(pattern).FindSubmatch(file)
		require.NotNil(t, found, name)
		return string(found[1])
	}
	require.Equal(t, version("go.mod", `github.com/apache/beam/sdks/v2 (v\S+)`),
		version("Dockerfile", `github.com/apache/beam/sdks/v2/go/container@(v\S+)`))
	require.Equal(t, version("go.mod", `\ngo (\d+\.\d+)`), version("Dockerfile", `FROM golang:(\S+)`))
}
