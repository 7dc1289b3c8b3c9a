package batch

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/stretchr/testify/require"
)

// A manifest tells what was done, with what, and how much it is.
func TestManifest(t *testing.T) {
	for method, measure := range map[string]harris.Measure{"shi-tomasi": 0, "harris": harris.Harris} {
		output := t.TempDir()
		job := FeaturesJob{
			Layout: Layout{output, 2, 1}, Input: "../../../testdata/photos/c*.png", Memory: memory, MaxDead: "7%", Run: "mine",
			Detector: Detector{Harris: &harris.Options{Measure: measure, MaxCorners: 9}},
		}
		require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
		m, err := ReadManifest(t.Context(), output)
		require.NoError(t, err)
		require.Equal(t, "mine", m.Run)
		require.Equal(t, method, m.Method)
		require.Equal(t, "../../../testdata/photos/c*.png", m.Input)
		require.Equal(t, DeadLimit("7%"), m.MaxDead)
		require.NotEmpty(t, m.Library)
		require.Equal(t, map[string]int64{FeaturesTable: 3, DeadTable: 0, SourcesTable: 3}, m.Rows)
		for _, f := range m.Tables[FeaturesTable] {
			require.True(t, strings.HasPrefix(f.Path, "mine/"))
		}
	}
}

// syncing is memfs as a local file system, of whose files it knows what happens to them.
type syncing struct{ filesystem.Interface }

var synced struct {
	sync.Mutex
	events []string
}

func note(event, name string) {
	if !strings.HasSuffix(name, ".parquet") && !strings.HasSuffix(name, ManifestName) {
		return // it need not be on the disk
	}
	synced.Lock()
	defer synced.Unlock()
	synced.events = append(synced.events, event+" "+strings.FieldsFunc(name[strings.LastIndex(name, "/")+1:], func(r rune) bool { return r == '-' || r == '.' })[0])
}

func (f syncing) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	w, err := f.Interface.OpenWrite(ctx, name)
	return &syncingFile{w, name}, err
}

func (f syncing) Rename(ctx context.Context, from, to string) error {
	note("rename", to)
	return f.Interface.(filesystem.Renamer).Rename(ctx, memName(from), memName(to))
}

type syncingFile struct {
	io.WriteCloser
	name string
}

func (f *syncingFile) Sync() error  { note("sync", f.name); return nil }
func (f *syncingFile) Close() error { note("close", f.name); return f.WriteCloser.Close() }

// Files are on their disk before the manifest names them, and it is before it replaces another.
func TestSync(t *testing.T) {
	filesystem.Register("syncing", func(ctx context.Context) filesystem.Interface { return syncing{memfs.New(ctx)} })
	job := FeaturesJob{Layout: Layout{"syncing://out", 1, 1}, Input: photos[0], Memory: memory, Detector: Detector{FAST: new(fast.Options)}}
	require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
	require.Equal(t, []string{"sync sources", "close sources", "sync features", "close features", "sync manifest", "close manifest", "rename manifest"}, slices.Clone(synced.events))
}

// What is missing for the output is told before the pipeline runs.
func TestMissing(t *testing.T) {
	serveBucket(t)
	build := func(input, output string) error {
		_, s := beam.NewPipelineWithRoot()
		return FeaturesJob{Layout: Layout{output, 1, 1}, Input: input, Memory: memory, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
	}
	require.NoError(t, build(photos[0], "s3://bucket/out"))
	require.ErrorContains(t, build(photos[0], "s3://missing/out"), "batch: s3://missing/out: error listing object keys: ")
	t.Setenv("AWS_PROFILE", "nobody")
	require.ErrorContains(t, build("s3://bucket/*", "out"), "batch: s3://bucket/*: error loading AWS config: failed to get shared config profile, nobody")
}
