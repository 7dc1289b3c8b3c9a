//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// inputWithPipe makes a directory of 20 images, and one that a pipe is behind: while the program decodes
// it, it waits for what nobody writes.
func inputWithPipe(t *testing.T) (input, pipe string) {
	t.Helper()
	input = t.TempDir()
	for i := range 20 {
		var file bytes.Buffer
		require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, 100, 100+i))))
		require.NoError(t, os.WriteFile(filepath.Join(input, fmt.Sprintf("%02d.png", i)), file.Bytes(), 0o666))
	}
	pipe = filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(input, piped), []byte(waiting+pipe), 0o666))
	return input, pipe
}

// piped is the name of the image that a pipe is behind, and waiting what it begins with. The name of the
// pipe follows.
const piped, waiting = "99.png", "waiting for "

func init() {
	image.RegisterFormat("waiting", waiting, func(r io.Reader) (image.Image, error) {
		text, err := io.ReadAll(r)
		if err == nil {
			_, err = os.ReadFile(string(text[len(waiting):]))
		}
		return image.NewGray(image.Rect(0, 0, 9, 9)), err
	}, func(io.Reader) (image.Config, error) {
		return image.Config{ColorModel: color.GrayModel, Width: 9, Height: 9}, nil
	})
}

// openPipe waits until the program reads the pipe.
func openPipe(t *testing.T, pipe string) *os.File {
	t.Helper()
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// A program that is killed in the middle leaves nothing that is taken for a result, the job
// has failed, and the next run is whole.
func TestKilled(t *testing.T) {
	_, endpoint := startPrism(t)
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	jobs := jobpb.NewJobServiceClient(conn)

	input, pipe := inputWithPipe(t)
	output := t.TempDir()
	args := append([]string{"features", "-input", input + "/*", "-output", output, "-shards=3"}, onServer(endpoint)...)
	cmd, _, _ := start(t, "batch", args...)
	w := openPipe(t, pipe)
	running, err := jobs.GetJobs(t.Context(), &jobpb.GetJobsRequest{})
	require.NoError(t, err)
	require.Len(t, running.JobInfo, 1)
	require.Equal(t, jobpb.JobState_RUNNING, running.JobInfo[0].State)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	require.Equal(t, -1, cmd.ProcessState.ExitCode())
	require.NoError(t, w.Close())
	_, err = batch.ReadManifest(t.Context(), output)
	require.ErrorContains(t, err, "no such file or directory")
	require.NoError(t, waitFailed(t, jobs, running.JobInfo[0].JobId))

	// Now it has nothing.
	require.NoError(t, os.WriteFile(filepath.Join(input, piped), nil, 0o666))
	status, stdout, stderr := batchProgram(t, args...)
	require.Zero(t, status, stderr)
	counts := reported(t, stdout)
	require.Equal(t, 21, counts["images"]+counts["dead letters"]+counts["adopted"])
	require.Len(t, rows[batch.Keypoints](t, output, batch.FeaturesTable), 20)
	require.Len(t, rows[batch.DeadLetter](t, output, batch.DeadTable), 1)
}

// An update that is killed leaves what it began with, and the next one completes it.
func TestUpdateKilled(t *testing.T) {
	input, pipe := inputWithPipe(t)
	output := t.TempDir()
	args := []string{"features", "-method=fast", "-input", input + "/0*", "-output", output, "-shards=2"}
	status, _, stderr := batchProgram(t, args...)
	require.Zero(t, status, stderr)
	before, err := batch.ReadManifest(t.Context(), output)
	require.NoError(t, err)
	// Some are gone, and those of the other pattern are new.
	require.NoError(t, os.Remove(filepath.Join(input, "01.png")))
	args[3] = input + "/*"
	cmd, _, _ := start(t, "batch", args...)
	openPipe(t, pipe)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	after, err := batch.ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.Equal(t, before, after)
	verified, err := batch.Verify(t.Context(), output, 1)
	require.NoError(t, err)
	require.Empty(t, verified.Problems)
	require.Len(t, rows[batch.Corners](t, output, batch.FeaturesTable), 10)

	require.NoError(t, os.Remove(filepath.Join(input, piped)))
	status, stdout, stderr := batchProgram(t, args...)
	require.Zero(t, status, stderr)
	require.Regexp(t, `\ndead letters +0\nchanged +0\ngone +1\nkept +9\n`, stdout)
	counts := reported(t, stdout)
	require.Equal(t, 10, counts["images"]+counts["adopted"])
	left, young, err := batch.Leftovers(t.Context(), output, 0)
	require.NoError(t, err)
	require.Zero(t, young)
	require.NotEmpty(t, left)
	require.NoError(t, batch.Remove(t.Context(), left))
	verified, err = batch.Verify(t.Context(), output, 1)
	require.NoError(t, err)
	require.Empty(t, verified.Problems)
}

// A program whose job is cancelled fails, too, though there is the manifest of a former run,
// and of another one meanwhile.
func TestCancelled(t *testing.T) {
	_, endpoint := startPrism(t)
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	output := t.TempDir()
	status, _, stderr := batchProgram(t, append([]string{"features", "-input", photos, "-output", output}, onServer(endpoint)...)...)
	require.Zero(t, status, stderr)
	input, pipe := inputWithPipe(t)
	cmd, stdout, errs := start(t, "batch", append([]string{"features", "-input", input + "/*", "-output", output}, onServer(endpoint)...)...)
	openPipe(t, pipe)
	status, _, stderr = batchProgram(t, "features", "-input", photos, "-output", output)
	require.Zero(t, status, stderr)
	jobs := jobpb.NewJobServiceClient(conn)
	all, err := jobs.GetJobs(t.Context(), &jobpb.GetJobsRequest{})
	require.NoError(t, err)
	for _, job := range all.JobInfo {
		if job.State == jobpb.JobState_RUNNING {
			_, err = jobs.Cancel(t.Context(), &jobpb.CancelJobRequest{JobId: job.JobId})
			require.NoError(t, err)
		}
	}
	cmd.Wait()
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	require.Empty(t, stdout.String())
	require.Regexp(t, `^`+beginning+`batch: the pipeline was canceled, or run \S+ has replaced its results\n$`, errs.String())
}

// A stuck is the local file system, of which some files never answer, whatever the context.
type stuck struct{ filesystem.Interface }

const stuckScheme = "stuck://"

func init() {
	filesystem.Register("stuck", func(ctx context.Context) filesystem.Interface { return stuck{local.New(ctx)} })
}

func (s stuck) List(ctx context.Context, pattern string) ([]string, error) {
	names, err := s.Interface.List(ctx, strings.TrimPrefix(pattern, stuckScheme))
	for i := range names {
		names[i] = stuckScheme + names[i]
	}
	return names, err
}

func (s stuck) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	if strings.HasSuffix(name, piped) {
		select {}
	}
	return s.Interface.OpenRead(ctx, strings.TrimPrefix(name, stuckScheme))
}

