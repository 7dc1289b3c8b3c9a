package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/stretchr/testify/require"
)

// TestDrafts checks that drafts are in the directory of the file, which may be on another disk than a
// link to it, and that none comes to a place when the program has ended.
func TestDrafts(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("far", 0o777))
	require.NoError(t, os.Mkdir("near", 0o777))
	if err := os.Symlink("../far/old.y4m", "near/out.y4m"); err != nil {
		t.Skip("there are no symbolic links:", err)
	}
	d := new(Drafts)
	f, err := d.create("near/out.y4m")
	require.NoError(t, err)
	require.Equal(t, "far", filepath.Dir(f.Name()))
	d.Discard()
	require.ErrorIs(t, d.Publish(f.Name(), "near/out.y4m", true), context.Canceled, "the program has ended")
	require.NoFileExists(t, f.Name())
}

// TestFailedDrafts checks that what fails leaves nothing, and that what came to be meanwhile is not
// replaced.
func TestFailedDrafts(t *testing.T) {
	t.Chdir(t.TempDir())
	d := new(Drafts)
	require.NoError(t, os.Mkdir("late", 0o777))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.Write(ctx, "late/x.png", filetest.Square(40, 30))
	require.ErrorIs(t, err, context.Canceled)
	list, err := os.ReadDir("late")
	require.NoError(t, err)
	require.Empty(t, list)
	draft, err := d.Write(t.Context(), "late/x.png", filetest.Square(40, 30))
	require.NoError(t, err)
	filetest.Write(t, "late/x.png", []byte("new"))
	require.Error(t, d.Publish(draft, "late/x.png", false))
	require.Equal(t, "new", string(filetest.Read(t, "late/x.png")))
	require.NoError(t, d.Publish(draft, "late/x.png", true))
	require.Equal(t, 40, filetest.ReadPNG(t, "late/x.png").Bounds().Dx())
}

// TestSinkErrors checks that errors of writing name the output.
func TestSinkErrors(t *testing.T) {
	drafts := new(Drafts)
	defer drafts.Discard()
	o := Outputs{Drafts: drafts, Stdout: writerFunc(func([]byte) (int, error) { return 0, errors.New("full") })}
	standard, err := o.Create(report.Stdio)
	require.NoError(t, err)
	standard.WriteString("text")
	require.EqualError(t, standard.Finish(), "full")

	path := filepath.Join(t.TempDir(), "out")
	out, err := o.Create(path)
	require.NoError(t, err)
	out.WriteString("text")
	require.NoError(t, out.file.Close())
	require.EqualError(t, out.Finish(), path+": "+os.ErrClosed.Error())
	require.NoFileExists(t, path)
}
