package batch

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// Groups are small and of one shard, and a few more names do not change them.
func TestGroups(t *testing.T) {
	const shards, branches = 5, 2
	keys := func(total int) map[string][]string {
		groups := make(map[string][]string)
		sources := make(map[int][]Source)
		for i := range total {
			f := Source{Name: fmt.Sprintf("photos/%d.jpg", i)}
			shard := shardOf(f.Name, shards)
			sources[shard] = append(sources[shard], f)
		}
		for _, list := range sources {
			divide(list, shards, func(key string, group []Source) {
				require.Equal(t, sumOf(group), key[strings.LastIndexByte(key, '-')+1:])
				for _, f := range group {
					for b := range branches {
						fn := &branchSources{branching{shards, branches, b}}
						fn.ProcessElement(key, f, func(key string, f Source) {
							key = key[:strings.LastIndexByte(key, '-')] // without what the sources are
							groups[key] = append(groups[key], f.Name)
						})
					}
				}
			})
		}
		return groups
	}
	groups := keys(10_000)
	names := 0
	for _, group := range groups {
		require.Less(t, len(group), 2*groupNames)
		names += len(group)
		for _, name := range group {
			require.Equal(t, shardOf(group[0], shards), shardOf(name, shards))
		}
	}
	require.Equal(t, 10_000, names)
	require.Less(t, len(groups), 3*10_000/groupNames)
	for key, group := range keys(10_100) {
		require.NotEmpty(t, groups[key])
		require.Subset(t, group, groups[key])
	}
	require.Len(t, keys(100), shards)
}

