// Package imagetest has helpers for the tests of the packages that detect corners.
package imagetest

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Photo returns a photo of package fast's testdata, for the tests of a package in a directory below
// it, at any depth.
func Photo(t testing.TB, name string) *image.Gray {
	t.Helper()
	var photo image.Gray
	if decoded, ok := photos.Load(name); ok {
		photo = decoded.(image.Gray)
	} else {
		data, err := os.ReadFile(filepath.Join(photoDir(), name+".png"))
		require.NoError(t, err)
		img, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		photo = *img.(*image.Gray)
		photos.Store(name, photo)
	}
	photo.Pix = bytes.Clone(photo.Pix) // which the test may change
	return &photo
}

// photoDir returns the directory of the photos.
func photoDir() string {
	root := ".."
	for range 3 {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Join("..", root)
	}
	return filepath.Join(root, "testdata", "photos")
}

// photos are those that have been decoded, by their names.
var photos sync.Map

// Disc returns the mask of the golden results: 255 in a disc in the middle, 0 elsewhere.
func Disc(bounds image.Rectangle) *image.Gray {
	mask := image.NewGray(bounds)
	w, h := bounds.Dx(), bounds.Dy()
	r := 2 * (min(w, h) / 3)
	for y := range h {
		for x := range w {
			if dx, dy := 2*x-w, 2*y-h; dx*dx+dy*dy <= r*r {
				mask.Pix[y*mask.Stride+x] = 255
			}
		}
	}
	return mask
}

// RequireSame fails the test unless the lists are equal, and none or both of them are nil. It
// tells the message, if there is one, and the first difference. Unlike require.Equal it takes
// no time for that, however long the lists are.
func RequireSame[E comparable](t testing.TB, want, got []E, message ...any) {
	if slices.Equal(want, got) && (want == nil) == (got == nil) {
		return
	}
	t.Helper() // which takes longer than most comparisons
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	at := func(list []E) string {
		if list == nil {
			return "nil"
		}
		if i < len(list) {
			return fmt.Sprintf("%+v", list[i])
		}
		return "the end"
	}
	text := ""
	if len(message) > 0 {
		text = fmt.Sprintf(message[0].(string), message[1:]...) + ": "
	}
	t.Fatalf("%s%d elements, want %d; number %d is %s, want %s", text, len(got), len(want), i, at(got), at(want))
}

// RequirePanic fails the test unless f panics with a message that begins with a package's
// name.
func RequirePanic(t testing.TB, name string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text := fmt.Sprint(recover()); !strings.HasPrefix(text, name+": ") {
			t.Fatalf("panic is %q", text)
		}
	}()
	f()
}

// RaceEnabled reports whether the test was built with the race detector.
func RaceEnabled() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// SkipRace skips a test of allocations under the race detector, which makes sync.Pool drop
// objects at random.
func SkipRace(t testing.TB) {
	t.Helper()
	if RaceEnabled() {
		t.Skip("the race detector makes sync.Pool drop objects")
	}
}

// NeedTestdata skips the test in a downloaded module, which lacks the testdata of a package if that is a
// module of its own. A clone has the module evaluation, and fails where the file is missing.
func NeedTestdata(t testing.TB, name string) {
	t.Helper()
	missing := func(name string) bool {
		_, err := os.Stat(name)
		return errors.Is(err, fs.ErrNotExist)
	}
	if missing(name) && missing("../evaluation") {
		t.Skip("only a clone of the repository has testdata, which this test needs")
	}
}
