package batch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// A bucket is as much of a server of S3 as the tests need. It has one bucket.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	gets    atomic.Int32
	fail    func(key string, get int32) int // the status of a request for an object, or 0
	cut     func(data []byte) []byte        // what is sent of an object, if not all
}

// serveBucket starts a server and has Beam's file system use it.
func serveBucket(t *testing.T) *bucket {
	t.Helper()
	b := &bucket{objects: make(map[string][]byte)}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	setPatience(t, Patience{Retries: 1})
	return b
}

// setPatience sets how often what fails is done again, after a millisecond or so.
func setPatience(t *testing.T, p Patience) {
	t.Helper()
	former, own := firstPause, ownPatience.Load()
	firstPause = time.Millisecond
	require.NoError(t, p.set())
	t.Cleanup(func() {
		firstPause = former
		ownPatience.Store(own)
	})
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	fail := func(status int, code string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>sorry</Message></Error>", code)
	}
	object, ok := b.objects[key]
	switch {
	case name != "bucket":
		fail(http.StatusNotFound, "NoSuchBucket")
	case r.Method == http.MethodPut:
		data, _ := io.ReadAll(r.Body)
		b.objects[key] = data
	case r.Method == http.MethodDelete:
		delete(b.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Query().Has("list-type"):
		type contents struct{ Key, ETag string }
		type prefix struct{ Prefix string }
		var list struct {
			XMLName        xml.Name `xml:"ListBucketResult"`
			Contents       []contents
			CommonPrefixes []prefix
		}
		start := r.URL.Query().Get("prefix")
		for key := range b.objects {
			rest, found := strings.CutPrefix(key, start)
			if dir, _, deep := strings.Cut(rest, "/"); found && deep && r.URL.Query().Has("delimiter") {
				if p := (prefix{start + dir + "/"}); !slices.Contains(list.CommonPrefixes, p) {
					list.CommonPrefixes = append(list.CommonPrefixes, p)
				}
			} else if found {
				list.Contents = append(list.Contents, contents{key, fmt.Sprintf("%x", sha256.Sum256(b.objects[key]))})
			}
		}
		xml.NewEncoder(w).Encode(list)
	case !ok:
		fail(http.StatusNotFound, "NoSuchKey")
	default:
		get := b.gets.Add(1)
		if b.fail != nil {
			switch status := b.fail(key, get); status {
			case 0:
			case http.StatusForbidden:
				fail(status, "AccessDenied")
				return
			default:
				fail(status, "SlowDown")
				return
			}
		}
		if r.Header.Get("Range") != "" {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(object))
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(object)))
		if b.cut != nil && r.Method == http.MethodGet {
			object = b.cut(object)
			w.Header().Set("Content-Length", fmt.Sprint(len(object)))
		}
		w.Write(object)
	}
}

// grayPNG returns an image of a size.
func grayPNG(t *testing.T, width, height int) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, width, height))))
	return file.Bytes()
}

// flaky has one file, whose reading fails half-way as often as it is told.
type flaky struct{ filesystem.Interface }

var flakyReads struct{ failures, attempts, open int }

func (flaky) OpenRead(context.Context, string) (io.ReadCloser, error) {
	flakyReads.attempts++
	flakyReads.open++
	if flakyReads.attempts <= flakyReads.failures {
		return flakyFile{io.MultiReader(strings.NewReader("te"), iotest.ErrReader(io.ErrUnexpectedEOF))}, nil
	}
	return flakyFile{strings.NewReader("text")}, nil
}

type flakyFile struct{ io.Reader }

func (flakyFile) Close() error { flakyReads.open--; return nil }

