package batch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var long = flag.Bool("long", false, "make tests longer: list 10 million names")

// listed returns what a pattern matches, and the number of parts that it was listed in. The
// names are sorted.
func listed(t *testing.T, pattern string) (sources []Source, parts int, err error) {
	t.Helper()
	fn := new(listFn)
	err = new(partFn).ProcessElement(t.Context(), pattern, func(p part) {
		parts++
		before := len(sources)
		require.NoError(t, fn.ProcessElement(t.Context(), p, func(f Source) { sources = append(sources, f) }, func(n int) {
			require.Equal(t, len(sources)-before, n)
		}))
	})
	require.NoError(t, fn.Teardown())
	slices.SortFunc(sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return sources, parts, err
}

func listedNames(t *testing.T, pattern string) (names []string, parts int) {
	t.Helper()
	sources, parts, err := listed(t, pattern)
	require.NoError(t, err, pattern)
	for _, f := range sources {
		names = append(names, f.Name)
	}
	return names, parts
}

// Local names are those of filepath.Glob.
func TestListLocal(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/1.jpg", "a/2.jpg", "a/b/3.jpg", "b/1.jpg", "b/x.png", "c.jpg", "[d]/1.jpg", "a/[e].jpg", "1.jpg"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(name), 0o666))
	}
	t.Chdir(dir)
	for pattern, parts := range map[string]int{
		dir + "/*.jpg": 1, "*": 1, "*.jpg": 1, "./*.jpg": 1, ".//*.jpg": 1, "a//*.jpg": 1, "c.jpg": 1, "none.jpg": 1, "none/*": 1, "c.jpg/*": 1, "a/*/*.jpg": 1,
		"*/*.jpg": 3, "*/*/*.jpg": 3, dir + "/*/*": 3, "[ab]/*.jpg": 2, "**/1.jpg": 3, "*/b/*": 3, "*/b": 3, "*/": 1, "x*/*": 0,
		`\[d\]/*`: 1, `a/\[e\].jpg`: 1, "../*/c.jpg": 1,
	} {
		want, err := filepath.Glob(pattern)
		require.NoError(t, err)
		names, n := listedNames(t, pattern)
		require.Equal(t, want, names, pattern)
		if pattern != "../*/c.jpg" { // where there may be more
			require.Equal(t, parts, n, pattern)
		}
	}
	sources, _, err := listed(t, "a/1.jpg")
	require.NoError(t, err)
	require.Equal(t, int64(len(dir)+len("/a/1.jpg")), sources[0].Size)
	require.WithinDuration(t, time.Now(), time.Unix(0, sources[0].Modified), time.Hour)
	_, _, err = listed(t, "a/[")
	require.ErrorContains(t, err, "a/[: syntax error in pattern")
}

// A directory that cannot be read is an error: its images would be missing in the results.
func TestListUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Skip(err)
	}
	_, _, err := listed(t, dir+"/loop*")
	require.NoError(t, err) // it is a name
	fn := new(listFn)
	err = fn.ProcessElement(t.Context(), part{Dir: dir + "/loop/", Pattern: "*"}, func(Source) {}, func(int) {})
	require.ErrorIs(t, err, syscall.ELOOP)
	require.ErrorContains(t, err, dir+"/loop/: open "+dir)
}

// A catalog is a server of S3 and of Google Cloud Storage that only lists. Its keys are sorted.
type catalog struct {
	keys     int
	key      func(i int) string
	requests atomic.Int32
}

func serveCatalog(t *testing.T, keys int, key func(i int) string) *catalog {
	t.Helper()
	c := &catalog{keys: keys, key: key}
	serveBucket(t) // for the environment
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	return c
}

// ServeHTTP lists pages of 1000. The token for the next one is where it begins.
func (c *catalog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	query := r.URL.Query()
	google := strings.HasPrefix(r.URL.Path, "/storage/v1/b/bucket/o")
	prefix, delimiter, token := query.Get("prefix"), query.Get("delimiter"), cmp.Or(query.Get("continuation-token"), query.Get("pageToken"))
	from := func(key string) int { return sort.Search(c.keys, func(i int) bool { return c.key(i) >= key }) }
	at, err := strconv.Atoi(token)
	if err != nil {
		at = from(prefix)
	}
	var keys, dirs []string
	next := ""
	for at < c.keys {
		if len(keys)+len(dirs) == 1000 {
			next = strconv.Itoa(at)
			break
		}
		key := c.key(at)
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			break
		}
		if name, _, below := strings.Cut(rest, "/"); below && delimiter != "" {
			dirs = append(dirs, prefix+name+"/")
			at = from(prefix + name + "0") // what follows the slash
			continue
		}
		keys = append(keys, key)
		at++
	}
	if google {
		type item struct {
			Name    string `json:"name"`
			Size    int    `json:"size,string"`
			Updated string `json:"updated"`
			ETag    string `json:"etag"`
		}
		var items []item
		for _, key := range keys {
			items = append(items, item{key, len(key), "2026-01-02T03:04:05Z", "tag"})
		}
		json.NewEncoder(w).Encode(map[string]any{"items": items, "prefixes": dirs, "nextPageToken": next})
		return
	}
	encode := func(key string) string { return key }
	var page bytes.Buffer
	page.WriteString("<ListBucketResult>")
	if query.Get("encoding-type") == "url" {
		encode = url.QueryEscape
		page.WriteString("<EncodingType>url</EncodingType>")
	}
	if next != "" {
		fmt.Fprintf(&page, "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>", next)
	}
	for _, key := range keys {
		fmt.Fprintf(&page, `<Contents><Key>%s</Key><LastModified>2026-01-02T03:04:05Z</LastModified><ETag>"tag"</ETag><Size>%d</Size></Contents>`, encode(key), len(key))
	}
	for _, dir := range dirs {
		fmt.Fprintf(&page, "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>", encode(dir))
	}
	page.WriteString("</ListBucketResult>")
	w.Write(page.Bytes())
}

