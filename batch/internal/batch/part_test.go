package batch

import (
	"archive/tar"
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// Every group is in one part, and parts are of equal size.
func TestPartOf(t *testing.T) {
	const shards, groups = 16, 1024
	for _, parts := range []int{1, 3, 16, 1000} {
		counts := make([]int, parts)
		for shard := range shards {
			for g := range groups {
				part, err := partOf(fmt.Sprintf("%s/%d-of-%d-0123", shardName(shard, shards), g, groups), parts)
				require.NoError(t, err)
				counts[part]++
				first, end := part*shards/parts, ((part+1)*shards+parts-1)/parts
				require.True(t, first <= shard && shard < end)
			}
		}
		for _, n := range counts {
			require.InDelta(t, shards*groups/parts, n, 1)
		}
	}
	_, err := partOf("x", 2)
	require.Error(t, err)
}

// Parts that are committed have the manifest and the rows of a run on Beam, be they all images or
// those that are new.
func TestParts(t *testing.T) {
	a := newAlbum(t, 300)
	require.NoError(t, os.WriteFile(a.name(400), nil, 0o666))
	a.job.Branches = 2
	const parts = 7
	do := func(list ...int) (images, adopted int) {
		t.Helper()
		for _, i := range list {
			report, err := a.job.Part(t.Context(), i, parts)
			require.NoError(t, err)
			images += int(report.Images + report.Dead)
			adopted += report.Adopted
		}
		return images, adopted
	}
	all := []int{7, 1, 4, 3, 2, 6, 5}
	images, adopted := do(1, 2, 4, 5, 7)
	require.Zero(t, adopted)
	require.Less(t, images, 301)
	again, adopted := do(2, 4)
	require.Zero(t, again)
	require.NotZero(t, adopted)
	require.ErrorContains(t, a.job.Commit(t.Context(), 0), fmt.Sprintf("groups are not done, with %d images", 301-images))
	require.ErrorContains(t, a.job.Commit(t.Context(), parts), fmt.Sprintf("groups are not done, with %d images: parts 3,6", 301-images))
	_, err := os.Stat(filepath.Join(a.output, ManifestName))
	require.ErrorIs(t, err, os.ErrNotExist)
	more, _ := do(all...)
	require.Equal(t, 301, images+more)
	require.NoError(t, a.job.Commit(t.Context(), parts))
	a.check()
	require.NoDirExists(t, filepath.Join(a.output, piecesName))

	b := *a
	b.output = t.TempDir()
	b.job.Output = b.output
	b.update()
	same := func() {
		t.Helper()
		require.Equal(t, table[Corners](t, b.output, FeaturesTable), table[Corners](t, a.output, FeaturesTable))
		require.Equal(t, table[DeadLetter](t, b.output, DeadTable), table[DeadLetter](t, a.output, DeadTable))
		require.Equal(t, table[Source](t, b.output, SourcesTable), table[Source](t, a.output, SourcesTable))
		is, want := a.manifest(), b.manifest()
		for table := range want.Tables {
			require.Len(t, is.Tables[table], len(want.Tables[table]))
		}
		is.Run, is.Tables = want.Run, want.Tables
		require.Equal(t, want, is)
	}
	same()

	// A run with nothing new leaves nothing to be done.
	images, _ = do(all...)
	require.Zero(t, images)
	require.NoError(t, a.job.Commit(t.Context(), 0))
	same()

	for i := range 20 {
		a.write(500+i, 33)
	}
	a.write(3, 31)
	require.NoError(t, os.Remove(a.name(5)))
	images, _ = do(all...)
	require.Equal(t, 21, images)
	require.NoError(t, a.job.Commit(t.Context(), parts))
	a.check()
	require.Equal(t, map[string]int{"images": 21, "changed": 1, "gone": 1, "kept": 299, "kept_dead": 1}, b.update())
	same()

	// Beam goes on with what parts have done, and a commit fails as a run does.
	a.job.Update = false
	do(1, 2)
	a.job.MaxDead = "0"
	images, adopted = do(3, 4, 5, 6, 7)
	require.NotZero(t, images)
	require.Zero(t, adopted)
	require.ErrorContains(t, a.job.Commit(t.Context(), parts), "batch: 1 of 320 are dead letters, more than 0 (-max-dead)")
	a.job.MaxDead = ""
	require.Equal(t, map[string]int{"adopted": 320}, a.update())

	_, err = a.job.Part(t.Context(), 8, parts)
	require.ErrorContains(t, err, "batch: part 8 of 7: want 1 to 7")
	a.job.Input = a.dir + "/none*"
	_, err = a.job.Part(t.Context(), 1, parts)
	require.ErrorContains(t, err, "no file matches")
}

// A commit that another run has overtaken replaces nothing, and one that is damaged neither.
func TestCommitFails(t *testing.T) {
	a := newAlbum(t, 20)
	_, err := a.job.Part(t.Context(), 1, 1)
	require.NoError(t, err)
	pieces, err := filepath.Glob(filepath.Join(a.output, piecesName, "*/*/*/"+pieceName))
	require.NoError(t, err)
	require.NotEmpty(t, pieces)
	require.NoError(t, os.Truncate(pieces[0], 50))
	require.ErrorContains(t, a.job.Commit(t.Context(), 0), "a damaged piece")
	require.ErrorContains(t, a.job.Commit(t.Context(), 1), "1 of 4 groups are not done")
	_, err = a.job.Part(t.Context(), 1, 1)
	require.NoError(t, err)
	require.NoError(t, a.job.Commit(t.Context(), 1))
	a.check()
}

// Names can come from a file, with sizes and tags, and what is as it was is kept if they tell.
func TestNames(t *testing.T) {
	a := newAlbum(t, 10)
	var names []string
	file := filepath.Join(t.TempDir(), "names.csv")
	write := func(records ...[]string) {
		t.Helper()
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		require.NoError(t, w.WriteAll(records))
		require.NoError(t, os.WriteFile(file, text.Bytes(), 0o666))
	}
	odd := filepath.Join(a.dir, "a,\"b\nc.png")
	require.NoError(t, os.WriteFile(odd, grayPNG(t, 30, 30), 0o666))
	var records [][]string
	for _, name := range append(names, a.name(0), a.name(7), odd) {
		info, err := os.Stat(name)
		require.NoError(t, err)
		records = append(records, []string{name, fmt.Sprint(info.Size()), "v1"})
	}
	write(records...)
	job := a.job
	job.Input, job.Names = "", file
	start := func() {
		t.Helper()
		require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
	}
	start()
	require.Len(t, table[Corners](t, a.output, FeaturesTable), 3)
	before := soFar.images.Load()
	start()
	require.Equal(t, before, soFar.images.Load())
	records[1][2] = "v2"
	write(records...)
	start()
	require.Equal(t, before+1, soFar.images.Load())
	report, err := job.Part(t.Context(), 1, 2)
	require.NoError(t, err)
	require.Zero(t, report.Groups)
	require.NoError(t, job.Commit(t.Context(), 0))

	// Without tags, all are done again.
	write([]string{a.name(0)}, []string{a.name(1)}, []string{a.name(2), ""})
	start()
	start()
	require.Equal(t, before+7, soFar.images.Load())

	for want, records := range map[string][][]string{
		":2: a name in another file system than the first one":              {{"a"}, {"s3://b/c"}},
		":1: 4 fields, want a name, and a size and a tag if they are known": {{"a", "1", "b", "c"}},
		`:1: "-1" is no size`: {{"a", "-1"}},
		":2: an empty name":   {{"a"}, {"", "1"}},
		": no names":          {},
	} {
		write(records...)
		require.ErrorContains(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }), file+want)
	}
	job.Input = "x"
	_, s := beam.NewPipelineWithRoot()
	require.ErrorContains(t, job.Build(t.Context(), s), "batch: both Input and Names")
}

