package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A Patience specifies how long a job waits for a store. All jobs of a process share it.
type Patience struct {
	// Timeout is how long one request, or reading a local image, may go without progress before it
	// counts as failed. 0 means a minute.
	Timeout time.Duration
	// Retries is how often a failed request is repeated, with increasing pauses. 0 means 10, which
	// take a minute and a half, and a negative number means none.
	Retries int
}

const (
	defaultTimeout = time.Minute
	defaultRetries = 10
	longestPause   = 30 * time.Second
	hurriedTimeout = 15 * time.Second
)

// firstPause is that before the first retry. Each one is twice as long as that before it.
var firstPause = 100 * time.Millisecond

// afterFunc starts the timers of requests. Tests replace it.
var afterFunc = time.AfterFunc

// Beam hands these options to workers.
const (
	timeoutOption = "batch_timeout"
	retriesOption = "batch_retries"
)

var ownPatience atomic.Pointer[Patience] // of a process that has built a job

// set makes a Patience that of this process and of the workers of its pipelines.
func (p Patience) set() error {
	if p.Timeout < 0 {
		return fmt.Errorf("batch: a Timeout of %v: want 0 or more", p.Timeout)
	}
	ownPatience.Store(&p)
	beam.PipelineOptions.Set(timeoutOption, p.Timeout.String())
	beam.PipelineOptions.Set(retriesOption, strconv.Itoa(p.Retries))
	return nil
}

type hurried struct{}

// hurry returns a context in which little is tried again: what is missing is to be told at once.
func hurry(ctx context.Context) context.Context {
	return context.WithValue(ctx, hurried{}, true)
}

// patience returns the Patience of the process.
func patience(ctx context.Context) Patience {
	var p Patience
	if own := ownPatience.Load(); own != nil {
		p = *own
	} else {
		p.Timeout, _ = time.ParseDuration(beam.PipelineOptions.Get(timeoutOption))
		p.Retries, _ = strconv.Atoi(beam.PipelineOptions.Get(retriesOption))
	}
	if p.Timeout == 0 {
		p.Timeout = defaultTimeout
	}
	if p.Retries == 0 {
		p.Retries = defaultRetries
	}
	if ctx.Value(hurried{}) != nil {
		p.Timeout, p.Retries = min(p.Timeout, hurriedTimeout), min(p.Retries, 2)
	}
	return p
}

// errStalled is the cause of the end of a request without progress.
var errStalled = errors.New("no progress")

// retry does something until it succeeds, fails for a reason that does not pass, or has failed
// too often. What is done must call progress whenever it gets on.
func retry(ctx context.Context, once func(ctx context.Context, progress func()) error) error {
	p := patience(ctx)
	for pause, n := firstPause, 0; ; pause, n = min(2*pause, longestPause), n+1 {
		err := attempt(ctx, p.Timeout, once)
		if err == nil || ownFault(err) || errors.Is(err, errors.ErrUnsupported) || n >= p.Retries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause*3/4 + rand.N(pause/2+1)): // not all at once
		}
		soFar.retries.Add(1)
	}
}

// attempt does something once, and ends it when it makes no progress.
func attempt(ctx context.Context, timeout time.Duration, once func(ctx context.Context, progress func()) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := afterFunc(timeout, func() { cancel(errStalled) })
	defer watch.Stop()
	err := once(ctx, func() { watch.Reset(timeout) })
	if err != nil && context.Cause(ctx) == errStalled {
		err = fmt.Errorf("no answer for %v (-timeout)", timeout)
	}
	return err
}

// A progressReader tells when something is read.
type progressReader struct {
	io.Reader
	progress func()
}

func (r progressReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.progress()
	}
	return n, err
}

// readFile returns what a file has.
func readFile(ctx context.Context, fs filesystem.Interface, name string) (data []byte, err error) {
	err = retry(ctx, func(ctx context.Context, progress func()) error {
		r, err := fs.OpenRead(ctx, name)
		if err != nil {
			return err
		}
		defer r.Close()
		data, err = io.ReadAll(progressReader{r, progress})
		return err
	})
	return data, err
}

// remove removes a file. One that is not there is no error.
func remove(ctx context.Context, fs filesystem.Interface, name string) error {
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return errors.ErrUnsupported
	}
	if err := remover.Remove(ctx, name); err != nil && !notFound(err) {
		return fmt.Errorf("%s: %w", name, reason(err))
	}
	return nil
}

// A steady is a file system in which files appear when they are complete, such as an object
// store. It does what fails again, but for reading, which is for the caller to begin again. What
// is written is in a temporary file until it is complete.
type steady struct{ filesystem.Interface }

func (s steady) List(ctx context.Context, pattern string) (names []string, err error) {
	err = retry(ctx, func(ctx context.Context, _ func()) error {
		names, err = s.Interface.List(ctx, pattern)
		return err
	})
	return names, err
}

func (s steady) Size(ctx context.Context, name string) (size int64, err error) {
	err = retry(ctx, func(ctx context.Context, _ func()) error {
		size, err = s.Interface.Size(ctx, name)
		return err
	})
	return size, err
}

func (s steady) Remove(ctx context.Context, name string) error {
	remover, ok := s.Interface.(filesystem.Remover)
	if !ok {
		return errors.ErrUnsupported
	}
	return retry(ctx, func(ctx context.Context, _ func()) error { return remover.Remove(ctx, name) })
}

func (s steady) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	file, err := createTemporary()
	return &upload{temporary: file, ctx: ctx, fs: s.Interface, name: name}, err
}

// An upload is a file that is written when it is closed, unless its context has ended.
type upload struct {
	temporary
	ctx  context.Context
	fs   filesystem.Interface
	name string
}

func (u *upload) Close() error {
	err := u.ctx.Err()
	if err == nil {
		err = retry(u.ctx, u.once)
	}
	return errors.Join(err, u.temporary.Close())
}

// Sync does nothing: the temporary file need not last.
func (u *upload) Sync() error { return nil }

func (u *upload) once(ctx context.Context, progress func()) error {
	if _, err := u.Seek(0, io.SeekStart); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, err := u.fs.OpenWrite(ctx, u.name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(progressWriter{out, progress}, u.File); err != nil {
		cancel() // or it may be written as far as it was read
		out.Close()
		return err
	}
	progress()
	return out.Close()
}

// A progressWriter tells when something is written.
type progressWriter struct {
	io.Writer
	progress func()
}

func (w progressWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.progress()
	return n, err
}

// A temporary is a file that is removed when it is closed, or at once where files can be open
// without a name: then nothing is left of a process that is killed.
type temporary struct {
	*os.File
	named bool
}

func createTemporary() (temporary, error) {
	file, err := os.CreateTemp("", "batch-*")
	if err != nil {
		return temporary{}, err
	}
	t := temporary{file, runtime.GOOS == "windows"}
	if !t.named {
		err = os.Remove(file.Name())
	}
	return t, err
}

func (t temporary) Close() error {
	err := t.File.Close()
	if t.named {
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}
