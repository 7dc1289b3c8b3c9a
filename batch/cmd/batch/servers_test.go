//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
)

// These tests need programs, which the check batch of .ci/run installs: versitygw, Beam's prism,
// and Beam's boot program by the name of boot. They are looked for in the directory that this
// variable names, and else in PATH.
const toolsDir = "BATCH_TEST_TOOLS"

// tool returns the path of a program, or skips the test if it is not there.
func tool(t *testing.T, name string) string {
	t.Helper()
	if dir := os.Getenv(toolsDir); dir != "" {
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%v; see %s", err, toolsDir)
	}
	return path
}

// serve starts a program that listens at an address. It is killed when the test ends, if not
// before, and so are the processes that it has started.
func serve(t *testing.T, address, path string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return cmd
		}
		require.Less(t, time.Since(began), time.Minute, "%s: %s", path, output.String())
	}
}

// freeAddress returns an address at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// A gateway is a server of S3. The objects of a bucket are files in a directory of its name.
type gateway struct {
	dir, address string
	cmd          *exec.Cmd
	client       *s3.Client
}

func startGateway(t *testing.T, buckets ...string) *gateway {
	t.Helper()
	g := &gateway{dir: t.TempDir(), address: freeAddress(t)}
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": "http://" + g.address, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
		"AWS_MAX_ATTEMPTS": "2", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		t.Setenv(name, value)
	}
	g.start(t)
	cfg, err := config.LoadDefaultConfig(t.Context())
	require.NoError(t, err)
	g.client = s3.NewFromConfig(cfg)
	for _, bucket := range buckets {
		_, err := g.client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket})
		require.NoError(t, err)
	}
	return g
}

func (g *gateway) start(t *testing.T) {
	t.Helper()
	g.cmd = serve(t, g.address, tool(t, "versitygw"), "--access=id", "--secret=secret", "--port="+g.address, "posix", g.dir)
}

func (g *gateway) put(t *testing.T, bucket, key string, data []byte) {
	t.Helper()
	_, err := g.client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data)})
	require.NoError(t, err, "%q", key)
}

// The pixels of each object are found by its key, whatever is in it.
func TestObjectNames(t *testing.T) {
	g := startGateway(t, "photos", "out")
	want := make(map[string]bool)
	for i, key := range []string{
		"per%41cent.jpg", "perAcent.jpg", "a#b", "a?b", "a*b", `a\b`, "a[b]", "a%zzb", "a b+c", "tab\tkey", "line\nkey", "return\rkey",
		"ä", "日本", "%", "%2e%2e", "a&b=c", "a;b", "'\"<>", "-x", ".x",
	} {
		g.put(t, "photos", "hell/"+key, noise(t, 20+i, 10))
		want[fmt.Sprint(batch.Corners{Name: "s3://photos/hell/" + key, Width: int32(20 + i), Height: 10})] = true
	}
	g.put(t, "photos", "hell/bell\akey", noise(t, 10, 10)) // this server does not list this key as it is
	status, _, stderr := batchProgram(t, "features", "-method=fast", "-threshold=254", "-input=s3://photos/hell/*", "-output=s3://out/a #1%20/x")
	require.Zero(t, status, stderr)
	require.Equal(t, want, rows[batch.Corners](t, filepath.Join(g.dir, "out/a #1%20/x"), batch.FeaturesTable))
	for dead := range rows[batch.DeadLetter](t, filepath.Join(g.dir, "out/a #1%20/x"), batch.DeadTable) {
		require.Regexp(t, `^\{s3://photos/hell/bell\x{fffd}key .*NoSuchKey`, dead)
	}
}