// What is written to a piece is read from it, and damage is noticed.
func TestPiece(t *testing.T) {
	fs, err := openStorage(t.Context(), t.TempDir())
	require.NoError(t, err)
	dir := t.TempDir() + "/a"
	path := dir + "/piece"
	keypoints := Keypoints{"ä", 7, 8, []Keypoint{{1, 2, 3, 4, -5, 6, match.Descriptor{1, 31: 2}}, {X: 9}}}
	corners := Corners{"b", 1, 2, []Corner{{1, -2, 3, 0.25, -0.5, 9}}}
	dead := DeadLetter{"c", "because"}
	matches := Matches{"d", "e", []DescriptorMatch{{1, 2, 3}}}
	vectors := SIFTKeypoints{"f", 9, 8, []SIFTKeypoint{{1, 2, 3, 4, -5, 6, match.Vector{1, 127: 2}}, {X: 9}}}
	tags := Tags{"g", 7, 6, []Tag{{"tag36h11", 1, 2.5, -3, 4, 5, 6, 7, 8, 1e300, 9, 0.01, 0.02, true}, {Family: "é"}}}
	p, err := createPiece(t.Context(), fs, dir)
	require.NoError(t, err)
	require.NoError(t, p.write(featuresRow, keypoints))
	require.NoError(t, p.write(featuresRow, Keypoints{Name: "none", Keypoints: []Keypoint{}}))
	require.NoError(t, p.write(featuresRow, corners))
	require.NoError(t, p.write(deadRow, dead))
	require.NoError(t, p.write(featuresRow, matches))
	require.NoError(t, p.write(featuresRow, vectors))
	require.NoError(t, p.write(featuresRow, tags))
	require.NoFileExists(t, path) // before it is complete
	require.NoError(t, p.close(t.Context(), "piece"))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var rows [][]byte
	require.NoError(t, readPiece(bytes.NewReader(data), func(table byte, row []byte) error {
		require.Equal(t, len(rows) == 3, table == deadRow)
		rows = append(rows, bytes.Clone(row))
		return nil
	}))
	for i := range rows[0] {
		_, err := parseFeature[Keypoints](rows[0][:i])
		require.ErrorContains(t, err, "a damaged row")
	}
	one, err := parseFeature[Keypoints](rows[0])
	require.NoError(t, err)
	require.Equal(t, keypoints, one)
	two, err := parseFeature[Keypoints](rows[1])
	require.NoError(t, err)
	require.Equal(t, Keypoints{Name: "none", Keypoints: []Keypoint{}}, two)
	three, err := parseFeature[Corners](rows[2])
	require.NoError(t, err)
	require.Equal(t, corners, three)
	four, err := parseDead(rows[3])
	require.NoError(t, err)
	require.Equal(t, dead, four)
	five, err := parseFeature[Matches](rows[4])
	require.NoError(t, err)
	require.Equal(t, matches, five)
	six, err := parseFeature[SIFTKeypoints](rows[5])
	require.NoError(t, err)
	require.Equal(t, vectors, six)
	for i := range rows[5] {
		_, err := parseFeature[SIFTKeypoints](rows[5][:i])
		require.ErrorContains(t, err, "a damaged row")
	}
	seven, err := parseFeature[Tags](rows[6])
	require.NoError(t, err)
	require.Equal(t, tags, seven)
	for i := range rows[6] {
		_, err := parseFeature[Tags](rows[6][:i])
		require.ErrorContains(t, err, "a damaged row")
	}
	require.ErrorIs(t, readPiece(bytes.NewReader(data[:len(data)-1]), func(byte, []byte) error { return nil }), io.ErrUnexpectedEOF)
	for i := range data {
		ignore := func(byte, []byte) error { return nil }
		require.ErrorIs(t, readPiece(bytes.NewReader(data[:i]), ignore), errDamaged)
		spoiled := bytes.Clone(data)
		spoiled[i] ^= 0x10
		require.ErrorIs(t, readPiece(bytes.NewReader(spoiled), ignore), errDamaged)
	}
	require.ErrorIs(t, readPiece(bytes.NewReader(append(data, 0)), func(byte, []byte) error { return nil }), errDamaged)

	p, err = createPiece(t.Context(), fs, dir)
	require.NoError(t, err)
	p.abort(t.Context())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// A grouped finds corners of groups without a runner.
type grouped struct {
	fn     *findFn[Corners, *detectFn]
	output string
}

func newGrouped(t *testing.T, output string) grouped {
	t.Helper()
	fn := &findFn[Corners, *detectFn]{
		Decoding: decodeFn{Memory: memory, Workers: 2},
		Method:   &detectFn{Detector: Detector{FAST: new(fast.Options)}},
		Shards:   1,
		Stock:    stock{Output: output, Work: testWork, Run: "run", Memory: memory},
	}
	fn.Setup()
	t.Cleanup(func() { require.NoError(t, fn.Teardown()) })
	return grouped{fn, output}
}

// testWork is the name of the work of tests.
const testWork = "0123456789abcdef0123456789abcdef"

// group returns the key of a group of files, and the files.
func (g grouped) group(names ...string) (key string, sources []Source) {
	for _, name := range names {
		sources = append(sources, Source{Name: name})
	}
	divide(sources, 1, func(k string, group []Source) { key, sources = k, group })
	return key, sources
}

func (g grouped) work(ctx context.Context, names ...string) (piece string, err error) {
	key, sources := g.group(names...)
	err = g.fn.ProcessElement(ctx, key, func(f *Source) bool {
		if len(sources) == 0 {
			return false
		}
		*f, sources = sources[0], sources[1:]
		return true
	}, func(_ int, path string) { piece = path })
	return piece, err
}

// die leaves the record of a process that has died.
func (g grouped) die(t *testing.T, names []string, with string) {
	t.Helper()
	fs, err := openStorage(t.Context(), g.output)
	require.NoError(t, err)
	key, _ := g.group(names...)
	require.NoError(t, writeFile(t.Context(), fs, join(g.output, g.fn.Stock.dir(key)+"/"+trialPrefix+"other-"+rand.Text()), []byte(with)))
}

// rows returns the features and the dead letters of a piece.
func (g grouped) rows(t *testing.T, piece string) (features []Corners, dead []DeadLetter) {
	t.Helper()
	fs, err := openStorage(t.Context(), g.output)
	require.NoError(t, err)
	require.NoError(t, readRowsOf(t.Context(), fs, join(g.output, piece),
		func(c Corners) error { features = append(features, c); return nil },
		func(d DeadLetter) error { dead = append(dead, d); return nil }))
	return features, dead
}

// trials returns how many records of trials there are.
func (g grouped) trials(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(g.output, piecesName, "*/*/*", trialPrefix+"*"))
	require.NoError(t, err)
	return len(files)
}

// A group that is repeated after its piece is complete is not worked on again.
func TestRepeat(t *testing.T) {
	g := newGrouped(t, t.TempDir())
	name := filepath.Join(t.TempDir(), "a.png")
	require.NoError(t, os.WriteFile(name, grayPNG(t, 30, 30), 0o666))
	first, err := g.work(t.Context(), name, "none.png")
	require.NoError(t, err)
	features, dead := g.rows(t, first)
	require.Len(t, features, 1)
	require.Equal(t, []DeadLetter{{"none.png", "no such file or directory"}}, dead)
	require.Zero(t, g.trials(t))
	require.NoError(t, os.Remove(name))
	again, err := g.work(t.Context(), name, "none.png")
	require.NoError(t, err)
	require.Equal(t, first, again)
	features, _ = g.rows(t, again)
	require.Len(t, features, 1)
}

// A row that is longer than what it has, or has fewer corners than it says, is damaged.
func TestDamagedRows(t *testing.T) {
	row := Corners{"a", 3, 4, []Corner{{X: 1}}}.appendTo(nil)
	_, err := parseFeature[Corners](row)
	require.NoError(t, err)
	_, err = parseFeature[Corners](append(row[:len(row):len(row)], 0))
	require.Error(t, err)
	many := slices.Clone(row)
	binary.LittleEndian.PutUint32(many[4+1+4+4:], math.MaxInt32)
	_, err = parseFeature[Corners](many)
	require.Error(t, err)
	_, err = parseDead(append(DeadLetter{"a", "b"}.appendTo(nil), 0))
	require.Error(t, err)
}

