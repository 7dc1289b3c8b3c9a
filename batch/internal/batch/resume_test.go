package batch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// A bundle that is done twice at the same time, by one run or by two, has one piece, and neither
// attempt fails or holds the other against an image.
func TestAtOnce(t *testing.T) {
	for _, runs := range []string{"run", "other"} {
		registerMeeting("both " + runs) // so both attempts have begun
		dir, output := t.TempDir(), t.TempDir()
		names := []string{filepath.Join(dir, "0"), filepath.Join(dir, "1")}
		require.NoError(t, os.WriteFile(names[0], []byte("both "+runs), 0o666))
		require.NoError(t, os.WriteFile(names[1], grayPNG(t, 30, 30), 0o666))
		pieces := make(chan string, 2)
		attempts := []grouped{newGrouped(t, output), newGrouped(t, output)}
		attempts[1].fn.Stock.Run = runs
		for _, g := range attempts {
			go func() {
				piece, err := g.work(t.Context(), names...)
				if err != nil {
					t.Error(err)
				}
				pieces <- piece
			}()
		}
		require.Equal(t, <-pieces, <-pieces)
		features, dead := attempts[0].rows(t, fmt.Sprint(attempts[0].fn.Stock.dir(first(attempts[0].group(names...))), "/", pieceName))
		require.Len(t, features, 2)
		require.Empty(t, dead)
		require.Zero(t, attempts[0].trials(t))
	}
}

func first[A, B any](a A, _ B) A { return a }

// However often a process dies while it reads an image, nothing is held against the image. What
// has died while it decoded is.
func TestDiesReading(t *testing.T) {
	b := serveBucket(t)
	b.objects["a.png"] = grayPNG(t, 30, 30)
	g := newGrouped(t, t.TempDir())
	read := make(chan string)
	b.fail = func(key string, _ int32) int {
		read <- key
		<-read
		return 0
	}
	done := make(chan error)
	go func() {
		_, err := g.work(t.Context(), "s3://bucket/a.png")
		done <- err
	}()
	require.Equal(t, "a.png", <-read)
	require.Zero(t, g.trials(t)) // where it could be killed now
	read <- ""
	require.NoError(t, <-done)
}

// A signal ends the trials that it interrupts, and there are no others.
func TestEndTrials(t *testing.T) {
	t.Cleanup(func() { trials.ended = false })
	g := newGrouped(t, t.TempDir())
	fs, err := openStorage(t.Context(), g.output)
	require.NoError(t, err)
	dir := filepath.Join(g.output, piecesName, "x", "y", "z")
	trial, err := beginTrial(t.Context(), fs, dir, "run", nil)
	require.NoError(t, err)
	require.Zero(t, g.trials(t))
	require.NoError(t, trial.decodes(t.Context(), "a"))
	require.Equal(t, 1, g.trials(t))
	require.NoError(t, EndTrials(t.Context()))
	require.Zero(t, g.trials(t))
	require.ErrorIs(t, trial.decodes(t.Context(), "a"), errEnded)
	require.NoError(t, trial.end(t.Context(), false))
	_, err = beginTrial(t.Context(), fs, dir, "run", nil)
	require.ErrorIs(t, err, errEnded)
}

