package batch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"golang.org/x/sync/errgroup"
)

// piecesName is the directory in the output for pieces, and for the records of trials.
const piecesName = "pieces"

// What the names of files in the directory of a group begin with.
const (
	pieceName   = "piece"        // the rows of the group, none of which is a dead letter
	deadPrefix  = "piece-dead-"  // such a piece with dead letters, and the memory that images had
	againPrefix = "piece-again-" // one that another run does again, and the name of the run
	trialPrefix = "trial-"       // the record of a trial
	draftPrefix = "draft-"       // a piece that is not complete
)

// A stock is where the pieces of a job are, until a run of it has been committed. Each piece has
// a name that tells what its rows are made of: the library, the method and its options are in
// Work, and the sources in the key of the group. So another run, on this machine or another one,
// finds the pieces that there are, and nothing has to say which run they are of.
type stock struct {
	Output, Work, Run string
	// Former is the run whose results the output had when the job was built, or nothing.
	Former    string
	Memory    int64 // of images
	RetryDead bool  // do dead letters of other runs again
}

// workOf returns a name for what a run does to its sources, of which others are a part.
func workOf(m Manifest, others ...any) string {
	selection := m.Selection
	selection.Mask = "" // one of another name may be the same
	text, err := json.Marshal([]any{"1", m.Library, m.Method, m.Options, selection, m.Shards, others})
	if err != nil {
		panic(err) // these are all JSON
	}
	return digest(text)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// sumOf returns a digest of sources, which are sorted.
func sumOf(sources []Source) string {
	var text []byte
	for _, f := range sources {
		for _, s := range []string{f.Name, f.ETag} {
			text = append(binary.AppendUvarint(text, uint64(len(s))), s...)
		}
		text = binary.AppendVarint(text, f.Size)
		text = binary.AppendVarint(text, f.Modified)
		text = binary.AppendVarint(text, f.Offset)
	}
	return digest(text)
}

// dir returns the path of the directory of a group, below the output.
func (s stock) dir(key string) string {
	return piecesName + "/" + s.Work + "/" + key
}

// list returns the files of a group.
func (s stock) list(ctx context.Context, w walker, key string) (files []Source, err error) {
	dir := join(s.Output, s.dir(key))
	err = w.walk(ctx, w.inside(dir, ""), func(f Source) { files = append(files, f) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, reason(err))
	}
	return files, nil
}

// listShard returns the files of the groups of a shard, by the keys of the groups.
func (s stock) listShard(ctx context.Context, w walker, shard string) (map[string][]Source, error) {
	dir := join(s.Output, s.dir(shard))
	groups := make(map[string][]Source)
	err := w.walk(ctx, w.below(dir), func(f Source) {
		group := strings.TrimSuffix(strings.TrimSuffix(f.Name, base(f.Name)), "/")
		key := shard + "/" + base(group)
		groups[key] = append(groups[key], f)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, reason(err))
	}
	return groups, nil
}

// write writes the piece of a group, with the rows that a function writes and the name that it
// returns.
func (s stock) write(ctx context.Context, fs filesystem.Interface, key string, rows func(p *piece) (name string, err error)) (name string, err error) {
	p, err := createPiece(ctx, fs, join(s.Output, s.dir(key)))
	if err != nil {
		return "", err
	}
	name, err = rows(p)
	if err != nil {
		p.abort(ctx)
		return "", err
	}
	return name, p.close(ctx, name)
}

// choose returns the name of the piece of a group that this run need not do again, or nothing.
func (s stock) choose(files []Source) string {
	var names []string
	for _, f := range files {
		names = append(names, base(f.Name))
	}
	wanted := []string{pieceName, againPrefix + s.Run}
	if !s.RetryDead {
		wanted = append(wanted, s.deadName())
	}
	for _, name := range wanted {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

func (s stock) deadName() string { return fmt.Sprintf("%s%d", deadPrefix, s.Memory) }

// name returns the name of a piece with the given dead letters.
func (s stock) name(dead []DeadLetter) string {
	switch {
	case len(dead) == 0:
		return pieceName
	case s.RetryDead || slices.ContainsFunc(dead, func(d DeadLetter) bool { return passes(d.Reason) }):
		return againPrefix + s.Run
	}
	return s.deadName()
}

// passing are parts of the reasons of dead letters that may not be the fault of the file as it is.
var passing = []string{
	os.ErrPermission.Error(), "no such file or directory", "operation not permitted",
	" AccessDenied: ", " InvalidObjectState: ", " NoSuchKey: ", "googleapi: Error 403: ", "storage: object doesn't exist",
}

// passes reports whether a dead letter with this reason is to be done again by the next run,
// although the file is as it was: its permissions may be others.
func passes(reason string) bool {
	return slices.ContainsFunc(passing, func(text string) bool { return strings.Contains(reason, text) })
}

// overtaken returns the error of a run, which is another one if another run has replaced the
// results, and removed the pieces that both have worked on.
func (s stock) overtaken(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	now, failed := ReadManifest(ctx, s.Output)
	if failed == nil && now.Run != s.Former && now.Run != s.Run {
		return replaced(now.Run, s.Former)
	}
	return err
}

// replaced is the error of a run that began with the results of former, when those of another one
// are there.
func replaced(now, former string) error {
	if former == "" {
		return fmt.Errorf("batch: run %s has written results meanwhile, where there were none when this run began", now)
	}
	return fmt.Errorf("batch: run %s has replaced the results of %s meanwhile, which this run adds to", now, former)
}

// sweep removes the files of all groups of a shard.
func (s stock) sweep(ctx context.Context, fs filesystem.Interface, w walker, shard string) error {
	dir := join(s.Output, s.dir(shard))
	var removing errgroup.Group
	removing.SetLimit(16)
	dirs := make(map[string]bool)
	err := w.walk(ctx, w.below(dir), func(f Source) {
		if schemeOf(dir) == "" {
			dirs[filepath.Dir(f.Name)] = true
		}
		removing.Go(func() error { return remove(ctx, fs, f.Name) })
	})
	if err := errors.Join(err, removing.Wait()); err != nil {
		return err
	}
	if schemeOf(dir) == "" {
		for group := range dirs {
			os.Remove(group) // fails if there are others, and so do these
		}
		for range 3 {
			os.Remove(dir)
			dir = filepath.Dir(dir)
		}
	}
	return nil
}
