//go:build linux && amd64

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gcs "cloud.google.com/go/storage"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
)

// A google is a server of Google Cloud Storage. It has objects in a directory.
type google struct {
	dir, address string
	cmd          *exec.Cmd
	client       *gcs.Client
}

func startGoogle(t *testing.T, buckets ...string) *google {
	t.Helper()
	g := &google{dir: t.TempDir(), address: freeAddress(t)}
	t.Setenv("STORAGE_EMULATOR_HOST", g.address)
	g.start(t)
	var err error
	g.client, err = gcs.NewClient(t.Context(), option.WithoutAuthentication())
	require.NoError(t, err)
	t.Cleanup(func() { g.client.Close() })
	for _, bucket := range buckets {
		require.NoError(t, g.client.Bucket(bucket).Create(t.Context(), "project", nil))
	}
	return g
}

func (g *google) start(t *testing.T) {
	t.Helper()
	host, port, _ := strings.Cut(g.address, ":")
	g.cmd = serve(t, g.address, tool(t, "fake-gcs-server"), "-scheme=http", "-host="+host, "-port="+port,
		"-public-host="+g.address, "-backend=filesystem", "-filesystem-root="+g.dir, "-log-level=error")
}

func (g *google) put(t *testing.T, bucket, key string, data []byte) {
	t.Helper()
	w := g.client.Bucket(bucket).Object(key).NewWriter(context.WithoutCancel(t.Context()))
	_, err := w.Write(data)
	require.NoError(t, err, "%q", key)
	require.NoError(t, w.Close(), "%q", key)
}

// keys returns the keys of a bucket that begin with a prefix.
func (g *google) keys(t *testing.T, bucket, prefix string) (keys []string) {
	t.Helper()
	objects := g.client.Bucket(bucket).Objects(t.Context(), &gcs.Query{Prefix: prefix})
	for {
		o, err := objects.Next()
		if errors.Is(err, iterator.Done) {
			return keys
		}
		require.NoError(t, err)
		keys = append(keys, o.Name)
	}
}

// download copies the objects of a bucket whose keys begin with a prefix to a directory.
func (g *google) download(t *testing.T, bucket, prefix string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, key := range g.keys(t, bucket, prefix) {
		r, err := g.client.Bucket(bucket).Object(key).NewReader(t.Context())
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		path := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(key, prefix)))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
	return dir
}

// slow has what talks to the server do so by way of another one, which lets each object be written
// once a second, as Google Cloud Storage does. It returns how many writes were refused.
func (g *google) slow(t *testing.T) (refused *atomic.Int32) {
	t.Helper()
	refused = new(atomic.Int32)
	var mu sync.Mutex
	written := make(map[string]time.Time)
	name := regexp.MustCompile(`"name": ?"[^"]+"`)
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: g.address})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/upload/") {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return // the program was killed
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			mu.Lock()
			key := string(name.Find(body))
			early := time.Since(written[key]) < time.Second
			if !early {
				written[key] = time.Now()
			}
			mu.Unlock()
			if early {
				refused.Add(1)
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
		}
		r.Host = g.address
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", server.Listener.Addr().String())
	return refused
}

// An image in Google Cloud Storage that kills the process becomes a dead letter, too, by records in an
// output there. None of these is left.
func TestGoogleLethal(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute of refused writes")
	}
	g := startGoogle(t, "photos", "out")
	input := lethalInput(t)
	files, err := os.ReadDir(input)
	require.NoError(t, err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(input, f.Name()))
		require.NoError(t, err)
		g.put(t, "photos", "in/"+f.Name(), data)
	}
	refused := g.slow(t)
	stdout := diesThrice(t, "gs://photos/in", "gs://out/x")
	t.Logf("%d writes were refused", refused.Load())
	require.NotZero(t, refused.Load())
	for _, key := range g.keys(t, "out", "") {
		require.NotContains(t, key, "/pieces/")
	}
	requireLethal(t, "gs://photos/in", g.download(t, "out", "x/"), stdout)
}