// A run does only the groups of which an unfinished one has left no piece, if it would do the
// same to them.
func TestResume(t *testing.T) {
	a := newAlbum(t, 200)
	a.job.Shards, a.job.Branches, a.job.MaxDead = 2, 1, "0"
	require.NoError(t, os.WriteFile(a.name(300), nil, 0o666))
	done := func() int {
		t.Helper()
		p, s := beam.NewPipelineWithRoot()
		require.NoError(t, a.job.Build(t.Context(), s))
		before := soFar.images.Load() + soFar.dead.Load()
		require.ErrorContains(t, ptest.Run(p), "batch: 1 of 201 are dead letters")
		return int(soFar.images.Load() + soFar.dead.Load() - before)
	}
	require.Equal(t, 201, done())
	require.Zero(t, done())

	// A file that has changed is in one group, and so is a piece that is damaged.
	a.write(7, 31)
	n := done()
	require.NotZero(t, n)
	require.Less(t, n, 2*groupNames)
	pieces, err := filepath.Glob(filepath.Join(a.output, piecesName, "*/*/*/"+pieceName))
	require.NoError(t, err)
	require.NotEmpty(t, pieces)
	require.NoError(t, os.Truncate(pieces[0], 100))
	_, s := beam.NewPipelineWithRoot()
	require.NoError(t, a.job.Build(t.Context(), s))
	require.ErrorContains(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }), "a damaged piece")
	n = done()
	require.NotZero(t, n)
	require.Less(t, n, 2*groupNames)

	// More memory may help images that are dead, and others are as they would be.
	a.job.Memory *= 2
	n = done()
	require.NotZero(t, n)
	require.Less(t, n, 2*groupNames)
	require.Zero(t, done())
	a.job.RetryDead = true
	require.Equal(t, n, done())
	require.Equal(t, n, done())
	a.job.RetryDead = false

	// With other options nothing is the same.
	a.job.Detector.FAST = &fast.Options{Threshold: 21}
	require.Equal(t, 201, done())
	a.job.MaxDead = ""
	require.Equal(t, map[string]int{"adopted": 201}, a.update())
	require.Equal(t, map[string]int{"kept": 201, "kept_dead": 1}, a.update())
}

// Dead letters of permission are done again by every run, and by one that goes on.
func TestPermission(t *testing.T) {
	b := serveBucket(t)
	for i := range 4 {
		b.objects[fmt.Sprintf("in/%d.png", i)] = grayPNG(t, 30+i, 30)
	}
	job := FeaturesJob{Layout: Layout{"s3://bucket/out", 1, 1}, Input: "s3://bucket/in/*.png", Memory: memory, Update: true, Detector: Detector{FAST: new(fast.Options)}}
	forbidden := true
	var read []string
	b.fail = func(key string, _ int32) int {
		if key[:3] == "in/" {
			read = append(read, key)
		}
		if key == "in/2.png" && forbidden {
			return http.StatusForbidden
		}
		return 0
	}
	start := func() error {
		read = nil
		return run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) })
	}
	job.MaxDead = "0"
	require.ErrorContains(t, start(), "1 of 4 are dead letters")
	require.Len(t, read, 4)
	require.ErrorContains(t, start(), "1 of 4 are dead letters")
	require.Len(t, read, 4)
	job.MaxDead = ""
	require.NoError(t, start())
	require.NoError(t, start())
	require.Equal(t, []string{"in/2.png"}, read)
	forbidden = false
	require.NoError(t, start())
	require.Equal(t, []string{"in/2.png"}, read)
	require.NoError(t, start())
	require.Empty(t, read)
	require.Len(t, table[Corners](t, job.Output, FeaturesTable), 4)
	require.Empty(t, table[DeadLetter](t, job.Output, DeadTable))
}

// A body that ends too early is read again, and is no dead letter. A file that is shorter now than
// it was when it was listed is what it is.
func TestShort(t *testing.T) {
	b := serveBucket(t)
	whole := grayPNG(t, 30, 30)
	b.objects["a.png"] = whole
	g := newGrouped(t, t.TempDir())
	short := 1
	b.cut = func(data []byte) []byte {
		if short--; short >= 0 {
			return data[:len(data)-9]
		}
		return data
	}
	fn := &g.fn.Decoding
	slot, err := fn.gate.enter(t.Context())
	require.NoError(t, err)
	defer slot.leave()
	image := func() (*DeadLetter, error) {
		_, dead, _, err := fn.image(t.Context(), slot, Source{Name: "s3://bucket/a.png", Size: int64(len(whole))}, nil)
		slot.gate.bytes.Release(slot.held)
		slot.held = 0
		return dead, err
	}
	dead, err := image()
	require.NoError(t, err)
	require.Nil(t, dead)
	short = 2 // as often as it is tried
	_, err = image()
	require.ErrorContains(t, err, fmt.Sprintf("%d bytes came, of %d", len(whole)-9, len(whole)))
	b.objects["a.png"], short = whole[:20], 0
	dead, err = image()
	require.NoError(t, err)
	require.NotNil(t, dead)
}

