package batch

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// An album is a directory of images whose features are kept up to date.
type album struct {
	t           *testing.T
	dir, output string
	job         FeaturesJob
	said        []string
}

func newAlbum(t *testing.T, images int) *album {
	a := &album{t: t, dir: t.TempDir(), output: filepath.Join(t.TempDir(), "out")}
	for i := range images {
		a.write(i, 30)
	}
	a.job = FeaturesJob{
		Layout: Layout{a.output, 4, 2}, Input: a.dir + "/*.png", Memory: memory, Update: true,
		Say: func(why string) { a.said = append(a.said, why) }, Detector: Detector{FAST: &fast.Options{Threshold: 20}},
	}
	return a
}

func (a *album) name(i int) string { return filepath.Join(a.dir, fmt.Sprintf("%03d.png", i)) }

// write writes an image of the given width, with a corner.
func (a *album) write(i, width int) {
	a.t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, 20+i))
	img.Pix[10*img.Stride+10] = 255
	var file bytes.Buffer
	require.NoError(a.t, png.Encode(&file, img))
	require.NoError(a.t, os.WriteFile(a.name(i), file.Bytes(), 0o666))
}

// update runs the job and returns its counters.
func (a *album) update() map[string]int {
	a.t.Helper()
	a.said = nil
	p, s := beam.NewPipelineWithRoot()
	require.NoError(a.t, a.job.Build(a.t.Context(), s))
	result, err := ptest.RunWithMetrics(p)
	require.NoError(a.t, err)
	a.check()
	counts := make(map[string]int)
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if n := int(c.Result()); c.Namespace() == Namespace && n > 0 {
			switch c.Name() {
			case "images", "dead_letters", "kept", "kept_dead", "changed", "gone", "adopted":
				counts[c.Name()] += n
			}
		}
	}
	return counts
}

// check checks that there is what a run that does everything would have.
func (a *album) check() {
	a.t.Helper()
	names, err := filepath.Glob(a.job.Input)
	require.NoError(a.t, err)
	var features, dead []string
	for _, name := range names {
		file, err := os.ReadFile(name)
		require.NoError(a.t, err)
		header, err := png.DecodeConfig(bytes.NewReader(file))
		if err != nil || int64(8*header.Width*header.Height) > a.job.Memory {
			dead = append(dead, name)
			continue
		}
		features = append(features, fmt.Sprintln(name, header.Width, header.Height, a.job.ORB == nil))
	}
	var found, buried, listed []string
	if a.job.ORB != nil {
		for _, row := range table[Keypoints](a.t, a.output, FeaturesTable) {
			found = append(found, fmt.Sprintln(row.Name, row.Width, row.Height, len(row.Keypoints) > 0))
		}
	} else {
		for _, row := range table[Corners](a.t, a.output, FeaturesTable) {
			found = append(found, fmt.Sprintln(row.Name, row.Width, row.Height, len(row.Corners) > 0))
		}
	}
	for _, row := range table[DeadLetter](a.t, a.output, DeadTable) {
		buried = append(buried, row.Name)
	}
	for _, row := range table[Source](a.t, a.output, SourcesTable) {
		listed = append(listed, row.Name)
	}
	require.ElementsMatch(a.t, features, found)
	require.ElementsMatch(a.t, dead, buried)
	require.ElementsMatch(a.t, names, listed)
}

func (a *album) manifest() Manifest {
	m, err := ReadManifest(a.t.Context(), a.output)
	require.NoError(a.t, err)
	return m
}

