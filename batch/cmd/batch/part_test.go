package main

import (
	"os"
	"testing"

	"github.com/fastcorners/fast/batch"
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