// silent is a server of S3 that takes requests of a kind and never answers them, as often as it is
// told. Instead, time passes: whatever waits then has waited for too long.
type silent struct {
	*bucket
	method  string
	times   atomic.Int32
	mu      sync.Mutex
	waiting map[*time.Timer]bool
}

// afterFunc starts a timer that ends when time passes.
func (s *silent) afterFunc(d time.Duration, f func()) *time.Timer {
	s.mu.Lock()
	defer s.mu.Unlock()
	timer := time.AfterFunc(d, f)
	s.waiting[timer] = true
	return timer
}

func (s *silent) passTime() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for timer := range s.waiting {
		timer.Reset(0) // which does not harm what has been answered
	}
	clear(s.waiting)
}

func (s *silent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == s.method || s.method == "LIST" && r.URL.Query().Has("list-type") {
		if s.times.Add(-1) >= 0 {
			io.Copy(io.Discard, r.Body)
			s.passTime()
			<-r.Context().Done()
			return
		}
	}
	s.bucket.ServeHTTP(w, r)
}

// A store that takes a request and never answers is asked again, and is an error in the end.
func TestSilent(t *testing.T) {
	former := afterFunc
	t.Cleanup(func() { afterFunc = former })
	for _, method := range []string{"GET", "PUT", "LIST", "DELETE"} {
		s := &silent{bucket: serveBucket(t), method: method, waiting: make(map[*time.Timer]bool)}
		afterFunc = s.afterFunc
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		t.Cleanup(server.CloseClientConnections)
		t.Setenv("AWS_ENDPOINT_URL", server.URL)
		patience := Patience{Timeout: time.Hour, Retries: 2}
		setPatience(t, patience)
		s.objects["a.png"] = grayPNG(t, 30, 30)
		job := FeaturesJob{
			Layout: Layout{"s3://bucket/out", 1, 1}, Input: "s3://bucket/a.png", Memory: memory,
			Patience: patience, Detector: Detector{FAST: new(fast.Options)},
		}
		p, scope := beam.NewPipelineWithRoot()
		require.NoError(t, job.Build(t.Context(), scope))
		s.times.Store(2)
		require.NoError(t, ptest.Run(p), method)
		require.Len(t, table[Corners](t, job.Output, FeaturesTable), 1)
		if method == "DELETE" { // which nobody waits for
			continue
		}
		s.times.Store(1 << 30)
		err := ptest.Run(p)
		require.ErrorContains(t, err, "no answer for 1h0m0s (-timeout)", method)
		s.times.Store(0)
	}
}