// A file that never answers, and cannot be told to, ends a run, as a store that does not.
func TestFileTimeout(t *testing.T) {
	input, _ := inputWithPipe(t)
	output := t.TempDir()
	args := []string{"features", "-input", stuckScheme + input + "/*", "-output", output, "-timeout=300ms", "-retries=1"}
	status, stdout, stderr := batchProgram(t, args...)
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, beginning+"batch: "+stuckScheme+input+"/"+piped+": no answer for 300ms (-timeout) (-v tells more)\n", stderr)
	require.NoError(t, os.Remove(filepath.Join(input, piped)))
	status, _, stderr = batchProgram(t, args...)
	require.Zero(t, status, stderr)
	require.Len(t, rows[batch.Keypoints](t, output, batch.FeaturesTable), 20)
}

// waitFailed waits until a job has failed.
func waitFailed(t *testing.T, jobs jobpb.JobServiceClient, id string) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream, err := jobs.GetStateStream(ctx, &jobpb.GetJobStateRequest{JobId: id})
	if err != nil {
		return err
	}
	for {
		state, err := stream.Recv()
		if err != nil {
			return err
		}
		t.Log(state.State)
		switch state.State {
		case jobpb.JobState_FAILED:
			return nil
		case jobpb.JobState_DONE, jobpb.JobState_CANCELLED:
			return fmt.Errorf("the job is %v", state.State)
		}
	}
}

