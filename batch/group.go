package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"golang.org/x/sync/errgroup"
)

// groupNames is about how many images a group has, which are of one shard. When a process
// dies, no more work is lost than that on the groups that it had.
const groupNames = 64

// groupsOf returns how many groups the given number of names of a shard has.
func groupsOf(names int) int {
	groups := 1
	for groups*groupNames < names {
		groups *= 2
	}
	return groups
}

// groupOf returns the key of the group of a name whose shard has the given number of groups.
func groupOf(name string, shards, groups int) string {
	row := escape(name) // as its rows have it
	return fmt.Sprintf("%05d-of-%05d-%d-of-%d", shardOf(row, shards), shards, hashOf(row)/uint32(shards)%uint32(groups), groups)
}

// group returns names grouped by their keys, a PCollection<KV<string, iterator>>, in as many
// collections as there are branches.
func group(s beam.Scope, names beam.PCollection, shards, branches int) []beam.PCollection {
	s = s.Scope("batch.Group")
	return groupBranches(s, names, shards, branches, func(b branching) any { return &branchNames{b} })
}

// groupBranches returns, for each branch, what a function that gives keys to the elements of a
// branch emits, grouped by its keys.
func groupBranches(s beam.Scope, elements beam.PCollection, shards, branches int, keys func(branching) any) []beam.PCollection {
	split := make([]beam.PCollection, branches)
	for b := range split {
		split[b] = beam.GroupByKey(s, beam.ParDo(s, keys(branching{shards, branches, b}), elements))
	}
	return split
}

// A branchNames keeps the names of a branch.
type branchNames struct {
	Branching branching
}

func (fn *branchNames) ProcessElement(key, name string, emit func(string, string)) {
	if fn.Branching.has(shardOf(escape(name), fn.Branching.Shards)) {
		emit(key, name)
	}
}

// find finds the features of the images in groups and returns files with them and with the dead
// letters, a PCollection<File>. Shards are written when all groups are done.
func find[R feature, M method[R]](s beam.Scope, groups beam.PCollection, decoding decodeFn, method M, features, dead Table) beam.PCollection {
	s = s.Scope("batch.Find")
	pieces := beam.ParDo(s, &findFn[R, M]{Decoding: decoding, Method: method, Table: features}, groups)
	return beam.ParDo(s, &mergeFn[R]{Features: features, Dead: dead}, beam.GroupByKey(s, pieces))
}

// A findFn finds the features of the images of a group, and writes them and the dead letters to
// a piece. It emits the path of the piece, below the output, by its shard. If the piece is
// there, because a bundle is repeated, nothing is left to be done.
type findFn[R feature, M method[R]] struct {
	Decoding decodeFn
	Method   M
	Table    Table
	storage  storage
}

func (fn *findFn[R, M]) Setup() { fn.Decoding.Setup() }

func (fn *findFn[R, M]) Teardown() error {
	return errors.Join(fn.Decoding.Teardown(), fn.storage.close())
}

// piecesName is the directory in that of a run for its pieces.
const piecesName = "pieces"

// An outcome is that of one image: features or a dead letter, or an error of the bundle.
type outcome[R feature] struct {
	row            R
	dead           *DeadLetter
	err            error
	pixels         int64
	found          int
	decode, detect time.Duration
}

func (fn *findFn[R, M]) ProcessElement(ctx context.Context, key string, iter func(*string) bool, emit func(int, string)) (err error) {
	fs, err := fn.storage.of(ctx, fn.Table.Output)
	if err != nil {
		return err
	}
	names := sorted(iter)
	path := fn.Table.Run + "/" + piecesName + "/" + key
	shard := shardOf(escape(names[0]), fn.Table.Shards)
	if size, err := fs.Size(ctx, join(fn.Table.Output, path)); err == nil && size > 0 {
		emit(shard, path)
		return nil
	}
	trial, err := beginTrial(ctx, fs, join(fn.Table.Output, trialsName+"/"+key))
	if err != nil {
		return err
	}
	defer func() {
		// The process lives, even where the bundle is cancelled.
		err = errors.Join(err, trial.end(context.WithoutCancel(ctx), err == nil))
	}()
	p, err := createPiece(ctx, fs, join(fn.Table.Output, path))
	if err != nil {
		return err
	}
	if err := fn.work(ctx, names, trial, p); err != nil {
		p.abort()
		return err
	}
	if err := p.close(ctx); err != nil {
		return err
	}
	emit(shard, path)
	return nil
}