// tarOf returns a tar file with members.
func tarOf(t *testing.T, members map[string][]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "dir.jpg/", Typeflag: tar.TypeDir}))
	for name, data := range members {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o666, Size: int64(len(data))}))
		_, err := w.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return file.Bytes()
}

// The photos in tar files are as if they were files.
func TestTar(t *testing.T) {
	b := serveBucket(t)
	dir := t.TempDir()
	var want []Keypoints
	members := make(map[string][]byte)
	opts := orb.Options{Features: 50}
	long := "0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/"
	for i, name := range photos[:3] {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		member := []string{"a.png", "B.PNG", long + "c#.tar#d.png"}[i]
		members[member] = data
		row := extracted(t, name, opts)
		row.Name = member
		want = append(want, row)
	}
	members["a.cls"], members["a.json"], members["broken.jpg"] = []byte("7"), []byte("{}"), []byte("broken")
	whole := tarOf(t, members)
	for name, data := range map[string][]byte{"one.tar": whole, "cut.tar": whole[:len(whole)/2], "two.TAR": tarOf(t, nil), "x.png": grayPNG(t, 30, 30)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
		b.objects["in/"+name] = data
	}
	for _, in := range []string{dir, "s3://bucket/in"} {
		output := t.TempDir()
		job := FeaturesJob{Layout: Layout{output, 3, 2}, Input: in + "/*", Memory: memory, Update: true, ORB: &opts}
		require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
		rows := table[Keypoints](t, output, FeaturesTable)
		found := make(map[string]Keypoints)
		for _, row := range rows {
			found[row.Name] = row
		}
		require.Len(t, found, 4)
		for _, row := range want {
			row.Name = in + "/one.tar#" + row.Name
			require.Equal(t, row, found[row.Name])
		}
		require.Contains(t, found, in+"/x.png")
		require.ElementsMatch(t, []DeadLetter{
			{in + "/one.tar#broken.jpg", "not an image, or of a format that is not read"},
			{in + "/cut.tar", "a damaged tar file"},
		}, table[DeadLetter](t, output, DeadTable))
		before := soFar.images.Load()
		require.NoError(t, run(t, func(s beam.Scope) error { return job.Build(t.Context(), s) }))
		require.Equal(t, before, soFar.images.Load())
		v, err := Verify(t.Context(), output, 1)
		require.NoError(t, err)
		require.Empty(t, v.Problems)
		job.Update = false
		for i := range 3 {
			_, err := job.Part(t.Context(), i+1, 3)
			require.NoError(t, err)
		}
		require.NoError(t, job.Commit(t.Context(), 3))
		require.Equal(t, rows, table[Keypoints](t, output, FeaturesTable))
	}
}