// A run does what is new or changed, and the results are those of a run that does everything.
func TestUpdate(t *testing.T) {
	a := newAlbum(t, 30)
	require.Equal(t, map[string]int{"images": 30}, a.update())
	first := a.manifest()
	require.Equal(t, map[string]int{"kept": 30}, a.update())
	second := a.manifest()
	require.Equal(t, first.Tables, second.Tables)
	require.NotEqual(t, first.Run, second.Run)

	// New ones get files of their own.
	for i := range 5 {
		a.write(100+i, 40)
	}
	require.Equal(t, map[string]int{"images": 5, "kept": 30}, a.update())
	for _, f := range first.Tables[FeaturesTable] {
		require.Contains(t, a.manifest().Tables[FeaturesTable], f)
	}

	// The rows of those that are gone or changed are gone, too.
	a.write(3, 31)
	require.NoError(t, os.Chtimes(a.name(4), time.Time{}, time.Unix(1e9, 7)))
	require.NoError(t, os.Remove(a.name(5)))
	require.Equal(t, map[string]int{"images": 2, "changed": 2, "gone": 1, "kept": 32}, a.update())

	// So are those of dead letters, and others become such.
	require.NoError(t, os.WriteFile(a.name(6), []byte("broken"), 0o666))
	require.NoError(t, os.WriteFile(a.name(50), nil, 0o666))
	require.Equal(t, map[string]int{"dead_letters": 2, "changed": 1, "kept": 33}, a.update())
	require.Equal(t, map[string]int{"kept": 35, "kept_dead": 2}, a.update())
	a.write(6, 50)
	require.Equal(t, map[string]int{"images": 1, "changed": 1, "kept": 34, "kept_dead": 1}, a.update())
	require.NoError(t, os.Remove(a.name(50)))
	require.Equal(t, map[string]int{"gone": 1, "kept": 34}, a.update())

	// Everything can be gone at once.
	for i := range 6 {
		a.write(200+i, 25)
	}
	a.job.Input = a.dir + "/2*.png"
	require.Equal(t, map[string]int{"images": 6, "gone": 34}, a.update())
	require.Empty(t, a.said)
}

// A shard does not have ever more files.
func TestUpdateMerges(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs")
	}
	a := newAlbum(t, 3)
	a.job.Shards, a.job.Branches = 1, 1
	a.job.Detector, a.job.ORB = Detector{}, new(orb.Options)
	a.update()
	most := 0
	for i := range mergeFiles + 2 {
		a.write(100+i, 30)
		require.Equal(t, map[string]int{"images": 1, "kept": 3 + i}, a.update())
		most = max(most, len(a.manifest().Tables[FeaturesTable]))
	}
	require.Equal(t, mergeFiles, most)
	require.Len(t, a.manifest().Tables[FeaturesTable], 4)
	require.Len(t, a.manifest().Tables[SourcesTable], 1)
}