// A file is read again, twice at most, and closed each time.
func TestReadAgain(t *testing.T) {
	filesystem.Register("flaky", func(ctx context.Context) filesystem.Interface { return flaky{memfs.New(ctx)} })
	setPatience(t, Patience{Retries: 2})
	for failures := range 4 {
		flakyReads.failures, flakyReads.attempts = failures, 0
		fn := decodeFn{Memory: 100}
		slot := &slot{file: new(bytes.Buffer)}
		err := fn.read(t.Context(), slot, Source{Name: "flaky://file"})
		require.Equal(t, min(failures+1, 3), flakyReads.attempts)
		require.Zero(t, flakyReads.open)
		require.NoError(t, fn.Teardown())
		if failures == 3 {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "text", slot.file.String())
	}

	// What is read anywhere is copied to a file, which is gone when it is closed.
	t.Setenv("TMPDIR", t.TempDir())
	for _, failures := range []int{0, 2, 3} {
		flakyReads.failures, flakyReads.attempts = failures, 0
		var s storage
		file, size, err := s.openAt(t.Context(), "flaky://file")
		require.Zero(t, flakyReads.open)
		if failures == 3 {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		} else {
			require.NoError(t, err)
			require.EqualValues(t, 4, size)
			require.NoError(t, file.Close())
		}
		left, err := os.ReadDir(os.TempDir())
		require.NoError(t, err)
		require.Empty(t, left)
		require.NoError(t, s.close())
	}
}