// A program whose runner goes away fails.
func TestServerKilled(t *testing.T) {
	server, endpoint := startPrism(t)
	input, pipe := inputWithPipe(t)
	output := t.TempDir()
	cmd, stdout, stderr := start(t, "batch", append([]string{"features", "-input", input + "/*", "-output", output}, onServer(endpoint)...)...)
	openPipe(t, pipe)
	require.NoError(t, server.Process.Kill())
	cmd.Wait()
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	require.Empty(t, stdout.String())
	require.Regexp(t, "^batch: ", stderr.String())
	_, err := batch.ReadManifest(t.Context(), output)
	require.ErrorContains(t, err, "no such file or directory")
}

// An image that kills the process is left out after its retries, and told by name. The next run tries it
// once more, and those after that say that they keep it.
func TestLethal(t *testing.T) {
	input, output := lethalInput(t), t.TempDir()
	requireLethal(t, input, output, diesThrice(t, input, output))
	entries, err := os.ReadDir(output)
	require.NoError(t, err)
	for _, e := range entries {
		require.NotEqual(t, "pieces", e.Name())
	}
	args := []string{"features", "-input", input + "/*", "-output", output, "-shards=3", "-workers=2"}
	cmd, _, stderr := start(t, "batch", args...)
	cmd.Wait()
	require.Equal(t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), stderr)
	for _, want := range []string{
		`^images +0\ndead letters +1\nchanged +1\ngone +0\nkept +30\nkept dead letters +0\n`,
		`^images +0\ndead letters +0\nchanged +0\ngone +0\nkept +31\nkept dead letters +1\n`,
	} {
		status, stdout, stderr := batchProgram(t, args...)
		require.Zero(t, status, stderr)
		require.Regexp(t, want, stdout)
		require.Equal(t, map[string]bool{
			fmt.Sprint(batch.DeadLetter{Name: input + "/15.lethal", Reason: "the process died 3 times while it worked on this image alone"}): true,
		}, rows[batch.DeadLetter](t, output, batch.DeadTable))
	}
}

// diesThrice runs the program on an input until it does not die of it, and returns its report.
func diesThrice(t *testing.T, input, output string) (stdout string) {
	t.Helper()
	args := []string{"features", "-input", input + "/*", "-output", output, "-shards=3", "-workers=2"}
	for range 3 {
		cmd, _, stderr := start(t, "batch", args...)
		cmd.Wait()
		require.Equal(t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), stderr)
		_, err := batch.ReadManifest(t.Context(), output)
		require.Error(t, err)
		require.Regexp(t, "no such file or directory|object doesn't exist", err)
	}
	status, stdout, stderr := batchProgram(t, args...)
	require.Zero(t, status, stderr)
	return stdout
}

// lethalInput makes a directory of 30 images and one that kills the process that decodes it.
func lethalInput(t *testing.T) string {
	t.Helper()
	input := t.TempDir()
	for i := range 30 {
		var file bytes.Buffer
		require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, 100, 100+i))))
		require.NoError(t, os.WriteFile(filepath.Join(input, fmt.Sprintf("%02d.png", i)), file.Bytes(), 0o666))
	}
	require.NoError(t, os.WriteFile(filepath.Join(input, "15.lethal"), []byte(lethal), 0o666))
	return input
}

func requireLethal(t *testing.T, input, output, stdout string) {
	t.Helper()
	counts := reported(t, stdout)
	require.Equal(t, 31, counts["images"]+counts["dead letters"]+counts["adopted"])
	require.Equal(t, map[string]bool{
		fmt.Sprint(batch.DeadLetter{Name: input + "/15.lethal", Reason: "the process died 2 times while it worked on this image alone"}): true,
	}, rows[batch.DeadLetter](t, output, batch.DeadTable))
	require.Len(t, rows[batch.Keypoints](t, output, batch.FeaturesTable), 30)
}

// lethal is what a file begins with that kills the process that decodes it, as one may that
// needs too much memory.
const lethal = "lethal!"

func init() {
	die := func() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	image.RegisterFormat("lethal", lethal, func(io.Reader) (image.Image, error) {
		die()
		select {}
	}, func(io.Reader) (image.Config, error) {
		return image.Config{ColorModel: color.GrayModel, Width: 9, Height: 9}, nil
	})
}
