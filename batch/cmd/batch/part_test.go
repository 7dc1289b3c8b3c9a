package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
)

// Parts that a cluster starts, and their commit, have the rows of a run on Beam.
func TestPartProgram(t *testing.T) {
	want, output := t.TempDir(), t.TempDir()
	status, _, stderr := batchProgram(t, "features", "-method=fast", "-input", photos, "-output", want)
	require.Zero(t, status, stderr)
	flags := []string{"-method=fast", "-input", photos, "-output", output}
	variables := []string{"JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX", "SLURM_ARRAY_TASK_ID"}
	for i, name := range variables {
		t.Setenv(name, string(rune('0'+i)))
		status, stdout, stderr := batchProgram(t, append([]string{"features", "-part=/3"}, flags...)...)
		require.Zero(t, status, stderr)
		require.NotZero(t, reported(t, stdout)["images"])
		require.NoError(t, os.Unsetenv(name))
		if i == 1 {
			status, _, stderr := batchProgram(t, append([]string{"commit", "-parts=3"}, flags...)...)
			require.Equal(t, 1, status)
			require.Regexp(t, `^batch: \d of \d+ groups are not done, with \d images: parts 3\n$`, stderr)
		}
	}
	status, stdout, stderr := batchProgram(t, append([]string{"commit"}, flags...)...)
	require.Zero(t, status, stderr)
	require.Regexp(t, `^rows of dead +0\nrows of features +11\nrows of sources +11\nfiles +\d+\nbytes +\d+\n$`, stdout)
	require.Equal(t, rows[batch.Corners](t, want, batch.FeaturesTable), rows[batch.Corners](t, output, batch.FeaturesTable))

	for _, env := range []map[string]string{
		{"SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_MIN": "1"}, {"JOB_COMPLETION_INDEX": "3"}, {"AWS_BATCH_JOB_ARRAY_INDEX": "x"}, {},
	} {
		for name, value := range env {
			t.Setenv(name, value)
		}
		status, _, stderr := batchProgram(t, append([]string{"features", "-part=/3"}, flags...)...)
		require.Equal(t, 2, status)
		require.Contains(t, stderr, "for flag -part: ")
		for name := range env {
			require.NoError(t, os.Unsetenv(name))
		}
	}
	for _, part := range []string{"0/3", "4/3", "1", "1/0", "x/3"} {
		status, _, stderr := batchProgram(t, append([]string{"features", "-part", part}, flags...)...)
		require.Equal(t, 2, status, part)
		require.Contains(t, stderr, "for flag -part: want ")
	}
	status, _, stderr = batchProgram(t, append([]string{"commit", "-part=1/3"}, flags...)...)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "-parts tells how many there are")
}

// A part of a million names begins within seconds.
func TestPartMany(t *testing.T) {
	if testing.Short() {
		t.Skip("a million names")
	}
	dir := t.TempDir()
	var text bytes.Buffer
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "%s/%08d.pgm,83,%d\n", dir, i, i)
	}
	names := filepath.Join(t.TempDir(), "names.csv")
	require.NoError(t, os.WriteFile(names, text.Bytes(), 0o666))
	began := time.Now()
	status, stdout, stderr := batchProgram(t, "features", "-names", names, "-output", t.TempDir(), "-part=1/1000")
	require.Zero(t, status, stderr)
	counts := reported(t, stdout)
	require.InDelta(t, 1000, counts["dead letters"], 200) // there are no such files
	require.InDelta(t, 16, counts["groups"], 1)
	t.Log(time.Since(began))
	require.Less(t, time.Since(began), 30*time.Second) // it is half a second on a machine with nothing else to do
}