// A server that dies in the middle of a run leaves the results of the run before, and the next
// run is whole.
func TestObjectServerKilled(t *testing.T) {
	g := startGateway(t, "photos", "out")
	const images = 300
	for i := range images {
		g.put(t, "photos", fmt.Sprintf("%d/%03d.png", i%3, i), noise(t, 400+i, 300))
	}
	run := func(input string) (int, string, string) {
		return batchProgram(t, "features", "-input", input, "-output=s3://out/x", "-shards=2", "-workers=1", "-retries=1")
	}
	status, _, stderr := run("s3://photos/1/*")
	require.Zero(t, status, stderr)
	output := filepath.Join(g.dir, "out/x")
	first, err := batch.ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.Len(t, rows[batch.Keypoints](t, output, batch.FeaturesTable), images/3)
	pieces := filepath.Join(output, "pieces/*/*/*/piece*")

	cmd, stdout, errs := start(t, "batch", "features", "-input=s3://photos/*/*.png", "-output=s3://out/x", "-shards=2", "-workers=1", "-all", "-retries=1")
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		files, err := filepath.Glob(pieces)
		require.NoError(t, err)
		if len(files) > 0 {
			break
		}
		require.Less(t, time.Since(began), time.Minute, errs.String())
	}
	require.NoError(t, g.cmd.Process.Kill())
	cmd.Wait()
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	require.Empty(t, stdout.String())
	require.Contains(t, errs.String(), "s3://")
	after, err := batch.ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.Equal(t, first, after)

	g.start(t)
	status, _, stderr = run("s3://photos/*/*.png")
	require.Zero(t, status, stderr)
	require.Len(t, rows[batch.Keypoints](t, output, batch.FeaturesTable), images)
	status, _, stderr = batchProgram(t, "matches", "-features=s3://out/x", "-output=s3://out/y", "-pairs="+onePair(t, "s3://photos/1/001.png", "s3://photos/2/002.png"))
	require.Zero(t, status, stderr)
	require.Len(t, rows[batch.Matches](t, filepath.Join(g.dir, "out/y"), batch.MatchesTable), 1)
}

// Runs that write to a store go on, too.
func TestObjectResumes(t *testing.T) {
	g := startGateway(t, "out")
	resumes(t, filepath.Join(g.dir, "out"), func(local string) string {
		return "s3://out/" + filepath.Base(local)
	})
}

func onePair(t *testing.T, query, train string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pairs.csv")
	require.NoError(t, os.WriteFile(path, []byte(query+","+train+"\n"), 0o666))
	return path
}

// onPrism starts Prism and returns the flags for it, with workers that it starts as processes.
func onPrism(t *testing.T) (server *exec.Cmd, flags []string) {
	t.Helper()
	prism, config := tool(t, "prism"), processConfig(t, tool(t, "boot"))
	address := freeAddress(t)
	_, port, _ := strings.Cut(address, ":")
	server = serve(t, address, prism, "-serve_http=false", "-job_port="+port)
	return server, []string{"-runner=universal", "-endpoint=" + address, "-environment_type=PROCESS", "-environment_config=" + config}
}

// An image that kills the workers of a runner fails the job each time, which leaves no results,
// until it is left out.
func TestWorkerKilled(t *testing.T) {
	_, flags := onPrism(t)
	input, output := lethalInput(t), t.TempDir()
	args := append([]string{"features", "-input", input + "/*", "-output", output, "-shards=3"}, flags...)
	for range 3 {
		status, stdout, stderr := batchProgram(t, args...)
		require.Equal(t, 1, status, stderr)
		require.Empty(t, stdout)
		_, err := batch.ReadManifest(t.Context(), output)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	status, stdout, stderr := batchProgram(t, args...)
	require.Zero(t, status, stderr)
	requireLethal(t, input, output, stdout)
}

// When the runner is killed, the program fails, and the workers end.
func TestPrismKilled(t *testing.T) {
	server, flags := onPrism(t)
	input, pipe := inputWithPipe(t)
	output := t.TempDir()
	cmd, stdout, stderr := start(t, "batch", append([]string{"features", "-input", input + "/*", "-output", output}, flags...)...)
	openPipe(t, pipe)
	require.NoError(t, server.Process.Kill())
	cmd.Wait()
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), "batch: ")
	_, err := batch.ReadManifest(t.Context(), output)
	require.ErrorIs(t, err, os.ErrNotExist)
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, syscall.ENXIO) { // nobody reads
			return
		}
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.Less(t, time.Since(began), time.Minute)
	}
}
