package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
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

// shardName returns the name of a shard, with which the keys of its groups begin.
func shardName(shard, shards int) string {
	return fmt.Sprintf("%05d-of-%05d", shard, shards)
}

// divide calls emit for the groups of sources of a shard: with the key of each, which tells what
// all of its sources are, and with the sources in the order of their names.
func divide(sources []Source, shards int, emit func(key string, group []Source)) {
	groups := groupsOf(len(sources))
	divided := make([][]Source, groups)
	for _, f := range sources {
		g := hashOf(f.shardName()) / uint32(shards) % uint32(groups)
		divided[g] = append(divided[g], f)
	}
	for g, group := range divided {
		if len(group) == 0 {
			continue
		}
		sortSources(group)
		shard := shardName(shardOf(group[0].shardName(), shards), shards)
		emit(fmt.Sprintf("%s/%d-of-%d-%s", shard, g, groups, sumOf(group)), group)
	}
}

// lastMark is what the keys of groups have before what tells the sources, if these are suspects, which
// are tried when all other groups are done.
const lastMark = "last-"

// lastKey returns a key as that of a group of suspects.
func lastKey(key string) string {
	i := strings.LastIndexByte(key, '-') + 1
	return key[:i] + lastMark + key[i:]
}

// isLast reports whether a key is that of a group of suspects.
func isLast(key string) bool {
	return strings.HasSuffix(key[:strings.LastIndexByte(key, '-')+1], "-"+lastMark)
}

// sortSources sorts sources by their names, and those of one name by the rest.
func sortSources(sources []Source) {
	slices.SortFunc(sources, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Size, b.Size), cmp.Compare(a.Modified, b.Modified), cmp.Compare(a.ETag, b.ETag), cmp.Compare(a.Offset, b.Offset))
	})
}