// Dead letters are done again if that is wanted, for the fault need not be the file's.
func TestRetryDead(t *testing.T) {
	a := newAlbum(t, 10)
	photo, err := os.ReadFile(photos[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(a.name(20), photo, 0o666))
	require.NoError(t, os.WriteFile(a.name(21), nil, 0o666))
	a.job.Memory = 1 << 18
	require.Equal(t, map[string]int{"images": 10, "dead_letters": 2}, a.update())
	a.job.Memory = memory
	a.job.RetryDead = true
	require.Equal(t, map[string]int{"images": 1, "dead_letters": 1, "changed": 2, "kept": 10}, a.update())
	a.job.RetryDead = false
	require.Equal(t, map[string]int{"kept": 12, "kept_dead": 1}, a.update())
}

// An image with which two processes have died alone is tried once more by the next run, when all others
// are done. If a process dies of it again, it is left out from then on, and that is told.
func TestSuspects(t *testing.T) {
	const suspect = "suspect!" // what the file begins with
	a := newAlbum(t, 200)
	require.NoError(t, os.WriteFile(a.name(300), []byte(suspect), 0o666))
	pieces := -1 // that there are when it is decoded
	image.RegisterFormat("suspect", suspect, func(io.Reader) (image.Image, error) {
		found, err := filepath.Glob(filepath.Join(a.output, piecesName, "*/*/*/piece*"))
		pieces = len(found)
		return image.NewGray(image.Rect(0, 0, 9, 9)), err
	}, func(io.Reader) (image.Config, error) {
		return image.Config{ColorModel: color.GrayModel, Width: 9, Height: 9}, nil
	})
	// die leaves records of processes that have died with the file, in its group of those with some names.
	die := func(times int, key func(string) string, pattern string) (groups int) {
		plan, err := a.job.plan(t.Context())
		require.NoError(t, err)
		fs, err := openStorage(t.Context(), a.output)
		require.NoError(t, err)
		shards := make(map[int][]Source)
		require.NoError(t, list(t.Context(), filepath.Join(a.dir, pattern), "", func(f Source) {
			shard := shardOf(f.Name, a.job.Shards)
			shards[shard] = append(shards[shard], f)
		}))
		for _, sources := range shards {
			divide(sources, a.job.Shards, func(k string, group []Source) {
				groups++
				if !slices.ContainsFunc(group, func(f Source) bool { return f.Name == a.name(300) }) {
					return
				}
				for range times {
					record := fmt.Sprint(plan.stock.dir(key(k)), "/", trialPrefix, rand.Text())
					require.NoError(t, writeFile(t.Context(), fs, join(a.output, record), []byte(a.name(300))))
				}
			})
		}
		return groups
	}
	same := func(key string) string { return key }
	start := func() (images, dead int) {
		beforeImages, beforeDead := soFar.images.Load(), soFar.dead.Load()
		require.NoError(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }))
		return int(soFar.images.Load() - beforeImages), int(soFar.dead.Load() - beforeDead)
	}
	letter := func(times int) []DeadLetter {
		return []DeadLetter{{a.name(300), fmt.Sprintf("the process died %d times while it worked on this image alone", times)}}
	}
	died := func() {
		t.Helper()
		die(2, same, "*.png")
		images, dead := start()
		require.Equal(t, [2]int{200, 1}, [2]int{images, dead})
		require.Equal(t, letter(2), table[DeadLetter](t, a.output, DeadTable))
		require.Equal(t, -1, pieces)
	}
	died()
	// Others are new, and come first.
	for i := range 100 {
		a.write(400+i, 31)
	}
	groups := die(0, same, "4*.png")
	require.Greater(t, groups, 2)
	images, dead := start()
	require.Equal(t, [2]int{101, 0}, [2]int{images, dead})
	require.Equal(t, groups, pieces)
	require.Empty(t, table[DeadLetter](t, a.output, DeadTable))
	require.Len(t, table[Corners](t, a.output, FeaturesTable), 301)
	left, young, err := Leftovers(t.Context(), a.output, 0)
	require.NoError(t, err)
	require.Zero(t, young)
	require.NoError(t, Remove(t.Context(), left))

	// So do parts.
	for i := range 100 {
		require.NoError(t, os.Remove(a.name(400+i)))
	}
	require.NoError(t, os.RemoveAll(a.output))
	pieces = -1
	died()
	for i := range 100 {
		a.write(400+i, 31)
	}
	report, err := a.job.Part(t.Context(), 1, 1)
	require.NoError(t, err)
	require.Equal(t, PartReport{Groups: groups + 1, Images: 101, Bytes: report.Bytes}, report)
	require.Equal(t, groups, pieces)
	require.NoError(t, a.job.Commit(t.Context(), 1))
	require.Empty(t, table[DeadLetter](t, a.output, DeadTable))

	// The third time, the image seems to be the reason.
	for i := range 100 {
		require.NoError(t, os.Remove(a.name(400+i)))
	}
	require.NoError(t, os.RemoveAll(a.output))
	pieces = -1
	died()
	die(1, lastKey, "300.png")
	left, _, err = Leftovers(t.Context(), a.output, 0)
	require.NoError(t, err)
	require.Len(t, left, 1, "the record is known to be of a run")
	images, dead = start()
	require.Equal(t, [2]int{0, 1}, [2]int{images, dead})
	require.Equal(t, letter(3), table[DeadLetter](t, a.output, DeadTable))
	images, dead = start()
	require.Equal(t, [2]int{0, 0}, [2]int{images, dead})
	require.Equal(t, -1, pieces)
	// That is told, and may be tried with -retry-dead.
	a.job.RetryDead = true
	images, dead = start()
	require.Equal(t, [2]int{1, 0}, [2]int{images, dead})
}

// With other options everything is done again, and that is said.
func TestUpdateOptions(t *testing.T) {
	a := newAlbum(t, 4)
	a.update()
	for _, test := range []struct {
		why    string
		change func()
	}{
		{"option Threshold is 21, was 20", func() { a.job.Detector.FAST = &fast.Options{Threshold: 21} }},
		{"the method is orb, was fast", func() { a.job.Detector, a.job.ORB = Detector{}, new(orb.Options) }},
		{"there are 5 shards, were 4", func() { a.job.Shards = 5 }},
		{"the library is " + libraryVersion() + ", was v0.1.0", func() {
			file := filepath.Join(a.output, ManifestName)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			is := fmt.Appendf(nil, "%q: %q", "library", libraryVersion())
			require.Contains(t, string(text), string(is))
			require.NoError(t, os.WriteFile(file, bytes.Replace(text, is, []byte(`"library": "v0.1.0"`), 1), 0o666))
		}},
		{"the former manifest has no table of sources", func() {
			file := filepath.Join(a.output, ManifestName)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, bytes.Replace(text, []byte(`"sources": [`), []byte(`"springs": [`), 1), 0o666))
		}},
	} {
		test.change()
		require.Equal(t, map[string]int{"images": 4}, a.update(), test.why)
		require.Equal(t, []string{test.why}, a.said)
		require.Equal(t, map[string]int{"kept": 4}, a.update(), test.why)
		require.Empty(t, a.said)
	}
	// Those that stand for the same are the same.
	a.job.ORB = &orb.Options{Features: 500}
	require.Equal(t, map[string]int{"kept": 4}, a.update())
	a.job.Update = false
	require.Equal(t, map[string]int{"images": 4}, a.update())
	require.NoError(t, os.WriteFile(filepath.Join(a.output, ManifestName), []byte("{"), 0o666))
	a.job.Update = true
	_, s := beam.NewPipelineWithRoot()
	require.ErrorContains(t, a.job.Build(t.Context(), s), "manifest.json: unexpected end of JSON input")
}