// Objects of Google Cloud Storage are found by their keys, whatever is in them, and read from a tar
// file, too. Nothing is left of pieces and of records of trials.
func TestGoogleNames(t *testing.T) {
	g := startGoogle(t, "photos", "out")
	local := t.TempDir()
	want := make(map[string]bool)
	for i, key := range []string{"per%41cent.jpg", "perAcent.jpg", "a#b", "a?b", `a\b`, "a[b]", "a%zzb", "a b+c", "ä", "日本", "%", "a&b=c", "a;b", "'\"<>", "-x", ".x"} {
		g.put(t, "photos", "hell/"+key, noise(t, 20+i, 10))
		want[fmt.Sprint(batch.Corners{Name: "gs://photos/hell/" + key, Width: int32(20 + i), Height: 10})] = true
	}
	args := []string{"features", "-method=fast", "-threshold=254", "-input=gs://photos/hell/*", "-output"}
	const output = "gs://out/a #1%20/x"
	status, _, stderr := batchProgram(t, append(args, output)...)
	require.Zero(t, status, stderr)
	for _, key := range g.keys(t, "out", "") {
		require.NotContains(t, key, "/pieces/")
	}
	status, stdout, stderr := batchProgram(t, "verify", "-output", output)
	require.Zero(t, status, stderr)
	require.Equal(t, len(want), reported(t, stdout)["rows of features"])
	require.Zero(t, reported(t, stdout)["rows of dead"])
	status, _, stderr = batchProgram(t, append(args, local)...)
	require.Zero(t, status, stderr)
	require.Equal(t, want, rows[batch.Corners](t, local, batch.FeaturesTable))
	status, stdout, stderr = batchProgram(t, append(args, output)...) // nothing is new
	require.Zero(t, status, stderr)
	require.Equal(t, len(want), reported(t, stdout)["kept"])
	status, stdout, stderr = batchProgram(t, "clean", "-age=0", "-output", output)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "removed 0 files")
}

// A server of Google Cloud Storage that dies in the middle of a run leaves the former results, and
// the next run goes on.
func TestGoogleKilled(t *testing.T) {
	g := startGoogle(t, "photos", "out")
	const images = 300
	for i := range images {
		g.put(t, "photos", fmt.Sprintf("%d/%03d.png", i%3, i), noise(t, 300+i%20, 300))
	}
	run := func(input string) (int, string, string) {
		return batchProgram(t, "features", "-features=80", "-input", input, "-output=gs://out/x", "-shards=2", "-workers=1", "-retries=1", "-timeout=5s")
	}
	status, _, stderr := run("gs://photos/1/*")
	require.Zero(t, status, stderr)
	first, err := batch.ReadManifest(t.Context(), "gs://out/x")
	require.NoError(t, err)

	cmd, stdout, errs := start(t, "batch", "features", "-features=80", "-input=gs://photos/*/*.png", "-output=gs://out/x", "-shards=2", "-workers=1", "-retries=1", "-timeout=5s")
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		found, err := filepath.Glob(filepath.Join(g.dir, "out", "x", "pieces", "*", "*", "*", "piece*"))
		require.NoError(t, err)
		encoded, err := filepath.Glob(filepath.Join(g.dir, "out", "*pieces*piece"))
		require.NoError(t, err)
		if len(found)+len(encoded) > 0 {
			break
		}
		require.Less(t, time.Since(began), time.Minute, errs.String())
	}
	require.NoError(t, g.cmd.Process.Kill())
	cmd.Wait()
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	require.Empty(t, stdout.String())

	g.start(t)
	after, err := batch.ReadManifest(t.Context(), "gs://out/x")
	require.NoError(t, err)
	require.Equal(t, first, after)
	status, report, stderr := run("gs://photos/*/*.png")
	require.Zero(t, status, stderr)
	counts := reported(t, report)
	require.NotZero(t, counts["adopted"])
	require.Equal(t, images, counts["images"]+counts["adopted"]+counts["kept"])
	verified, err := batch.Verify(t.Context(), "gs://out/x", 2)
	require.NoError(t, err)
	require.Empty(t, verified.Problems)
}
