package main

import (
	"net"
	"testing"
	"time"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
)

// A runner that is not there, or does not answer, is told in one line, in seconds.
func TestNoRunner(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	silent := listener.Addr().String() // takes connections, and says nothing
	defer listener.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := closed.Addr().String()
	closed.Close()
	for address, want := range map[string]string{
		nobody: "batch: the runner cannot be reached: dial tcp " + nobody + ": connect: connection refused\n",
		silent: "batch: the runner at " + silent + " does not answer\n",
	} {
		for _, runner := range []string{"flink", "spark", "universal"} {
			if runner != "flink" && address == silent {
				continue
			}
			began := time.Now()
			status, stdout, stderr := batchProgram(t, "features", "-input", photos, "-output", t.TempDir(), "-runner", runner, "-endpoint", address)
			require.Equal(t, 1, status)
			require.Empty(t, stdout)
			require.Equal(t, beginning+want, stderr)
			require.Less(t, time.Since(began), 40*time.Second)
		}
	}
	// No runner but one has a dry run: others would do everything.
	for _, runner := range []string{"", "flink"} {
		status, _, stderr := batchProgram(t, "features", "-input", photos, "-output", t.TempDir(), "-runner", runner, "-dry_run")
		require.Equal(t, 2, status)
		require.Equal(t, "batch: flag -dry_run is for -runner dataflow (run batch -h for help)\n", stderr)
	}
	status, _, stderr := batchProgram(t, "features", "-input", photos, "-output", t.TempDir(), "-runner=dataflow", "-dry_run",
		"-project=p", "-region=r", "-staging_location=gs://b/s", "-worker_binary=/dev/null")
	require.Zero(t, status, stderr)
	require.Contains(t, stderr, "Dry-run: not submitting job!")
}

// Progress is told while there is some.
func TestProgress(t *testing.T) {
	input := linkImages(t, 200)
	line := `(?m)^batch: \d+ of 200 images \(\d+ %\), \d+\.\d a second, .*B, .*s left, 0 dead letters$`
	status, _, stderr := batchProgram(t, "features", "-progress=20ms", "-input", input+"/*", "-output", t.TempDir())
	require.Zero(t, status, stderr)
	require.Regexp(t, line, stderr)
	status, _, stderr = batchProgram(t, "features", "-progress=20ms", "-part=1/1", "-input", input+"/*", "-output", t.TempDir())
	require.Zero(t, status, stderr)
	require.Regexp(t, line, stderr)
	for want, now := range map[string]batch.Progress{
		"30 of 50 images (60 %), 5.0 a second, 2 KiB, 4s left, 1 dead letters, 3 requests made again": {Todo: 50, Done: 30, Adopted: 20, Dead: 1, Bytes: 2048, Retries: 3},
		"50 of 50 images (100 %), 25.0 a second, 0 dead letters":                                      {Todo: 50, Done: 50},
		"7 images, 3.5 a second, 0 dead letters":                                                      {Done: 7},
	} {
		require.Equal(t, want, progressLine(batch.Progress{}, now, 2*time.Second, "images"))
	}
}
