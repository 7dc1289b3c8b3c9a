//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
)

// pieces returns how many complete pieces there are in a local output.
func pieces(t *testing.T, output string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(output, "pieces/*/*/*/piece*"))
	require.NoError(t, err)
	return len(found)
}

// killAt starts the program and kills it when there is a number of pieces. If it is too late for
// that, it begins again, and after some times with fewer.
func killAt(t *testing.T, output string, n int, args ...string) {
	t.Helper()
	for attempt := range 20 {
		if attempt%4 == 3 {
			n -= n / 4
		}
		require.NoError(t, os.RemoveAll(output))
		cmd, _, _ := start(t, "batch", args...)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for running := true; running && pieces(t, output) < n; time.Sleep(time.Millisecond) {
			select {
			case <-ended:
				running = false
				ended <- nil
			default:
			}
		}
		cmd.Process.Kill()
		<-ended
		if cmd.ProcessState.ExitCode() == -1 && pieces(t, output) >= n {
			return
		}
	}
	t.Fatal("it is too fast to be killed")
}

// After a kill the next run does what was not done, and the groups that were worked on.
func TestResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("several runs")
	}
	resumes(t, t.TempDir(), func(local string) string { return local })
}

// resumes kills runs of features and of matches that write to directories in a local one, which the
// program knows by the names that a function gives.
func resumes(t *testing.T, local string, named func(local string) string) {
	t.Helper()
	const images, groups, kill, largest = 900, 24, 22, 67
	input, features := linkImages(t, images), t.TempDir()
	output := filepath.Join(local, "features")
	args := []string{"features", "-features=200", "-input", input + "/*", "-shards=3", "-workers=1", "-output"}
	status, _, stderr := batchProgram(t, append(args, features)...)
	require.Zero(t, status, stderr)
	killAt(t, output, kill, append(args, named(output))...)
	have := pieces(t, output)
	status, stdout, stderr := batchProgram(t, append(args, named(output))...)
	require.Zero(t, status, stderr)
	counts := reported(t, stdout)
	t.Logf("%d of %d pieces, %d of %d images adopted", have, groups, counts["adopted"], images)
	require.Equal(t, images, counts["images"]+counts["adopted"])
	require.LessOrEqual(t, counts["images"], (groups-have)*largest)
	require.Zero(t, pieces(t, output))
	require.Equal(t, rows[batch.Keypoints](t, features, batch.FeaturesTable), rows[batch.Keypoints](t, output, batch.FeaturesTable))
	verified, err := batch.Verify(t.Context(), named(output), 2)
	require.NoError(t, err)
	require.Empty(t, verified.Problems)

	// So do matches. A shard of 300 images or so has five blocks of at least 8192 pairs, and a rest. Of
	// pairs in a file, three shards have groups of 256, and a rest, and some have no features.
	pairs, total := writePairs(t, input, images, 40)
	for _, test := range []struct {
		name       string
		flags      []string
		kill, each int
	}{
		{"all pairs", nil, 13, 8192},
		{"pairs", []string{"-pairs", pairs}, total/256 - total/2560, 256},
	} {
		args := append([]string{"matches", "-workers=1", "-max-distance=5", "-shards=3", "-features", features}, test.flags...)
		matches, output := t.TempDir(), filepath.Join(local, test.name)
		status, stdout, stderr = batchProgram(t, append(args, "-output", matches)...)
		require.Zero(t, status, stderr)
		counts := reported(t, stdout)
		pairs := counts["pairs"] + counts["dead letters"]
		killAt(t, output, test.kill, append(args, "-output", named(output))...)
		have = pieces(t, output)
		status, stdout, stderr = batchProgram(t, append(args, "-output", named(output))...)
		require.Zero(t, status, stderr)
		counts = reported(t, stdout)
		t.Logf("%s: %d pieces, %d of %d adopted", test.name, have, counts["adopted"], pairs)
		require.Equal(t, pairs, counts["pairs"]+counts["dead letters"]+counts["adopted"])
		require.GreaterOrEqual(t, counts["adopted"], (have-3)*test.each)
		require.Zero(t, pieces(t, output))
		require.Equal(t, rows[batch.Matches](t, matches, batch.MatchesTable), rows[batch.Matches](t, output, batch.MatchesTable))
		require.Equal(t, rows[batch.DeadLetter](t, matches, batch.DeadTable), rows[batch.DeadLetter](t, output, batch.DeadTable))
	}
}

// writePairs writes a file with pairs of the images that linkImages has made, each with some that
// follow, and with images that are not there. It returns how many pairs they are.
func writePairs(t *testing.T, input string, images, each int) (path string, total int) {
	t.Helper()
	var text strings.Builder
	for i := range images {
		for j := i; j < i+each; j++ { // a few end where there are no images
			fmt.Fprintf(&text, "%s/%04d.png,%[1]s/%04[3]d.png\n", input, i, j)
			total++
		}
	}
	path = filepath.Join(t.TempDir(), "pairs.csv")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o666))
	return path, total
}

