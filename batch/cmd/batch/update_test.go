package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
)

// makeImages writes small images to a new directory.
func makeImages(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		header := fmt.Sprintf("P5 8 %d 255\n", 7+i%3)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d.pgm", i)), append([]byte(header), make([]byte, 80)...), 0o666))
	}
	return dir
}

// A rerun does what is new, and says so if it does everything.
func TestRerun(t *testing.T) {
	dir, output := makeImages(t, 20), t.TempDir()
	features := func(args ...string) (stdout, stderr string) {
		t.Helper()
		status, stdout, stderr := batchProgram(t, append([]string{"features", "-method=fast", "-input", dir + "/*", "-output", output, "-shards=2"}, args...)...)
		require.Zero(t, status, stderr)
		return stdout, stderr
	}
	report, stderr := features()
	require.Regexp(t, `^images +20\ndead letters +0\nchanged +0\ngone +0\nkept +0\n`, report)
	require.Equal(t, beginning, stderr)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.pgm"), nil, 0o666))
	report, _ = features()
	require.Regexp(t, `^images +0\ndead letters +1\nchanged +0\ngone +0\nkept +20\n`, report)
	report, _ = features()
	require.Regexp(t, `^images +0\ndead letters +0\nchanged +0\ngone +0\nkept +21\n`, report)
	report, _ = features("-retry-dead")
	require.Regexp(t, `^images +0\ndead letters +1\nchanged +1\ngone +0\nkept +20\n`, report)
	report, stderr = features("-all")
	require.Regexp(t, `^images +20\ndead letters +1\nchanged +0\ngone +0\nkept +0\n`, report)
	require.Equal(t, beginning, stderr)
	report, stderr = features("-arc=9")
	require.Regexp(t, `^images +20\ndead letters +1\nchanged +0\ngone +0\nkept +0\n`, report)
	require.Equal(t, beginning+"batch: all images are done again: option ArcLength is 9, was 10\n", stderr)
}

// The results are cleaned of what other runs have left, and verified.
func TestCleanAndVerify(t *testing.T) {
	dir, output := makeImages(t, 10), t.TempDir()
	for range 2 {
		status, _, stderr := batchProgram(t, "features", "-all", "-method=fast", "-input", dir+"/*", "-output", output, "-shards=1")
		require.Zero(t, status, stderr)
	}
	status, stdout, stderr := batchProgram(t, "clean", "-output", output)
	require.Zero(t, status, stderr)
	require.Equal(t, "removed 0 files, 0 B\nkept 2 files of runs that may be in progress (-age)\n", stdout)
	status, stdout, _ = batchProgram(t, "clean", "-output", output, "-age=0", "-n")
	require.Zero(t, status)
	require.Regexp(t, `^`+output+`/\S+/features-\S+\n`+output+`/\S+/sources-\S+\n$`, stdout)
	status, stdout, _ = batchProgram(t, "clean", "-output", output, "-age=0")
	require.Zero(t, status)
	require.Regexp(t, `^removed 2 files, [1-9].*\n$`, stdout)

	status, stdout, stderr = batchProgram(t, "verify", "-output", output)
	require.Zero(t, status, stderr)
	require.Regexp(t, `^rows of dead +0\nrows of features +10\nrows of sources +10\nfiles +2\nbytes +[1-9]\d+\n$`, stdout)
	m, err := batch.ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(filepath.Join(output, m.Tables["features"][0].Path), 99))
	status, stdout, stderr = batchProgram(t, "verify", "-output", output)
	require.Equal(t, 1, status)
	require.Regexp(t, `^rows of dead +0\nrows of features +0\n`, stdout)
	require.Regexp(t, `^batch: \S+\.parquet: 99 bytes, want \d+\nbatch: 0 rows of features, want 10\nbatch: the results are not as the manifest says, in 2 ways\n$`, stderr)

	for want, args := range map[string][]string{
		"batch: flag -output is missing (run batch -h for help)\n":                {"clean"},
		"batch: " + dir + "/manifest.json: no such file or directory\n":           {"verify", "-output", dir},
		"batch: flag provided but not defined: -runner (run batch -h for help)\n": {"verify", "-output", dir, "-runner=flink"},
	} {
		status, _, stderr := batchProgram(t, args...)
		require.NotZero(t, status)
		require.Equal(t, want, stderr)
	}
}

// To find that nothing is new takes seconds.
func TestRerunMany(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 images")
	}
	dir, output := makeImages(t, 20_000), t.TempDir()
	args := []string{"features", "-method=fast", "-input", dir + "/*", "-output", output}
	status, _, stderr := batchProgram(t, args...)
	require.Zero(t, status, stderr)
	start := time.Now()
	status, stdout, stderr := batchProgram(t, args...)
	require.Zero(t, status, stderr)
	require.Regexp(t, `^images +0\ndead letters +0\nchanged +0\ngone +0\nkept +20000\n`, stdout)
	t.Log(time.Since(start))
	require.Less(t, time.Since(start), 30*time.Second) // it is 1 or so on a machine with nothing else to do
	require.Len(t, rows[batch.Source](t, output, batch.SourcesTable), 20_000)
}
