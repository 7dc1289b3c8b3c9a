package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/fastcorners/fast/batch"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// role says what the test program is, if it does not test.
const role = "BATCH_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "batch":
		main()
	case "prism":
		servePrism()
	}
	os.Exit(m.Run())
}

// start starts the test program in another role. It is killed when the test ends, if not
// before.
func start(t *testing.T, as string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd = exec.Command(self, args...)
	cmd.Env = append(os.Environ(), role+"="+as)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, stdout, stderr
}

// batchProgram runs the program and returns its exit status and what it writes.
func batchProgram(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd, out, errs := start(t, "batch", args...)
	cmd.Wait()
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

const photos = "../../../testdata/photos/*.png"

// rows returns the rows of a table by their names, as text.
func rows[R any](t *testing.T, output, table string) map[string]bool {
	t.Helper()
	m, err := batch.ReadManifest(t.Context(), output)
	require.NoError(t, err)
	all := make(map[string]bool)
	for _, f := range m.Tables[table] {
		list, err := parquet.ReadFile[R](filepath.Join(output, f.Path))
		require.NoError(t, err)
		for _, row := range list {
			all[fmt.Sprint(row)] = true
		}
	}
	return all
}

// beginning is what the program says before what takes time.
const beginning = "batch: the pipeline starts; the report comes at its end\n"

func TestProgram(t *testing.T) {
	for _, method := range []string{"orb", "fast", "harris", "shi-tomasi", "lococo"} {
		output := t.TempDir()
		status, stdout, stderr := batchProgram(t, "features", "-method", method, "-input", photos, "-output", output, "-shards=4")
		require.Zero(t, status, stderr)
		require.Equal(t, beginning, stderr)
		things := "corners"
		if method == "orb" {
			things = "keypoints"
		}
		require.Regexp(t, `^images +11\ndead letters +0\nchanged +0\ngone +0\nkept +0\nmegapixels +5\.55\n`+things+` +[1-9]\d+\nseconds of decoding +\d+\.\d\d\nseconds of detecting +\d+\.\d\d\nfiles +8\n$`, stdout)
	}

	features, output := t.TempDir(), t.TempDir()
	status, _, stderr := batchProgram(t, "features", "-input", photos, "-output", features, "-shards=1")
	require.Zero(t, status, stderr)
	status, stdout, stderr := batchProgram(t, "matches", "-features", features, "-output", output)
	require.Zero(t, status, stderr)
	require.Equal(t, beginning, stderr)
	require.Regexp(t, `^pairs +55\ndead letters +0\nmatches +[1-9]\d+\nseconds of matching +\d+\.\d\d\nfiles +1\n$`, stdout)
	require.Len(t, rows[batch.Matches](t, output, batch.MatchesTable), 55)
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"features", "-h"}, {"matches", "-h"}, {"clean", "-h"}, {"verify", "-h"}} {
		status, stdout, stderr := batchProgram(t, args...)
		require.Zero(t, status)
		require.Empty(t, stderr)
		require.True(t, strings.HasPrefix(stdout, "Usage: batch "))
		require.Equal(t, !slices.Contains([]string{"clean", "verify"}, args[0]), strings.Contains(stdout, "-runner"))
		require.Less(t, strings.Count(stdout, "\n"), 25, "one screen")
	}
	for want, args := range map[string]string{
		"want features, matches, clean or verify":                  "",
		`"corners": want features, matches, clean or verify`:       "corners -input a",
		"want features, matches, clean or verify before the flags": "-method orb features",
		"flag provided but not defined: -what":                     "features -what",
		"flag -input is missing":                                   "features -output a",
		"flag -output is missing":                                  "matches -features a",
		"flag -features is missing":                                "matches -output a",
		`"b" is no flag`:                                           "features -input a b",
		"flag -arc is not for method orb":                          "features -input a -output b -arc 9",
		`invalid value "sift" for flag -method: want one`:          "features -input a -output b -method sift",
		`invalid value "8" for flag -arc: want a whole`:            "features -input a -output b -method fast -arc 8",
		`invalid value "1" for flag -scale: want more`:             "features -input a -output b -scale 1",
		"flag -async is for workers outside":                       "features -input a -output b -async",
		"invalid value 4 for flag -kernel: want an odd":            "features -input a -output b -method lococo -kernel 4",
		`invalid value "0" for flag -shards: want a whole`:         "features -input a -output b -shards 0",
	} {
		status, stdout, stderr := batchProgram(t, strings.Fields(args)...)
		require.Equal(t, 2, status, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "batch: "+want)
		require.True(t, strings.HasSuffix(stderr, " (run batch -h for help)\n"))
		require.Equal(t, 1, strings.Count(stderr, "\n"))
	}
	dir := t.TempDir()
	for want, args := range map[string][]string{
		beginning + "batch: " + dir + "/*.jpg: no file matches (-v tells more)\n":        {"features", "-input", dir + "/*.jpg", "-output", dir},
		beginning + "batch: " + dir + "/manifest.json: no such file or directory\n":      {"matches", "-features", dir, "-output", dir},
		beginning + "batch: file system scheme \"ftp\" not registered for \"ftp://a\"\n": {"features", "-input", "ftp://a", "-output", dir},
	} {
		status, stdout, stderr := batchProgram(t, args...)
		require.Equal(t, 1, status)
		require.Empty(t, stdout)
		require.Equal(t, want, stderr)
	}
}

// servePrism serves Prism until the process is killed. It writes its address first.
func servePrism() {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		panic(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: port})
	if err != nil {
		panic(err)
	}
	fmt.Printf("localhost:%d\n", port)
	select {}
}

// startPrism starts Prism in another process and returns its address.
func startPrism(t *testing.T) (cmd *exec.Cmd, endpoint string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), role+"=prism")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return cmd, strings.TrimSpace(line)
}

// onServer returns the flags for a server whose workers are in the program's process.
func onServer(endpoint string) []string {
	return []string{"-runner=universal", "-endpoint=" + endpoint, "-environment_type=LOOPBACK", "-workers=2"}
}

// Prism in another process gives the same rows.
func TestServer(t *testing.T) {
	_, endpoint := startPrism(t)
	embedded, remote := t.TempDir(), t.TempDir()
	status, _, stderr := batchProgram(t, "features", "-input", photos, "-output", embedded)
	require.Zero(t, status, stderr)
	status, stdout, stderr := batchProgram(t, append([]string{"features", "-input", photos, "-output", remote}, onServer(endpoint)...)...)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "images                11\n")
	want := rows[batch.Keypoints](t, embedded, batch.FeaturesTable)
	require.Len(t, want, 11)
	require.Equal(t, want, rows[batch.Keypoints](t, remote, batch.FeaturesTable))
}