// Kills at random moments cost what was worked on, and the rows are those of a run that nothing has
// disturbed.
func TestRandomKills(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs")
	}
	input := linkImages(t, 600)
	require.NoError(t, os.WriteFile(filepath.Join(input, "broken.png"), []byte("broken"), 0o666))
	orb, sift := t.TempDir(), t.TempDir()
	randomKills[batch.Keypoints](t, orb, batch.FeaturesTable, 20, 601, "features", "-all", "-features=100", "-input", input+"/*")
	randomKills[batch.SIFTKeypoints](t, sift, batch.FeaturesTable, 5, 100, "features", "-all", "-method=sift", "-doubling=false", "-features=100", "-input", input+"/00*.png")
	pairs, total := writePairs(t, input, 500, 20)
	randomKills[batch.Matches](t, t.TempDir(), batch.MatchesTable, 20, total, "matches", "-pairs", pairs, "-features", orb)
	randomKills[batch.Matches](t, t.TempDir(), batch.MatchesTable, 5, 0, "matches", "-features", orb)
	pairs, total = writePairs(t, input, 90, 10)
	randomKills[batch.Matches](t, t.TempDir(), batch.MatchesTable, 5, total, "matches", "-pairs", pairs, "-features", sift)
}

// randomKills runs the program undisturbed with a first output, and then with another one, where it
// is killed a number of times before it may end. The number of rows, if it is not 0, is to be the given one.
func randomKills[R batch.Row](t *testing.T, want, table string, times, all int, args ...string) {
	t.Helper()
	began := time.Now()
	status, _, stderr := batchProgram(t, append(args, "-output", want)...)
	require.Zero(t, status, stderr)
	took := time.Since(began)
	output := t.TempDir()
	args = append(args, "-output", output)
	finished := 0
	for kills := 0; kills < times; {
		cmd, _, _ := start(t, "batch", args...)
		time.Sleep(rand.N(took))
		cmd.Process.Kill()
		cmd.Wait()
		if cmd.ProcessState.ExitCode() == 0 {
			finished++ // before it was killed; then all is done again
			continue
		}
		require.Equal(t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
		kills++
	}
	status, stdout, stderr := batchProgram(t, args...)
	require.Zero(t, status, stderr)
	counts := reported(t, stdout)
	done := counts["images"] + counts["pairs"] + counts["dead letters"]
	t.Logf("%s: %d runs were not killed; the last one did %d of %d", strings.Join(args[:3], " "), finished, done, done+counts["adopted"])
	if all > 0 {
		require.Equal(t, all, done+counts["adopted"])
	}
	require.Equal(t, rows[R](t, want, table), rows[R](t, output, table))
	require.Equal(t, rows[batch.DeadLetter](t, want, batch.DeadTable), rows[batch.DeadLetter](t, output, batch.DeadTable))
	verified, err := batch.Verify(t.Context(), output, 1)
	require.NoError(t, err)
	require.Empty(t, verified.Problems)
}

// Of two runs at once, one or both succeed: the other one is told in one line that it has been
// overtaken. The results are whole.
func TestTwoRuns(t *testing.T) {
	input := linkImages(t, 200)
	for range 4 {
		output := t.TempDir()
		type running struct {
			wait   func() error
			status func() int
			stderr *bytes.Buffer
		}
		var both []running
		for range 2 {
			cmd, _, stderr := start(t, "batch", "features", "-input", input+"/*", "-output", output, "-shards=3")
			both = append(both, running{cmd.Wait, func() int { return cmd.ProcessState.ExitCode() }, stderr})
		}
		ended := 0
		for _, r := range both {
			r.wait()
			if r.status() == 0 {
				ended++
				continue
			}
			require.Equal(t, 1, r.status())
			said := strings.TrimPrefix(r.stderr.String(), beginning)
			// The second one holds if the other run replaces the manifest that this one has just written.
			require.Regexp(t, `^batch: (run \S+ has written results meanwhile, where there were none when this run began \(-v tells more\)|`+
				`the pipeline was canceled, or run \S+ has replaced its results)\n$`, said)
		}
		require.NotZero(t, ended)
		require.Len(t, rows[batch.Keypoints](t, output, batch.FeaturesTable), 200)
		verified, err := batch.Verify(t.Context(), output, 1)
		require.NoError(t, err)
		require.Empty(t, verified.Problems)
	}
}

// A program that ends by a signal holds nothing against the images that it has interrupted.
func TestInterrupted(t *testing.T) {
	input, pipe := inputWithPipe(t)
	output := t.TempDir()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, _, stderr := start(t, "batch", "features", "-input", input+"/*", "-output", output, "-shards=1")
		openPipe(t, pipe)
		trials := filepath.Join(output, "pieces/*/*/*/trial-*")
		for began := time.Now(); ; time.Sleep(time.Millisecond) { // until it has decoded another image
			found, err := filepath.Glob(trials)
			require.NoError(t, err)
			if len(found) > 0 {
				break
			}
			require.Less(t, time.Since(began), time.Minute)
		}
		require.NoError(t, cmd.Process.Signal(signal))
		cmd.Wait()
		require.Equal(t, 1, cmd.ProcessState.ExitCode())
		require.Contains(t, stderr.String(), "the next run goes on with what is done\n")
		found, err := filepath.Glob(trials)
		require.NoError(t, err)
		require.Empty(t, found)
	}
}