// group returns sources grouped by their keys, a PCollection<KV<string, iterator>>, in as many
// collections as there are branches.
func group(s beam.Scope, sources beam.PCollection, shards, branches int) []beam.PCollection {
	s = s.Scope("batch.Group")
	return groupBranches(s, sources, shards, branches, func(b branching) any { return &branchSources{b} })
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

// A branchSources keeps the sources of a branch.
type branchSources struct {
	Branching branching
}

func (fn *branchSources) ProcessElement(key string, f Source, emit func(string, Source)) {
	if fn.Branching.has(shardOf(f.shardName(), fn.Branching.Shards)) {
		emit(key, f)
	}
}

// find finds the features of the images in groups and returns files with them and with the dead
// letters, a PCollection<File>. Shards are written when all groups are done.
func find[R feature, M method[R]](s beam.Scope, groups beam.PCollection, decoding decodeFn, method M, in stock, features, dead Table) beam.PCollection {
	s = s.Scope("batch.Find")
	fn := findFn[R, M]{Decoding: decoding, Method: method, Shards: features.Shards, Stock: in}
	pieces := beam.ParDo(s, &fn, groups)
	last := beam.ParDo(s, &findLastFn[R, M]{fn}, groups, beam.SideInput{Input: pieces})
	return beam.ParDo(s, &mergeFn[R]{Features: features, Dead: dead, Stock: in}, beam.GroupByKey(s, beam.Flatten(s, pieces, last)))
}

// A findFn finds the features of the images of a group, and writes them and the dead letters to
// a piece. It emits the path of the piece, below the output, by its shard. If the piece is
// there, because a bundle is repeated or another run has left it, nothing is left to be done. It leaves
// groups of suspects to a findLastFn.
type findFn[R feature, M method[R]] struct {
	Decoding decodeFn
	Method   M
	Shards   int
	Stock    stock
	storage  storage
}

func (fn *findFn[R, M]) Setup() { fn.Decoding.Setup() }

func (fn *findFn[R, M]) Teardown() error {
	return errors.Join(fn.Decoding.Teardown(), fn.storage.close())
}

// An outcome is that of one image: features or a dead letter, or an error of the bundle.
type outcome[R feature] struct {
	row            R
	dead           *DeadLetter
	err            error
	pixels         int64
	found          int
	decode, detect time.Duration
}

func (fn *findFn[R, M]) ProcessElement(ctx context.Context, key string, iter func(*Source) bool, emit func(int, string)) error {
	if isLast(key) {
		return nil
	}
	return fn.find(ctx, key, iter, emit)
}

// A findLastFn is a findFn for groups of suspects alone, which waits for the pieces of all others.
type findLastFn[R feature, M method[R]] struct {
	Fn findFn[R, M]
}

func (fn *findLastFn[R, M]) Setup() { fn.Fn.Setup() }

func (fn *findLastFn[R, M]) Teardown() error { return fn.Fn.Teardown() }

func (fn *findLastFn[R, M]) ProcessElement(ctx context.Context, key string, iter func(*Source) bool, _ func(*int, *string) bool, emit func(int, string)) error {
	if !isLast(key) {
		return nil
	}
	return fn.Fn.find(ctx, key, iter, emit)
}

// find emits the piece of a group.
func (fn *findFn[R, M]) find(ctx context.Context, key string, iter func(*Source) bool, emit func(int, string)) error {
	var sources []Source
	var f Source
	for iter(&f) {
		sources = append(sources, f)
	}
	sortSources(sources) // the runner has them in any order
	name, err := fn.group(ctx, key, sources)
	if err != nil {
		return fn.Stock.overtaken(ctx, err)
	}
	emit(shardOf(sources[0].shardName(), fn.Shards), fn.Stock.dir(key)+"/"+name)
	return nil
}

// open opens the file systems of the output and of an image, for groups that are worked on side by
// side.
func (fn *findFn[R, M]) open(ctx context.Context, name string) error {
	_, _, err := fn.storage.walker(ctx, fn.Stock.Output)
	if err == nil {
		_, _, err = fn.Decoding.storage.walker(ctx, name)
	}
	return err
}

// group sees to it that a group has a piece, and returns its name.
func (fn *findFn[R, M]) group(ctx context.Context, key string, sources []Source) (name string, err error) {
	if !strings.HasSuffix(key, "-"+sumOf(sources)) { // Prism goes on after a failure
		return "", fmt.Errorf("batch: sources of group %s are missing", key)
	}
	fs, w, err := fn.storage.walker(ctx, fn.Stock.Output)
	if err != nil {
		return "", err
	}
	files, err := fn.Stock.list(ctx, w, key)
	if err != nil {
		return "", err
	}
	if name := fn.Stock.choose(files); name != "" {
		adoptedCounter.Inc(ctx, int64(len(sources)))
		soFar.adopted.Add(int64(len(sources)))
		soFar.groups.Add(1)
		return name, nil
	}
	leave, err := fn.Decoding.gate.open(ctx, len(sources))
	if err != nil {
		return "", err
	}
	defer leave()
	dir := join(fn.Stock.Output, fn.Stock.dir(key))
	trial, err := beginTrial(ctx, fs, dir, fn.Stock.Run, files)
	if err != nil {
		return "", err
	}
	trial.suspect = isLast(key)
	defer func() {
		// The process lives, even where the bundle is canceled.
		err = errors.Join(err, trial.end(context.WithoutCancel(ctx), err == nil))
	}()
	return fn.Stock.write(ctx, fs, key, func(p *piece) (string, error) {
		dead, err := fn.work(ctx, sources, trial, p)
		return fn.Stock.name(dead), err
	})
}

// work works on images, as many at a time as the process may. It writes their rows in the order
// of their names, and returns the dead letters among them.
func (fn *findFn[R, M]) work(ctx context.Context, sources []Source, trial *trial, p *piece) (dead []DeadLetter, err error) {
	if _, _, err := fn.Decoding.storage.walker(ctx, sources[0].Name); err != nil { // all names are in one file system
		return nil, err
	}
	workers := min(len(sources), cap(fn.Decoding.gate.slots))
	if trial.careful() {
		workers = 1
	}
	var next atomic.Int64
	var writing sync.Mutex
	waiting := make(map[int]outcome[R]) // for those of names before them
	written := 0
	working, ctx := errgroup.WithContext(ctx)
	for range workers {
		working.Go(func() error {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(sources) {
					return nil
				}
				o := fn.one(ctx, sources[i], trial)
				if o.err != nil {
					return o.err
				}
				writing.Lock()
				waiting[i] = o
				for o, ok := waiting[written]; ok; o, ok = waiting[written] {
					delete(waiting, written)
					if err := fn.write(ctx, o, p); err != nil {
						writing.Unlock()
						return err
					}
					if o.dead != nil {
						dead = append(dead, *o.dead)
					}
					written++
				}
				writing.Unlock()
			}
			return ctx.Err()
		})
	}
	return dead, working.Wait()
}