// Objects are listed by the directories that the first wildcards match.
func TestListObjects(t *testing.T) {
	keys := []string{"a/1.jpg", "a/2.jpg", "a/b/3.jpg", "b/1.jpg", "b/x.png", "c.jpg", "c?d", "cxd", "a b+c%41.jpg", "a\x01\r.jpg", "photos/x/y/1.jpg", "photos/1.jpg"}
	slices.Sort(keys)
	serveCatalog(t, len(keys), func(i int) string { return keys[i] })
	for _, test := range []struct {
		pattern    string
		parts      int
		keys       string
		onlyGoogle bool
	}{
		{"*.jpg", 1, "a\x01\r.jpg|a b+c%41.jpg|c.jpg", false},
		{"*/*.jpg", 3, "a/1.jpg|a/2.jpg|b/1.jpg|photos/1.jpg", false},
		{"*/*/*.jpg", 3, "a/b/3.jpg", false},
		{"a/*.jpg", 1, "a/1.jpg|a/2.jpg", false},
		{"[ab]/1*", 2, "a/1.jpg|b/1.jpg", false},
		{"c?d", 1, "c?d|cxd", false},
		{"c.jpg", 1, "c.jpg", false},
		{"none/*", 1, "", false},
		{"x*/*", 0, "", false},
		{"photos/*/*/*", 1, "photos/x/y/1.jpg", false},
		{"**/*.jpg", 4, "a\x01\r.jpg|a b+c%41.jpg|a/1.jpg|a/2.jpg|a/b/3.jpg|b/1.jpg|c.jpg|photos/1.jpg|photos/x/y/1.jpg", true},
		{"photos/**", 2, "photos/1.jpg|photos/x/y/1.jpg", true},
		{"a/**3.jpg", 2, "a/b/3.jpg", true},
		{"[!ap]/1.jpg", 1, "b/1.jpg", true},
	} {
		for _, scheme := range []string{"s3://bucket/", "gs://bucket/"} {
			if test.onlyGoogle && scheme[0] == 's' {
				continue
			}
			names, parts := listedNames(t, scheme+test.pattern)
			require.Equal(t, test.parts, parts, scheme+test.pattern)
			var found []string
			for _, name := range names {
				found = append(found, strings.TrimPrefix(name, scheme))
			}
			require.Equal(t, test.keys, strings.Join(found, "|"), scheme+test.pattern)
		}
	}
	names, _ := listedNames(t, `s3://bucket/c\?d`)
	require.Equal(t, []string{"s3://bucket/c?d"}, names)
	for _, scheme := range []string{"s3", "gs"} {
		sources, _, err := listed(t, scheme+"://bucket/c.jpg")
		require.NoError(t, err)
		require.Equal(t, []Source{{scheme + "://bucket/c.jpg", 5, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano(), "tag", 0}}, sources)
		_, _, err = listed(t, scheme+"://bucket/a[")
		require.ErrorIs(t, err, path.ErrBadPattern)
	}
}

// However many names there are, a worker has those of a page, be they in many directories or
// in one.
func TestListMemory(t *testing.T) {
	total := 200_000
	if *long {
		total = 10_000_000
	}
	for name, key := range map[string]func(i int) string{
		"flat":        func(i int) string { return fmt.Sprintf("photos/IMG_%08d.jpg", i) },
		"directories": func(i int) string { return fmt.Sprintf("photos/%04d/IMG_%08d.jpg", i/5000, i) },
	} {
		t.Run(name, func(t *testing.T) {
			c := serveCatalog(t, total, key)
			pattern := "s3://bucket/photos/*.jpg"
			if name == "directories" {
				pattern = "s3://bucket/photos/*/*.jpg"
			}
			runtime.GC()
			var peak, n int
			var stats runtime.MemStats
			start := time.Now()
			fn := new(listFn)
			require.NoError(t, new(partFn).ProcessElement(t.Context(), pattern, func(p part) {
				require.NoError(t, fn.ProcessElement(t.Context(), p, func(Source) {
					if n++; n%10_000 == 0 {
						runtime.ReadMemStats(&stats)
						peak = max(peak, int(stats.HeapInuse))
					}
				}, func(int) {}))
			}))
			require.NoError(t, fn.Teardown())
			require.Equal(t, total, n)
			require.Less(t, peak, 200<<20)
			t.Logf("%d names in %d requests, %.1f s, peak heap %d MiB", n, c.requests.Load(), time.Since(start).Seconds(), peak>>20)
		})
	}
}

// A pattern that matches nothing, and parts that are missing, fail a pipeline.
func TestTally(t *testing.T) {
	tally := func(parts int, tallies ...int) (total int, err error) {
		err = (&tallyFn{"photos/*"}).ProcessElement(nil, func(*part) bool {
			parts--
			return parts >= 0
		}, func(n *int) bool {
			if len(tallies) == 0 {
				return false
			}
			*n, tallies = tallies[0], tallies[1:]
			return true
		}, func(n int) { total = n })
		return total, err
	}
	total, err := tally(3, 5, 0, 2)
	require.NoError(t, err)
	require.Equal(t, 7, total)
	_, err = tally(3, 5, 2)
	require.ErrorContains(t, err, "photos/*: 1 parts have not been listed")
	_, err = tally(1, 0)
	require.ErrorContains(t, err, "photos/*: no file matches")
	_, err = tally(0)
	require.ErrorContains(t, err, "photos/*: no file matches")
}
