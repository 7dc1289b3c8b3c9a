package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// filesIn returns the paths of all files below a directory.
func filesIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(dir, path)
			paths = append(paths, filepath.ToSlash(path))
		}
		return err
	}))
	return paths
}

// clean removes what is left over, and returns how many files that were.
func clean(t *testing.T, output string, age time.Duration) (removed, young int) {
	t.Helper()
	left, young, err := Leftovers(t.Context(), output, age)
	require.NoError(t, err)
	require.NoError(t, Remove(t.Context(), left))
	return len(left), young
}

// Files that no manifest names are removed, and no others.
func TestClean(t *testing.T) {
	a := newAlbum(t, 12)
	a.update()
	first := a.manifest()
	a.write(3, 31)
	require.NoError(t, os.WriteFile(a.name(50), nil, 0o666))
	a.update()
	a.job.MaxDead = "0"
	require.NoError(t, os.WriteFile(a.name(4), nil, 0o666))
	require.Error(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }))

	others := []string{
		"notes.txt", "20261122T124441Z-abcdefgh/notes.txt", "other/manifest.json",
		"other/20261122T124441Z-abcdefgh/features-00000-of-00001-ABCDEFGHIJKLMNOPQRSTUVWXYZ.parquet",
	}
	orphan := "20261122T124441Z-abcdefgh/manifest.json" // of a process that died before its rename
	for _, name := range append(others, orphan) {
		name = filepath.Join(a.output, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, nil, 0o666))
	}
	want := append([]string{ManifestName}, others...)
	for _, list := range a.manifest().Tables {
		for _, f := range list {
			want = append(want, f.Path)
		}
	}
	all := len(filesIn(t, a.output))
	removed, young := clean(t, a.output, time.Hour)
	require.Zero(t, removed)
	require.Equal(t, all-len(want), young)
	require.Len(t, filesIn(t, a.output), all)
	removed, young = clean(t, a.output+"/", 0)
	require.Equal(t, all-len(want), removed)
	require.Zero(t, young)
	require.ElementsMatch(t, want, filesIn(t, a.output))
	_, err := os.Stat(filepath.Join(a.output, first.Run))
	if !strings.Contains(fmt.Sprint(want), first.Run) {
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	a.job.MaxDead = ""
	a.update()

	// A run whose last file is young may be in progress, and its first ones may be older.
	old := filepath.Join(a.output, "20261122T124441Z-abcdefgh/dead-00000-of-00001-ABCDEFGHIJKLMNOPQRSTUVWXYZ.parquet")
	for i, age := range []time.Duration{48 * time.Hour, time.Hour} {
		name := strings.Replace(old, "00000", fmt.Sprintf("%05d", i), 1)
		require.NoError(t, os.WriteFile(name, nil, 0o666))
		require.NoError(t, os.Chtimes(name, time.Time{}, time.Now().Add(-age)))
	}
	clean(t, a.output, 24*time.Hour)
	_, err = os.Stat(old)
	require.NoError(t, err)
	clean(t, a.output, 30*time.Minute)
	_, err = os.Stat(old)
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, os.WriteFile(filepath.Join(a.output, ManifestName), []byte("{"), 0o666))
	_, _, err = Leftovers(t.Context(), a.output, 0)
	require.ErrorContains(t, err, "manifest.json: unexpected end of JSON input")
	_, _, err = Leftovers(t.Context(), a.output+"*", 0)
	require.ErrorContains(t, err, "it cannot be listed, for it has a wildcard")
}

func TestCleanObjects(t *testing.T) {
	b := serveBucket(t)
	b.objects["in/a.png"] = grayPNG(t, 30, 30)
	job := FeaturesJob{Layout: Layout{"s3://bucket/out", 1, 1}, Input: "s3://bucket/in/*", Memory: memory, Detector: Detector{FAST: new(fast.Options)}}
	for range 2 {
		require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
	}
	before := len(b.objects)
	removed, _ := clean(t, job.Output, 0)
	require.Equal(t, 2, removed)
	require.Len(t, b.objects, before-2)
	v, err := Verify(t.Context(), job.Output, 1)
	require.NoError(t, err)
	require.Empty(t, v.Problems)
	require.Equal(t, map[string]int64{FeaturesTable: 1, DeadTable: 0, SourcesTable: 1}, v.Rows)
}

// Whatever is not as the manifest says is found.
func TestVerify(t *testing.T) {
	a := newAlbum(t, 12)
	require.NoError(t, os.WriteFile(a.name(50), nil, 0o666))
	a.update()
	verify := func() []string {
		t.Helper()
		v, err := Verify(t.Context(), a.output, 2)
		require.NoError(t, err)
		return v.Problems
	}
	require.Empty(t, verify())
	m := a.manifest()
	victim := m.Tables[FeaturesTable][0]
	path := filepath.Join(a.output, filepath.FromSlash(victim.Path))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		want  string
		spoil func() error
	}{
		"missing":   {"no such file or directory", func() error { return os.Remove(path) }},
		"short":     {fmt.Sprintf("%d bytes, want %d", len(whole)-9, len(whole)), func() error { return os.WriteFile(path, whole[:len(whole)-9], 0o666) }},
		"no footer": {"invalid magic", func() error { return os.WriteFile(path, make([]byte, len(whole)), 0o666) }},
	} {
		require.NoError(t, test.spoil())
		problems := verify()
		require.NotEmpty(t, problems, name)
		require.Contains(t, problems[0], path+": ", name)
		require.Contains(t, strings.ToLower(fmt.Sprint(problems)), test.want, name)
		require.NoError(t, os.WriteFile(path, whole, 0o666))
		require.Empty(t, verify())
	}
	// Pages have checksums. Of the rest of a small file, many bytes mean little.
	tried, found := 0, 0
	for i := 0; i < len(whole); i += 31 {
		spoiled := bytes.Clone(whole)
		spoiled[i] ^= 0x55
		require.NoError(t, os.WriteFile(path, spoiled, 0o666))
		tried++
		if len(verify()) > 0 {
			found++
		}
	}
	require.Greater(t, found, tried/4)
	require.NoError(t, os.WriteFile(path, whole, 0o666))
	for name, test := range map[string]struct {
		want  string
		spoil func(m *Manifest)
	}{
		"a row too many": {"rows, want", func(m *Manifest) { m.Tables[FeaturesTable][0].Rows++ }},
		"counts":         {"12 rows of features, want 13", func(m *Manifest) { m.Rows[FeaturesTable]++ }},
		"shards":         {"rows of other shards", func(m *Manifest) { m.Shards = 3 }},
		"no features":    {": no row for it", func(m *Manifest) { m.Tables[FeaturesTable] = m.Tables[FeaturesTable][1:] }},
		"no sources":     {": too many rows for it", func(m *Manifest) { m.Tables[SourcesTable] = m.Tables[SourcesTable][1:] }},
		"twice":          {": too many rows for it", func(m *Manifest) { m.Tables[DeadTable] = append(m.Tables[DeadTable], m.Tables[DeadTable]...) }},
	} {
		spoiled := a.manifest()
		test.spoil(&spoiled)
		writeManifest(t, a.output, spoiled)
		require.Contains(t, fmt.Sprint(verify()), test.want, name)
		writeManifest(t, a.output, m)
		require.Empty(t, verify(), name)
	}
	_, err = Verify(t.Context(), t.TempDir(), 1)
	require.True(t, errors.Is(err, fs.ErrNotExist))
}

func writeManifest(t *testing.T, output string, m Manifest) {
	t.Helper()
	text, err := json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(output, ManifestName), text, 0o666))
}
