package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fastcorners/fast/batch"
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
