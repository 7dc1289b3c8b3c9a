package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"golang.org/x/sync/errgroup"
)

// own matches the paths, below an output, of the files that runs write, except the manifest.
var own = regexp.MustCompile(`^([^/]+/(features|matches|dead|sources)-\d+-of-\d+-[A-Z2-7]{26}\.parquet` +
	`|\d{8}T\d{6}Z-[a-z2-7]{8}/manifest\.json` +
	`|` + piecesName + `/[0-9a-f]{32}/\d+-of-\d+/\d+-of-\d+-(` + lastMark + `)?[0-9a-f]{32}/(` +
	pieceName + `|` + deadPrefix + `\d+|(` + againPrefix + `|` + trialPrefix + `|` + draftPrefix + `).+))$`)

// Leftovers returns the files in an output that runs have written but its manifest does not list:
// those of earlier runs and of runs that failed. It leaves out the files of runs that may be in
// progress, which have a file younger than age, and returns how many there are.
func Leftovers(ctx context.Context, output string, age time.Duration) (left []Source, young int, err error) {
	files, err := listOwn(ctx, output)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", output, reason(err))
	}
	// What is committed from now on is young.
	manifest, err := ReadManifest(ctx, output)
	if err != nil && !notFound(err) {
		return nil, 0, err
	}
	for _, list := range manifest.Tables {
		for _, f := range list {
			delete(files, f.Path)
		}
	}
	run := func(name string) string { return name[:strings.IndexByte(name, '/')] } // or piecesName
	youngest := make(map[string]int64)
	for name, f := range files {
		youngest[run(name)] = max(youngest[run(name)], f.Modified)
	}
	limit := time.Now().Add(-age).UnixNano()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if youngest[run(name)] > limit {
			young++
			continue
		}
		left = append(left, files[name])
	}
	return left, young, nil
}

// listOwn returns the files that runs have written by their paths below the output.
func listOwn(ctx context.Context, output string) (map[string]Source, error) {
	if strings.ContainsAny(output, `*?[`) {
		return nil, errors.New("it cannot be listed, for it has a wildcard")
	}
	w, err := openWalker(ctx, output)
	if err != nil {
		return nil, err
	}
	files := make(map[string]Source)
	for _, pattern := range []string{"*/*", piecesName + "/*/*/*/*"} {
		var parts []part
		err = errors.Join(err, w.parts(ctx, join(output, pattern), func(p part) { parts = append(parts, p) }))
		for _, p := range parts {
			err = errors.Join(err, w.walk(ctx, p, func(f Source) {
				name := tail(f.Name, pattern)
				if own.MatchString(name) {
					files[name] = f
				}
			}))
		}
	}
	return files, errors.Join(err, w.Close())
}

// tail returns the end of a path that has as many elements as a pattern.
func tail(name, pattern string) string {
	elements := strings.Split(filepath.ToSlash(name), "/")
	return path.Join(elements[max(0, len(elements)-1-strings.Count(pattern, "/")):]...)
}

// Remove removes files, and then the directories of local files that are empty.
func Remove(ctx context.Context, files []Source) error {
	if len(files) == 0 {
		return nil
	}
	fs, err := openStorage(ctx, files[0].Name)
	if err != nil {
		return err
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("%s: files cannot be removed there", files[0].Name)
	}
	var removing errgroup.Group
	removing.SetLimit(16)
	var dirs []string
	for _, f := range files {
		removing.Go(func() error {
			if err := remover.Remove(ctx, f.Name); err != nil && !notFound(err) {
				return fmt.Errorf("%s: %w", f.Name, reason(err))
			}
			return nil
		})
		if schemeOf(f.Name) == "" {
			dir := filepath.Dir(f.Name)
			dirs = append(dirs, dir)
			if match := own.FindString(tail(f.Name, piecesName+"/*/*/*/*")); match != "" && strings.HasPrefix(match, piecesName) {
				for range 3 {
					dir = filepath.Dir(dir)
					dirs = append(dirs, dir)
				}
			}
		}
	}
	if err := removing.Wait(); err != nil {
		return err
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, dir := range slices.Compact(dirs) {
		os.Remove(dir) // fails if there are others
	}
	return nil
}