// A run that another one has overtaken does not undo what that did, and one that fails leaves
// the former results.
func TestUpdateFails(t *testing.T) {
	a := newAlbum(t, 5)
	a.update()
	a.write(10, 30)
	late, s := beam.NewPipelineWithRoot()
	require.NoError(t, a.job.Build(t.Context(), s))
	require.Equal(t, map[string]int{"images": 1, "kept": 5}, a.update())
	after := a.manifest()
	require.ErrorContains(t, ptest.Run(late), "batch: run "+after.Run+" has replaced the results of ")
	require.Equal(t, after, a.manifest())
	a.check()

	a.job.MaxDead = "0"
	require.NoError(t, os.WriteFile(a.name(2), nil, 0o666))
	require.ErrorContains(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }), "batch: 1 of 6 are dead letters")
	require.Equal(t, after, a.manifest())
	require.Len(t, table[Corners](t, a.output, FeaturesTable), 6)
}

// Objects are the same if their tags are. What only escaping makes equal is done again.
func TestUpdateObjects(t *testing.T) {
	b := serveBucket(t)
	for i := range 8 {
		b.objects[fmt.Sprintf("in/%d.png", i)] = grayPNG(t, 30+i, 30)
	}
	job := func() (gets int) {
		b.gets.Store(0)
		require.NoError(t, run(t, func(s beam.Scope) error {
			return FeaturesJob{Layout: Layout{"s3://bucket/out", 2, 1}, Input: "s3://bucket/in/*.png", Memory: memory, Update: true, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
		}))
		return int(b.gets.Load())
	}
	read := make(map[string]bool)
	b.fail = func(key string, _ int32) int {
		read[key] = true
		return 0
	}
	job()
	require.True(t, read["in/3.png"])
	clear(read)
	job()
	for key := range read {
		require.NotContains(t, key, "in/")
	}
	b.objects["in/3.png"] = grayPNG(t, 33, 31)
	b.objects["in/9.png"] = grayPNG(t, 33, 31)
	clear(read)
	job()
	require.True(t, read["in/3.png"])
	require.True(t, read["in/9.png"])
	require.False(t, read["in/4.png"])
	require.Len(t, table[Source](t, "s3://bucket/out", SourcesTable), 9)
}

// Names that only escaping makes equal are done again, where it is not known which is which.
func TestUpdateEscaped(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("not all systems have such names")
	}
	a := newAlbum(t, 3)
	a.job.Shards = 1
	require.Equal(t, map[string]int{"images": 3}, a.update())
	for _, name := range []string{`x\xff.png`, "x\xff.png"} {
		require.NoError(t, os.WriteFile(filepath.Join(a.dir, name), grayPNG(t, 30, 30), 0o666))
		require.NoError(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }))
	}
	for range 2 {
		require.NoError(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }))
		require.Len(t, table[Corners](t, a.output, FeaturesTable), 4)
		require.Len(t, table[DeadLetter](t, a.output, DeadTable), 1)
		require.Len(t, table[Source](t, a.output, SourcesTable), 5)
	}
	require.NoError(t, os.Remove(filepath.Join(a.dir, "x\xff.png")))
	require.NoError(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }))
	require.Len(t, table[Corners](t, a.output, FeaturesTable), 4)
	require.Empty(t, table[DeadLetter](t, a.output, DeadTable))
}