// one works on one image.
func (fn *findFn[R, M]) one(ctx context.Context, f Source, trial *trial) (o outcome[R]) {
	if o.dead = trial.lost(f.Name); o.dead != nil {
		return o
	}
	slot, err := fn.Decoding.gate.enter(ctx)
	if err != nil {
		o.err = err
		return o
	}
	defer slot.leave()
	if slot.alone = trial.alone(f.Name); slot.alone {
		defer func() {
			if o.err == nil {
				o.err = trial.rest(ctx)
			}
		}()
	}
	img, dead, spent, err := fn.Decoding.image(ctx, slot, f, trial)
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
	decodeTimeCounter.Inc(ctx, o.decode.Nanoseconds())
	if o.dead != nil {
		deadCounter.Inc(ctx, 1)
		soFar.dead.Add(1)
		return p.write(deadRow, *o.dead)
	}
	imagesCounter.Inc(ctx, 1)
	soFar.images.Add(1)
	pixelsCounter.Inc(ctx, o.pixels)
	detectTimeCounter.Inc(ctx, o.detect.Nanoseconds())
	cornersCounter.Inc(ctx, int64(o.found))
	return p.write(featuresRow, o.row)
}

// A mergeFn writes the rows of the pieces of a shard to files, in the order of the pieces' names.
// It works on several shards at a time, and emits their files when all are closed. If Dead is zero, it
// keeps the dead letters.
type mergeFn[R feature] struct {
	Features, Dead Table
	Stock          stock
	storage        storage
	merging        errgroup.Group
	mu             sync.Mutex
	files          []File
	letters        []DeadLetter
}

// merges has room for the shards that a process works on at a time: one for each CPU.
var merges = make(chan struct{}, runtime.GOMAXPROCS(0))

// StartBundle drops what a failed bundle left.
func (fn *mergeFn[R]) StartBundle(context.Context, func(File)) {
	fn.merging.Wait() // be there an error or not
	fn.merging, fn.files, fn.letters = errgroup.Group{}, nil, nil
	fn.merging.SetLimit(mostClosing)
}

func (fn *mergeFn[R]) ProcessElement(ctx context.Context, _ int, iter func(*string) bool, _ func(File)) error {
	fs, err := fn.storage.of(ctx, fn.Features.Output)
	if err != nil {
		return err
	}
	var paths []string
	var path string
	for iter(&path) {
		paths = append(paths, path)
	}
	slices.Sort(paths)
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
		return fn.Stock.overtaken(ctx, err)
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
	bury := func(d DeadLetter) error { return dead.ProcessElement(ctx, d, keep) }
	if fn.Dead.Name == "" {
		bury = func(d DeadLetter) error {
			fn.mu.Lock()
			defer fn.mu.Unlock()
			fn.letters = append(fn.letters, d)
			return nil
		}
	}
	for _, path := range paths {
		err = readRowsOf(ctx, fs, join(fn.Features.Output, path),
			func(row R) error { return features.ProcessElement(ctx, row, keep) }, bury)
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

func (fn *mergeFn[R]) Teardown() error {
	fn.merging.Wait() // of a bundle that has failed, be there an error or not
	return fn.storage.close()
}

// A sweepFn removes the pieces of a shard, and the records of trials, after the commit. What
// cannot be removed stays.
type sweepFn struct {
	Shards  int
	Stock   stock
	storage storage
}

func (fn *sweepFn) ProcessElement(ctx context.Context, shard int) error {
	fs, w, err := fn.storage.walker(ctx, fn.Stock.Output)
	if err != nil {
		return err
	}
	if err := fn.Stock.sweep(ctx, fs, w, shardName(shard, fn.Shards)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		log.Warnf(ctx, "%s: %v", fn.Stock.Output, err)
	}
	return nil
}

func (fn *sweepFn) Teardown() error { return fn.storage.close() }
