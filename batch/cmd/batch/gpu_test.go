//go:build gpu && linux && (amd64 || arm64)

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
)

// TestGPU checks that a GPU, an emulated one, finds what the processor finds.
func TestGPU(t *testing.T) {
	driver := t.TempDir()
	library := filepath.Join(driver, "libcuda.so.1")
	out, err := exec.Command("clang++-19", "-std=c++20", "-O2", "-shared", "-fPIC", "-o", library, "../../../gpu/kernels/driver.cpp").CombinedOutput()
	require.NoError(t, err, string(out))
	features := t.TempDir()
	status, _, stderr := batchProgram(t, "features", "-method", "orb", "-features", "200", "-shards", "2", "-input", photos, "-output", features)
	require.Zero(t, status, stderr)
	images, err := filepath.Glob(photos)
	require.NoError(t, err)
	pairs := filepath.Join(t.TempDir(), "pairs.csv")
	require.NoError(t, os.WriteFile(pairs, []byte(images[0]+","+images[1]+"\n"+images[2]+","+images[0]+"\n"), 0o666))
	for _, args := range [][]string{{"-ratio", "0.9"}, {"-cross-check=false", "-max-distance", "60"}, {"-pairs", pairs}} {
		args = append([]string{"matches", "-features", features}, args...)
		want := t.TempDir()
		status, _, stderr := batchProgram(t, append(args, "-output", want)...)
		require.Zero(t, status, stderr)
		t.Setenv("LD_LIBRARY_PATH", driver)
		got := t.TempDir()
		status, stdout, stderr := batchProgram(t, append(args, "-gpu", "-output", got)...)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "seconds of matching")
		require.NotEmpty(t, rows[batch.Matches](t, want, batch.MatchesTable))
		require.Equal(t, rows[batch.Matches](t, want, batch.MatchesTable), rows[batch.Matches](t, got, batch.MatchesTable))
	}

	// Not what is called a driver.
	require.NoError(t, os.WriteFile(library, nil, 0o666))
	status, _, stderr = batchProgram(t, "matches", "-features", features, "-output", t.TempDir(), "-gpu")
	require.NotZero(t, status)
	require.Contains(t, stderr, "gpu: there is no NVIDIA driver: ")
}
