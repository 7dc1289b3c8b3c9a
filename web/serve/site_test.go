package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSite(t *testing.T) {
	s := site{"index.html": []byte("<p>"), "page.js": []byte("1"), "a/b.jpg": []byte("jpg"), "fast-12.bin": []byte("gzip")}
	get := func(target, etag string) *http.Response {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Result()
	}
	for target, want := range map[string]string{
		"/":                "text/html; charset=utf-8",
		"/index.html":      "text/html; charset=utf-8",
		"/page.js?version": "text/javascript; charset=utf-8",
		"/a/b.jpg":         "image/jpeg",
		"/fast-12.bin":     "application/octet-stream",
	} {
		r := get(target, "")
		require.Equal(t, http.StatusOK, r.StatusCode, target)
		require.Equal(t, want, r.Header.Get("Content-Type"), target)
		require.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "same-origin", r.Header.Get("Cross-Origin-Opener-Policy"))
		require.Equal(t, "require-corp", r.Header.Get("Cross-Origin-Embedder-Policy"))
	}
	for _, target := range []string{"/a", "/a/", "/none.js", "/../main.go", "//index.html"} {
		require.Equal(t, http.StatusNotFound, get(target, "").StatusCode, target)
	}

	// Texts are sent in a compressed form to those who accept it.
	r := httptest.NewRequest(http.MethodGet, "/page.js", nil)
	r.Header.Set("Accept-Encoding", "br, gzip")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	require.Equal(t, "gzip", w.Result().Header.Get("Content-Encoding"))
	text, err := gzip.NewReader(w.Body)
	require.NoError(t, err)
	data, err := io.ReadAll(text)
	require.NoError(t, err)
	require.Equal(t, "1", string(data))
	require.Empty(t, get("/page.js", "").Header.Get("Content-Encoding"))
	require.Equal(t, "Accept-Encoding", get("/page.js", "").Header.Get("Vary"))

	// What is under the same name is asked for again, but not sent again.
	page := get("/page.js", "")
	require.Equal(t, "no-cache", page.Header.Get("Cache-Control"))
	etag := page.Header.Get("ETag")
	require.NotEmpty(t, etag)
	require.Equal(t, http.StatusNotModified, get("/page.js", etag).StatusCode)
	s["page.js"] = []byte("2")
	require.Equal(t, http.StatusOK, get("/page.js", etag).StatusCode)
	require.Contains(t, get("/fast-12.bin", "").Header.Get("Cache-Control"), "immutable")
}

// All kinds of files that the page has get a type, and the service worker keeps them all, but for the
// program that few need.
func TestFiles(t *testing.T) {
	compressed := [][]byte{[]byte("program"), []byte("another one")}
	s := make(site)
	require.NoError(t, s.read(os.DirFS("../page")))
	require.Contains(t, s, "index.html")
	require.Contains(t, s, "samples/coffee.png")
	s.add(compressed, []byte("{}"))
	list := string(s["files.js"])
	require.Contains(t, list, `"./"`)
	for name := range s {
		require.Contains(t, types, filepath.Ext(name))
		if name != "files.js" {
			require.Equal(t, string(s[name]) != "another one", strings.Contains(list, fmt.Sprintf("%q", name)), name)
		}
	}
	require.Regexp(t, `^export const programs = {"boards":{"name":"fast-[0-9a-f]{16}.bin","size":11},"first":{"name":"fast-[0-9a-f]{16}.bin","size":7}};`,
		string(s["program.js"]))

	// Its version changes with any file.
	files := make(site)
	require.NoError(t, files.read(os.DirFS("../page")))
	for name, data := range files {
		changed := maps.Clone(files)
		changed[name] = append(data[:len(data):len(data)], '\n')
		changed.add(compressed, []byte("{}"))
		require.NotEqual(t, list, string(changed["files.js"]), name)
	}
	files.add(compressed, []byte("{}"))
	require.Equal(t, list, string(files["files.js"]))
}

func TestNativeTimes(t *testing.T) {
	peers, err := os.ReadFile("../../evaluation/results/emerald-rapids/peers.csv")
	require.NoError(t, err)
	times, err := nativeTimes(peers)
	require.NoError(t, err)
	for _, test := range []string{
		"fast: FAST-9 with suppression", "harris: goodFeaturesToTrack, Shi-Tomasi", "lococo: corners, 9x9",
		"vpi: radius 3 with suppression", "orb: 500 features", "match: nearest",
	} {
		require.Contains(t, string(times), test) // the page asks for it
	}
	require.Contains(t, string(times), `"avx512":`)
	require.Contains(t, string(times), `"opencv":`)
	require.Regexp(t, `^{"machine":"[^("]+",`, string(times)) // without what is in brackets
}

// What takes time is told before it begins.
func TestBuildIsTold(t *testing.T) {
	t.Setenv("PATH", "") // there is no command go
	var told strings.Builder
	_, err := build(&told)
	require.Error(t, err)
	require.Contains(t, told.String(), "building the page")
}

func TestWriteIntoFull(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o666))
	require.ErrorContains(t, run("", dir), "is not empty")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