// sorted returns the names of a group in their order, which is not that of the runner.
func sorted(iter func(*string) bool) []string {
	var names []string
	var name string
	for iter(&name) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// work works on images, as many at a time as the process may, and writes their rows.
func (fn *findFn[R, M]) work(ctx context.Context, names []string, trial *trial, p *piece) error {
	if _, err := fn.Decoding.storage.of(ctx, names[0]); err != nil { // all names are in one file system
		return err
	}
	workers := min(len(names), cap(fn.Decoding.gate.slots))
	if trial.careful() {
		workers = 1
	}
	var next atomic.Int64
	var writing sync.Mutex
	working, ctx := errgroup.WithContext(ctx)
	for range workers {
		working.Go(func() error {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(names)) {
					return nil
				}
				o := fn.one(ctx, names[i], trial)
				writing.Lock()
				err := fn.write(ctx, o, p)
				writing.Unlock()
				if err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return working.Wait()
}

// one works on one image.
func (fn *findFn[R, M]) one(ctx context.Context, name string, trial *trial) (o outcome[R]) {
	if trial.careful() {
		if o.dead = trial.lost(name); o.dead != nil {
			return o
		}
		if o.err = trial.record(ctx, name); o.err != nil {
			return o
		}
	}
	slot, err := fn.Decoding.gate.enter(ctx)
	if err != nil {
		o.err = err
		return o
	}
	defer slot.leave()
	slot.alone = trial.deaths[name] > 0
	img, dead, spent, err := fn.Decoding.image(ctx, slot, name)
	o.dead, o.decode, o.err = dead, spent, err
	if dead != nil || err != nil {
		return o
	}
	start := time.Now()
	o.row, o.found, o.err = fn.Method.find(img)
	o.detect = time.Since(start)
	o.pixels = int64(img.Width) * int64(img.Height)
	return o
}

// write writes an outcome to a piece and counts it.
func (fn *findFn[R, M]) write(ctx context.Context, o outcome[R], p *piece) error {
	if o.err != nil {
		return o.err
	}
	decodeTimeCounter.Inc(ctx, o.decode.Nanoseconds())
	if o.dead != nil {
		deadCounter.Inc(ctx, 1)
		return p.write(deadRow, *o.dead)
	}
	imagesCounter.Inc(ctx, 1)
	pixelsCounter.Inc(ctx, o.pixels)
	detectTimeCounter.Inc(ctx, o.detect.Nanoseconds())
	cornersCounter.Inc(ctx, int64(o.found))
	return p.write(featuresRow, o.row)
}

// A mergeFn writes the rows of the pieces of a shard to files, in the order of the pieces' names.
// It works on several shards at a time, and emits their files when all are closed.
type mergeFn[R feature] struct {
	Features, Dead Table
	storage        storage
	merging        errgroup.Group
	mu             sync.Mutex
	files          []File
}

// merges has room for the shards that a process works on at a time: one for each CPU.
var merges = make(chan struct{}, runtime.GOMAXPROCS(0))

// StartBundle drops what a failed bundle left.
func (fn *mergeFn[R]) StartBundle(context.Context, func(File)) {
	fn.merging.Wait() // be there an error or not
	fn.merging, fn.files = errgroup.Group{}, nil
	fn.merging.SetLimit(mostClosing)
}

func (fn *mergeFn[R]) ProcessElement(ctx context.Context, _ int, iter func(*string) bool, _ func(File)) error {
	fs, err := fn.storage.of(ctx, fn.Features.Output)
	if err != nil {
		return err
	}
	paths := sorted(iter)
	select {
	case merges <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	fn.merging.Go(func() error {
		files, err := fn.merge(ctx, fs, paths)
		fn.mu.Lock()
		defer fn.mu.Unlock()
		fn.files = append(fn.files, files...)
		return err
	})
	return nil
}

func (fn *mergeFn[R]) FinishBundle(_ context.Context, emit func(File)) error {
	if err := fn.merging.Wait(); err != nil {
		return err
	}
	each(fn.files, emit)
	fn.files = nil
	return nil
}

// merge writes a shard and returns its files. It leaves its place in merges when these have only
// to be closed.
func (fn *mergeFn[R]) merge(ctx context.Context, fs filesystem.Interface, paths []string) (files []File, err error) {
	features, dead := &writeFn[R]{Table: fn.Features}, &writeFn[DeadLetter]{Table: fn.Dead}
	defer features.Teardown()
	defer dead.Teardown()
	keep := func(f File) { files = append(files, f) }
	for _, path := range paths {
		err = fn.read(ctx, fs, join(fn.Features.Output, path),
			func(row R) error { return features.ProcessElement(ctx, row, keep) },
			func(d DeadLetter) error { return dead.ProcessElement(ctx, d, keep) })
		if err != nil {
			err = fmt.Errorf("%s: %w", path, reason(err))
			break
		}
	}
	if err == nil {
		err = errors.Join(features.end(), dead.end())
	}
	<-merges
	if err == nil {
		err = errors.Join(features.FinishBundle(ctx, keep), dead.FinishBundle(ctx, keep))
	}
	return files, err
}

// read calls emit and bury for the rows of a piece.
func (fn *mergeFn[R]) read(ctx context.Context, fs filesystem.Interface, path string, emit func(R) error, bury func(DeadLetter) error) error {
	file, err := fs.OpenRead(ctx, path)
	if err != nil {
		return err
	}
	defer file.Close()
	return readPiece(file, func(table byte, row []byte) error {
		if table == deadRow {
			d, err := parseDead(row)
			if err != nil {
				return err
			}
			return bury(d)
		}
		r, err := parseFeature[R](row)
		if err != nil {
			return err
		}
		return emit(r)
	})
}

func (fn *mergeFn[R]) Teardown() error {
	fn.merging.Wait() // of a bundle that has failed, be there an error or not
	return fn.storage.close()
}

// A sweepFn removes the pieces of a shard, and the records of trials, after the commit. What
// cannot be removed stays.
type sweepFn struct {
	Table   Table
	storage storage
}

func (fn *sweepFn) ProcessElement(ctx context.Context, shard int) error {
	fs, err := fn.storage.of(ctx, fn.Table.Output)
	if err != nil {
		return err
	}
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return nil
	}
	for _, dir := range []string{fn.Table.Run + "/" + piecesName, trialsName} {
		dir = join(fn.Table.Output, dir)
		if err := sweep(ctx, remover, dir, fmt.Sprintf("%05d-of-", shard)); err != nil {
			log.Warnf(ctx, "%s: %v", dir, err)
		}
	}
	return nil
}

func (fn *sweepFn) Teardown() error { return fn.storage.close() }

// sweep removes the files in a directory whose names begin with a prefix, and the directory if it
// is empty then.
func sweep(ctx context.Context, remover filesystem.Remover, dir, prefix string) error {
	w, err := openWalker(ctx, dir)
	if err != nil {
		return err
	}
	var removing errgroup.Group
	removing.SetLimit(16)
	err = w.walk(ctx, w.inside(dir, prefix), func(f Source) {
		removing.Go(func() error { return remover.Remove(ctx, f.Name) })
	})
	if err := errors.Join(err, removing.Wait(), w.Close()); err != nil {
		return err
	}
	if schemeOf(dir) == "" {
		os.Remove(dir) // fails if there are others
	}
	return nil
}