// A server that goes away in the middle of a run leaves the results of the run before. An
// image that is not there, or may not be read, is a dead letter.
func TestOutage(t *testing.T) {
	b := serveBucket(t)
	output := t.TempDir()
	job := func() error {
		return run(t, func(s beam.Scope) error {
			return FeaturesJob{Layout: Layout{output, 4, 2}, Input: "s3://bucket/*.png", Memory: memory, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
		})
	}
	for i := range 30 {
		b.objects[fmt.Sprintf("%02d.png", i)] = grayPNG(t, 50+i, 40)
	}
	require.NoError(t, job())
	first, err := ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.Len(t, table[Corners](t, output, FeaturesTable), 30)

	b.gets.Store(0)
	b.fail = func(key string, get int32) int {
		// The part with the image that fails below is never whole, or the next run would adopt it.
		if get > 10 || key == "07.png" {
			return http.StatusServiceUnavailable
		}
		return 0
	}
	require.ErrorContains(t, job(), "StatusCode: 503")
	after, err := ReadManifest(t.Context(), output)
	require.NoError(t, err)
	require.Equal(t, first, after)

	// What passes is waited for, and what concerns one image only does not fail the run.
	b.gets.Store(0)
	b.fail = func(key string, get int32) int {
		switch {
		case key == "07.png":
			return http.StatusForbidden
		case get == 5:
			return http.StatusInternalServerError
		}
		return 0
	}
	require.NoError(t, job())
	require.Len(t, table[Corners](t, output, FeaturesTable), 29)
	dead := table[DeadLetter](t, output, DeadTable)
	require.Len(t, dead, 1)
	require.Equal(t, "s3://bucket/07.png", dead[0].Name)
	require.Contains(t, dead[0].Reason, "AccessDenied")
}

func TestOwnFault(t *testing.T) {
	for text, own := range map[string]bool{
		"error getting object s3://b/k: operation error S3: GetObject, https response error StatusCode: 404, RequestID: 1, HostID: 2, NoSuchKey: gone":                  true,
		"error getting object s3://b/k: operation error S3: GetObject, https response error StatusCode: 404, RequestID: 1, HostID: 2, NoSuchBucket: gone":               false,
		"error getting object s3://b/k: operation error S3: GetObject, https response error StatusCode: 403, RequestID: 1, HostID: 2, api error AccessDenied: no":       true,
		"error getting object s3://b/k: operation error S3: GetObject, https response error StatusCode: 403, RequestID: 1, HostID: 2, api error InvalidAccessKeyId: no": false,
		"error getting object s3://b/%20NoSuchKey:%20: operation error S3: GetObject, https response error StatusCode: 0, request send failed: connection refused":      false,
		"storage: object doesn't exist": true,
		"unexpected EOF":                false,
	} {
		require.Equal(t, own, ownFault(fmt.Errorf("%s", text)), text)
	}
	require.False(t, ownFault(&os.PathError{Err: syscall.EIO}))
	require.False(t, ownFault(context.DeadlineExceeded))
}

// Too many dead letters, or no images at all, replace nothing.
func TestMaxDead(t *testing.T) {
	dir, output := t.TempDir(), t.TempDir()
	for i := range 10 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.png", i)), grayPNG(t, 30, 30+i), 0o666))
	}
	job := func(limit DeadLimit) error {
		return run(t, func(s beam.Scope) error {
			return FeaturesJob{Layout: Layout{output, 3, 2}, Input: dir + "/*", Memory: memory, MaxDead: limit, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
		})
	}
	require.NoError(t, job("0"))
	first, err := ReadManifest(t.Context(), output)
	require.NoError(t, err)
	for i := range 2 {
		require.NoError(t, os.Truncate(filepath.Join(dir, fmt.Sprintf("%d.png", i)), 30))
	}
	for _, limit := range []DeadLimit{"0", "1", "0%", "19.9%"} {
		require.ErrorContains(t, job(limit), "batch: 2 of 10 are dead letters, more than "+string(limit)+" (-max-dead); see "+"20", limit)
		after, err := ReadManifest(t.Context(), output)
		require.NoError(t, err)
		require.Equal(t, first, after)
	}
	for _, limit := range []DeadLimit{"", "2", "20%", "100%"} {
		require.NoError(t, job(limit), limit)
	}
	for i := range 10 {
		require.NoError(t, os.Truncate(filepath.Join(dir, fmt.Sprintf("%d.png", i)), 0))
	}
	require.ErrorContains(t, job("100%"), "batch: none of 10 images could be read; see ")
	require.Len(t, table[Corners](t, output, FeaturesTable), 8)
	for _, text := range []string{"-1", "x", "101%", "NaN%", "%", "1.5"} {
		require.Error(t, new(DeadLimit).Set(text), text)
	}
}

// hell are names that are not what they seem.
var hell = []string{
	"per%41cent.jpg", "perAcent.jpg", "a#b", "a", "a?b", "a%zzb", "a b+c", "tab\tkey", "line\nkey",
	"%2e%2e/x", "a//b", "ä", "日本", "%", "a&b=c", "a;b", "'\"<>",
}

// An object is read by its key, whatever is in it.
func TestObjectNames(t *testing.T) {
	b := serveBucket(t)
	var names []string
	for i, key := range hell {
		b.objects[key] = grayPNG(t, 20+i, 10)
		names = append(names, "s3://bucket/"+key)
	}
	require.NoError(t, run(t, func(s beam.Scope) error {
		images, dead := Decode(s, beam.CreateList(s, names), memory)
		passert.Empty(s, dead)
		var want []Image
		for i, name := range names {
			want = append(want, Image{name, int32(20 + i), 10, int32(20 + i), make([]byte, (20+i)*10)})
		}
		passert.EqualsList(s, beam.Reshuffle(s, images), want)
		return nil
	}))
	fs, err := openStorage(t.Context(), "s3://bucket/*")
	require.NoError(t, err)
	listed, err := fs.List(t.Context(), "s3://bucket/per%41*")
	require.NoError(t, err)
	require.Equal(t, []string{"s3://bucket/per%41cent.jpg"}, listed)
	listed, err = fs.List(t.Context(), "s3://bucket/a?b")
	require.NoError(t, err)
	require.Equal(t, []string{"s3://bucket/a?b"}, listed) // Beam takes it as it is before the first *

	// The keys that are written are those that are named, too.
	require.NoError(t, replace(t.Context(), "s3://bucket/out #1%20/m", "", []byte("x")))
	require.Equal(t, []byte("x"), b.objects["out #1%20/m"])
}

// A name that is not UTF-8 would make a column of strings unreadable. It is a dead letter.
func TestNotUTF8(t *testing.T) {
	dir, output := t.TempDir(), t.TempDir()
	for _, name := range []string{"good.png", "bad\xff\n.png", `back\xff.png`} {
		if err := os.WriteFile(filepath.Join(dir, name), grayPNG(t, 30, 30), 0o666); err != nil {
			t.Skip(err) // not all systems have such names
		}
	}
	require.NoError(t, run(t, func(s beam.Scope) error {
		return FeaturesJob{Layout: Layout{output, 1, 1}, Input: dir + "/*.png", Memory: memory, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
	}))
	var names []string
	for _, row := range table[Corners](t, output, FeaturesTable) {
		names = append(names, filepath.Base(row.Name))
	}
	slices.Sort(names)
	require.Equal(t, []string{`back\xff.png`, "good.png"}, names)
	require.Equal(t, []DeadLetter{{dir + "/bad\\xff\n.png", "the name is not UTF-8"}}, table[DeadLetter](t, output, DeadTable))
}
