//go:build unix

package batch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// A pipe that is named like an image or a tar file, from which nothing comes, is a dead letter, and so
// is what leads to one.
func TestPipes(t *testing.T) {
	dir, output := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.png"), grayPNG(t, 30, 30), 0o666))
	var want []DeadLetter
	for _, name := range []string{"b.png", "c.tar"} {
		path := filepath.Join(dir, name)
		require.NoError(t, syscall.Mkfifo(path, 0o666))
		want = append(want, DeadLetter{path, "not a regular file"})
	}
	link := filepath.Join(dir, "d.png")
	require.NoError(t, os.Symlink(want[0].Name, link))
	want = append(want, DeadLetter{link, "not a regular file"})
	require.NoError(t, run(t, func(s beam.Scope) error {
		return FeaturesJob{Layout: Layout{output, 1, 1}, Input: dir + "/*", Memory: memory, Detector: Detector{FAST: new(fast.Options)}}.Build(t.Context(), s)
	}))
	require.Len(t, table[Corners](t, output, FeaturesTable), 1)
	require.ElementsMatch(t, want, table[DeadLetter](t, output, DeadTable))
}