// Of a name that is listed twice, as two that are escaped alike, both are done again, and it has
// changed once. If it was listed twice before, nothing is kept of it.
func TestUpdateTwice(t *testing.T) {
	for _, test := range []struct {
		before, now []int64 // when the files of the name were modified
		done        int
		drop        bool // what there was
	}{
		{[]int64{1}, []int64{1}, 0, false},
		{[]int64{1}, []int64{2, 3}, 2, true},
		{[]int64{1}, []int64{2, 1}, 2, true},
		{[]int64{1}, []int64{1, 2}, 1, false},
		{[]int64{1, 2}, []int64{1, 2}, 2, true},
		{[]int64{1, 2}, []int64{2}, 1, true},
	} {
		listed := Table{Output: t.TempDir(), Run: "run", Name: SourcesTable, Shards: 1}
		f, err := createFile[Source](t.Context(), listed, 0)
		require.NoError(t, err)
		for _, modified := range test.before {
			require.NoError(t, f.write(Source{Name: "x", Modified: modified}))
		}
		require.NoError(t, f.end())
		require.NoError(t, f.close())
		files, n := []File{f.File}, 0
		fn := updateFn{Output: listed.Output, Shards: 1}
		var done, dropped []string
		err = fn.ProcessElement(t.Context(), 0, func(s *Source) bool {
			if n == len(test.now) {
				return false
			}
			*s = Source{Name: "x", Modified: test.now[n]}
			n++
			return true
		}, func(f *File) bool {
			if len(files) == 0 {
				return false
			}
			*f, files = files[0], files[1:]
			return true
		}, func(_ string, f Source) { done = append(done, f.Name) }, func(Source) {}, func(File) {},
			func(r rewriting) { dropped = append(dropped, r.Drop...) }, func(rewriting) {})
		require.NoError(t, err)
		require.Len(t, done, test.done, "%v, %v", test.before, test.now)
		require.Equal(t, test.drop, len(dropped) == 1, "%v, %v", test.before, test.now)
		require.NoError(t, fn.Teardown())
	}
}

// Matches are of all images, whichever run has found their features.
func TestMatchUpdated(t *testing.T) {
	a := newAlbum(t, 0)
	a.job.Shards, a.job.Branches, a.job.Input = 1, 1, a.dir+"/*.png"
	a.job.Detector, a.job.ORB = Detector{}, &orb.Options{Features: 50}
	for i, name := range photos[:3] {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(a.name(i), file, 0o666))
		require.NoError(t, run(t, func(s beam.Scope) error { return a.job.Build(t.Context(), s) }))
	}
	require.Len(t, a.manifest().Tables[FeaturesTable], 3)
	output := t.TempDir()
	require.NoError(t, run(t, func(s beam.Scope) error {
		return MatchesJob{Layout: Layout{output, 1, 1}, Features: a.output}.Build(t.Context(), s)
	}))
	var pairs []string
	for _, row := range table[Matches](t, output, MatchesTable) {
		require.NotEmpty(t, row.Matches)
		pairs = append(pairs, filepath.Base(row.Query)+" "+filepath.Base(row.Train))
	}
	require.ElementsMatch(t, []string{"000.png 001.png", "000.png 002.png", "001.png 002.png"}, pairs)
}

// A worker has no more than the names of a shard in memory.
func TestUpdateMemory(t *testing.T) {
	const n = 100_000
	source := func(i int) Source {
		return Source{Name: fmt.Sprintf("s3://bucket/photos/%020d.jpg", i), Size: 1, ETag: "0123456789abcdef0123456789abcdef"}
	}
	output := t.TempDir()
	f, err := createFile[Source](t.Context(), Table{output, "run", SourcesTable, 1, nil}, 0)
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, f.write(source(i)))
	}
	require.NoError(t, f.end())
	require.NoError(t, f.close())
	kept, done := 0, 0
	peak := phototest.Peak(func() {
		fn := &updateFn{Output: output, Shards: 1}
		files, i := []File{f.File}, 0
		require.NoError(t, fn.ProcessElement(t.Context(), 0, func(s *Source) bool {
			if i == n {
				return false
			}
			*s = source(i)
			i++
			return true
		}, func(f *File) bool {
			if len(files) == 0 {
				return false
			}
			*f, files = files[0], files[1:]
			return true
		}, func(string, Source) { done++ }, func(Source) {}, func(File) { kept++ }, nil, nil))
	})
	require.Equal(t, 1, kept)
	require.Zero(t, done)
	t.Logf("%d bytes a name", peak/n)
	require.Less(t, peak/n, int64(600))
}