// An image is left out if a process has died twice while a group worked on it alone.
func TestTrials(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i := range 3 {
		names = append(names, filepath.Join(dir, fmt.Sprintf("%d.png", i)))
		require.NoError(t, os.WriteFile(names[i], grayPNG(t, 30, 30), 0o666))
	}
	g := newGrouped(t, t.TempDir())
	die := func(with string) { g.die(t, names, with) }
	die(allImages)
	die(names[1])
	require.Equal(t, 2, g.trials(t))
	piece, err := g.work(t.Context(), names...)
	require.NoError(t, err)
	features, dead := g.rows(t, piece)
	require.Len(t, features, 3)
	require.Empty(t, dead)
	require.Zero(t, g.trials(t))

	require.NoError(t, os.RemoveAll(filepath.Join(g.output, piecesName)))
	die(allImages)
	die(names[1])
	die(names[2])
	die(names[1])
	piece, err = g.work(t.Context(), names...)
	require.NoError(t, err)
	require.Contains(t, piece, deadPrefix) // for the next run, if this one fails
	features, dead = g.rows(t, piece)
	require.Len(t, features, 2)
	require.Equal(t, []DeadLetter{{names[1], "the process died 2 times while it worked on this image alone"}}, dead)
	require.Zero(t, g.trials(t))

	sweep := &sweepFn{Shards: 1, Stock: g.fn.Stock}
	require.NoError(t, sweep.ProcessElement(t.Context(), 1))
	require.FileExists(t, filepath.Join(g.output, piece)) // of no shard
	require.NoError(t, sweep.ProcessElement(t.Context(), 0))
	require.NoDirExists(t, filepath.Join(g.output, piecesName))
	require.NoError(t, sweep.Teardown())
}

// An error is no death: nothing is held against the images that were worked on.
func TestTrialFails(t *testing.T) {
	b := serveBucket(t)
	b.fail = func(string, int32) int { return 503 }
	b.objects["a.png"] = grayPNG(t, 30, 30)
	g := newGrouped(t, t.TempDir())
	_, err := g.work(t.Context(), "s3://bucket/a.png")
	require.ErrorContains(t, err, "StatusCode: 503")
	require.Zero(t, g.trials(t))
	b.fail = nil
	piece, err := g.work(t.Context(), "s3://bucket/a.png")
	require.NoError(t, err)
	features, _ := g.rows(t, piece)
	require.Len(t, features, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, os.RemoveAll(filepath.Join(g.output, piecesName)))
	_, err = g.work(ctx, "s3://bucket/a.png")
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, g.trials(t))
}

// The images of a group are worked on side by side, and nothing but the results is left.
func TestSideBySide(t *testing.T) {
	registerMeeting("crowd")
	dir, output := t.TempDir(), t.TempDir()
	for i := range 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("crowd"), 0o666))
	}
	require.NoError(t, run(t, func(s beam.Scope) error {
		return FeaturesJob{Layout: Layout{output, 1, 1}, Input: filepath.Join(dir, "*"), Memory: memory, Workers: 2, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
	}))
	require.Len(t, table[Corners](t, output, FeaturesTable), 2)
	m, err := ReadManifest(t.Context(), output)
	require.NoError(t, err)
	var left []string
	require.NoError(t, filepath.WalkDir(output, func(path string, d os.DirEntry, err error) error {
		left = append(left, path)
		return err
	}))
	want := []string{output, filepath.Join(output, m.Run), filepath.Join(output, ManifestName)}
	for _, files := range m.Tables {
		for _, f := range files {
			want = append(want, filepath.Join(output, f.Path))
		}
	}
	require.ElementsMatch(t, want, left)
}

// What is not needed after the commit is removed from object stores, too, whatever their names.
func TestSweep(t *testing.T) {
	b := serveBucket(t)
	b.objects["a.png"] = grayPNG(t, 30, 30)
	const output = "s3://bucket/out [1] 100%/x"
	fs, err := openStorage(t.Context(), output)
	require.NoError(t, err)
	job := FeaturesJob{Layout: Layout{output, 1, 1}, Input: "s3://bucket/a.png", Memory: memory, Detector: Detector{FAST: new(fast.Options)}}
	plan, err := job.plan(t.Context())
	require.NoError(t, err)
	require.NoError(t, filesystem.Write(t.Context(), fs, join(output, plan.stock.dir("00000-of-00001/0-of-1-x/"+trialPrefix+"y")), []byte(allImages)))
	require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
	keys := slices.Collect(maps.Keys(b.objects))
	require.Len(t, keys, 4, "%q", keys) // the image, the manifest and the tables
	require.Len(t, table[Corners](t, output, FeaturesTable), 1)
}