// Errors of a server at a share that is not small do not end a run.
func TestFlakyServer(t *testing.T) {
	b := serveBucket(t)
	for i := range 100 {
		b.objects[fmt.Sprintf("in/%d.png", i)] = grayPNG(t, 30+i, 30)
	}
	n := 0
	b.fail = func(string, int32) int {
		if n++; n%5 < 2 {
			return http.StatusServiceUnavailable
		}
		return 0
	}
	setPatience(t, Patience{})
	require.NoError(t, run(t, func(s beam.Scope) error {
		return FeaturesJob{Layout: Layout{"s3://bucket/out", 2, 2}, Input: "s3://bucket/in/*.png", Memory: memory, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
	}))
	require.Len(t, table[Corners](t, "s3://bucket/out", FeaturesTable), 100)
	require.Equal(t, Patience{Timeout: time.Minute, Retries: 10}, patience(context.Background()))
}

// Of two runs on one output, the one that ends first replaces the results, and the other one says
// so, whatever it was doing.
func TestOvertaken(t *testing.T) {
	a := newAlbum(t, 3)
	late, s := beam.NewPipelineWithRoot()
	require.NoError(t, a.job.Build(t.Context(), s))
	a.update()
	now := a.manifest()
	require.ErrorContains(t, ptest.Run(late), "batch: run "+now.Run+" has written results meanwhile")
	require.Equal(t, now, a.manifest())

	// Pieces that it has found are removed before it reads them.
	plan, err := a.job.plan(t.Context())
	require.NoError(t, err)
	plan.stock.Former = ""
	merge := &mergeFn[Corners]{Features: plan.features, Dead: plan.dead, Stock: plan.stock}
	merge.StartBundle(t.Context(), nil)
	paths := []string{plan.stock.dir("00000-of-00004/none") + "/" + pieceName}
	require.NoError(t, merge.ProcessElement(t.Context(), 0, func(path *string) bool {
		if len(paths) == 0 {
			return false
		}
		*path, paths = paths[0], nil
		return true
	}, nil))
	require.ErrorContains(t, merge.FinishBundle(t.Context(), nil), "batch: run "+now.Run+" has written results meanwhile")
	require.NoError(t, merge.Teardown())
}

// Matches of pairs in a file go on, too: those of groups that are done are adopted, with their dead
// letters, if the pairs, the features and the options are the same.
func TestResumePairs(t *testing.T) {
	features, output := t.TempDir(), t.TempDir()
	find := func() {
		require.NoError(t, run(t, func(s beam.Scope) error {
			return FeaturesJob{Layout: Layout{features, 2, 1}, Input: "../../../testdata/photos/c*.png", Memory: memory, ORB: &orb.Options{Features: 20}}.Build(t.Context(), s)
		}))
	}
	find()
	pairs := filepath.Join(t.TempDir(), "pairs.csv")
	write := func(total int) {
		var text strings.Builder
		for i := range total {
			fmt.Fprintf(&text, "%s,%s\n", photos[i%2], photos[i*i%5/4*4])
		}
		text.WriteString(photos[0] + ",who\n")
		require.NoError(t, os.WriteFile(pairs, []byte(text.String()), 0o666))
	}
	const total = 4*groupPairs + 9
	write(total)
	job := MatchesJob{Layout: Layout{output, 3, 2}, Features: features, Pairs: pairs, MaxDead: "0"}
	build := func(s beam.Scope) error { return job.Build(t.Context(), s) }
	done := func() int {
		t.Helper()
		before := soFar.images.Load() + soFar.dead.Load()
		require.ErrorContains(t, run(t, build), "are dead letters, more than 0")
		return int(soFar.images.Load() + soFar.dead.Load() - before)
	}
	require.Equal(t, total+1, done())
	require.Zero(t, done())
	write(total + 1)
	n := done()
	require.NotZero(t, n)
	require.LessOrEqual(t, n, total/2+1) // of one query
	job.Options.CrossCheck = true
	require.Equal(t, total+2, done())
	find() // other files, though they have the same rows
	require.Equal(t, total+2, done())
	require.NoError(t, os.RemoveAll(filepath.Join(output, piecesName)))
	require.Equal(t, total+2, done())

	// A damaged piece is removed, and made again.
	paths, err := filepath.Glob(filepath.Join(output, piecesName, "*/*/*/"+pieceName))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	require.NoError(t, os.Truncate(paths[0], 100))
	require.ErrorContains(t, run(t, build), "a damaged piece")
	require.NotZero(t, done())
	require.Zero(t, done())
	job.MaxDead = ""
	require.NoError(t, run(t, build))
	require.Len(t, table[Matches](t, output, MatchesTable), total+1)
	require.Len(t, table[DeadLetter](t, output, DeadTable), 1)
	require.NoDirExists(t, filepath.Join(output, piecesName, filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(paths[0]))))))
}
