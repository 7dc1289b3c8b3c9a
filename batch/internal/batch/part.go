package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// A groupFinder is a findFn of any method.
type groupFinder interface {
	Setup()
	open(ctx context.Context, name string) error
	group(ctx context.Context, key string, sources []Source) (name string, err error)
	Teardown() error
}

// each calls emit for each source of a job, and fails if there is none.
func (j FeaturesJob) each(ctx context.Context, emit func(Source)) error {
	n := 0
	counted := func(f Source) {
		n++
		emit(f)
	}
	if err := list(ctx, j.Input, j.Names, counted); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s: no file matches", j.Input)
	}
	return nil
}

// list calls emit for each file that a pattern matches, or that a file names, if there is one.
func list(ctx context.Context, pattern, names string, emit func(Source)) (err error) {
	path := pattern
	if names != "" {
		path = names
	}
	w, err := openWalker(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if names != "" {
		return expandNames(ctx, names, emit)
	}
	x := newExpander(w, emit)
	var parts []part
	if err := w.parts(ctx, pattern, func(p part) { parts = append(parts, p) }); err != nil {
		return fmt.Errorf("%s: %w", pattern, err)
	}
	for _, p := range parts {
		if err := w.walk(ctx, p, func(f Source) { x.add(ctx, f) }); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", p.Dir, err), x.wait())
		}
	}
	return x.wait()
}

// A comparison is what is to be done for a shard.
type comparison struct {
	groups         map[string][]Source // by their keys
	listed         []Source            // the rows of the table of sources, or nothing if they are kept
	kept           []File
	features, dead *rewriting
}

// compare compares the sources of a shard with those of the former run.
func (p featuresPlan) compare(ctx context.Context, shard int, sources []Source) (c comparison, err error) {
	var files []File
	for _, f := range p.former.Files {
		if f.Shard == int64(shard) {
			files = append(files, f)
		}
	}
	fn := &updateFn{Output: p.listed.Output, Shards: p.listed.Shards, RetryDead: p.former.RetryDead}
	defer func() { err = errors.Join(err, fn.Teardown()) }()
	c.groups = make(map[string][]Source)
	err = fn.ProcessElement(ctx, shard, iterate(sources), iterate(files),
		func(key string, f Source) { c.groups[key] = append(c.groups[key], f) },
		func(f Source) { c.listed = append(c.listed, f) },
		func(f File) { c.kept = append(c.kept, f) },
		func(r rewriting) { c.features = &r },
		func(r rewriting) { c.dead = &r })
	return c, err
}

// iterate returns an iterator as Beam has them.
func iterate[E any](list []E) func(*E) bool {
	return func(e *E) bool {
		if len(list) == 0 {
			return false
		}
		*e, list = list[0], list[1:]
		return true
	}
}

// partOf returns the part, from 0, that a group is in. Parts have groups of few shards.
func partOf(key string, parts int) (part int, err error) {
	var shard, shards, group, groups int
	if _, err := fmt.Sscanf(key, "%d-of-%d/%d-of-%d-", &shard, &shards, &group, &groups); err != nil {
		return 0, fmt.Errorf("batch: group %s: %w", key, err)
	}
	return (shard*groups + group) * parts / (shards * groups), nil
}

// A PartReport describes what Part has done.
type PartReport struct {
	Groups, Adopted     int   // of the part, and those of them that were already done
	Images, Dead, Bytes int64 // of the others
}

// Part does one of the parts of a job, numbered from 1, in this process and without a runner. It
// finds the features of its groups of images and leaves them in the output as pieces, for Commit.
// Pieces that an earlier attempt has left there are not computed again. All parts, and Commit, must
// be of the same job. A part holds the names of a shard in memory, or more if there are fewer parts
// than shards.
func (j FeaturesJob) Part(ctx context.Context, part, parts int) (report PartReport, err error) {
	if part < 1 || part > parts {
		return report, fmt.Errorf("batch: part %d of %d: want 1 to %d", part, parts, parts)
	}
	part--
	p, err := j.plan(ctx)
	if err != nil {
		return report, err
	}
	first, end := part*j.Shards/parts, ((part+1)*j.Shards+parts-1)/parts
	shards := make([][]Source, end-first)
	err = j.each(ctx, func(f Source) {
		if s := shardOf(f.shardName(), j.Shards); s >= first && s < end {
			shards[s-first] = append(shards[s-first], f)
		}
	})
	if err != nil {
		return report, err
	}
	todo := make(map[string][]Source)
	before, names := soFar.todo.Load(), 0
	for i, sources := range shards {
		c, err := p.compare(ctx, first+i, sources)
		if err != nil {
			return report, err
		}
		for key, group := range c.groups {
			switch in, err := partOf(key, parts); {
			case err != nil:
				return report, err
			case in == part:
				todo[key] = group
				names += len(group)
			}
		}
		shards[i] = nil
	}
	soFar.todo.Store(before + int64(names)) // the others are those of other parts
	report.Groups = len(todo)
	images, dead, bytes, adopted := soFar.images.Load(), soFar.dead.Load(), soFar.bytes.Load(), soFar.groups.Load()
	fn := p.work.finder(p)
	fn.Setup()
	defer func() { err = errors.Join(err, fn.Teardown()) }()
	for _, group := range todo {
		if err := fn.open(ctx, group[0].Name); err != nil {
			return report, err
		}
		break
	}
	for _, last := range []bool{false, true} {
		if err == nil {
			err = j.groups(ctx, fn, todo, last)
		}
	}
	report.Images, report.Dead, report.Bytes = soFar.images.Load()-images, soFar.dead.Load()-dead, soFar.bytes.Load()-bytes
	report.Adopted = int(soFar.groups.Load() - adopted)
	return report, p.stock.overtaken(ctx, err)
}

// groups does those of some groups that are, or are not, of suspects.
func (j FeaturesJob) groups(ctx context.Context, fn groupFinder, todo map[string][]Source, last bool) error {
	working, ctx := errgroup.WithContext(ctx)
	working.SetLimit(j.Branches)
	for key, group := range todo {
		if isLast(key) == last {
			working.Go(func() error {
				_, err := fn.group(ctx, key, group)
				return err
			})
		}
	}
	return working.Wait()
}

// Commit turns the pieces of all parts of a job into its results, as a run of the job would: it
// writes the files of each shard, verifies them, and replaces the manifest. If pieces are missing,
// the error names their parts, unless parts is 0. Commit holds the names of all images in memory.
func (j FeaturesJob) Commit(ctx context.Context, parts int) error {
	p, err := j.plan(ctx)
	if err != nil {
		return err
	}
	total := 0
	shards := make([][]Source, j.Shards)
	err = j.each(ctx, func(f Source) {
		total++
		s := shardOf(f.shardName(), j.Shards)
		shards[s] = append(shards[s], f)
	})
	if err != nil {
		return err
	}
	found := make([]comparison, j.Shards)
	paths := make([][]string, j.Shards)
	missing := make([][]string, j.Shards)
	err = inShards(ctx, j.Shards, func(ctx context.Context, shard int) (err error) {
		if found[shard], err = p.compare(ctx, shard, shards[shard]); err == nil {
			paths[shard], missing[shard], err = p.stock.paths(ctx, found[shard].groups)
		}
		shards[shard] = nil
		return err
	})
	if err == nil {
		err = missingError(found, slices.Concat(missing...), parts)
	}
	if err != nil {
		return err
	}
	files := make([][]File, j.Shards)
	err = inShards(ctx, j.Shards, func(ctx context.Context, shard int) (err error) {
		files[shard], err = p.work.writeShard(ctx, p, found[shard], paths[shard])
		return err
	})
	if err != nil {
		return p.stock.overtaken(ctx, err)
	}
	fn := &commitFn{Output: j.Output, Manifest: p.manifest, Guarded: true, Former: p.base, verify: func(m Manifest) error {
		v, err := verify(ctx, m, j.Output, runtime.GOMAXPROCS(0))
		if err == nil && len(v.Problems) > 0 {
			err = errors.New("batch: " + v.Problems[0])
		}
		return err
	}}
	if err := fn.ProcessElement(ctx, nil, iterate(slices.Concat(files...)), iterate([]int{total}), func(int) {}); err != nil {
		return err
	}
	sweep := &sweepFn{Shards: j.Shards, Stock: p.stock}
	for shard := range j.Shards {
		err = errors.Join(err, sweep.ProcessElement(ctx, shard))
	}
	return errors.Join(err, sweep.Teardown())
}

// inShards does something for each shard, for one at a time on each CPU.
func inShards(ctx context.Context, shards int, do func(ctx context.Context, shard int) error) error {
	working, ctx := errgroup.WithContext(ctx)
	working.SetLimit(runtime.GOMAXPROCS(0))
	for shard := range shards {
		working.Go(func() error { return do(ctx, shard) })
	}
	return working.Wait()
}

// paths returns the paths of the pieces of groups, below the output, and the keys of groups that
// have none.
func (s stock) paths(ctx context.Context, groups map[string][]Source) (paths, missing []string, err error) {
	w, err := openWalker(ctx, s.Output)
	if err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex
	working, listing := errgroup.WithContext(ctx)
	working.SetLimit(16)
	for key := range groups {
		working.Go(func() error {
			files, err := s.list(listing, w, key)
			mu.Lock()
			defer mu.Unlock()
			if name := newest(files); name != "" {
				paths = append(paths, s.dir(key)+"/"+name)
			} else if err == nil {
				missing = append(missing, key)
			}
			return err
		})
	}
	err = errors.Join(working.Wait(), w.Close())
	slices.Sort(paths)
	return paths, missing, err
}

// newest returns the name of the best piece of a group: one without dead letters or, if there is
// none, the last one.
func newest(files []Source) (name string) {
	var last int64
	for _, f := range files {
		switch b := base(f.Name); {
		case b == pieceName:
			return b
		case strings.HasPrefix(b, deadPrefix), strings.HasPrefix(b, againPrefix):
			if name == "" || f.Modified > last {
				name, last = b, f.Modified
			}
		}
	}
	return name
}

// missingError returns the error of groups that have no piece, if there are any.
func missingError(found []comparison, missing []string, parts int) error {
	if len(missing) == 0 {
		return nil
	}
	all, images := 0, 0
	var numbers []int
	for _, c := range found {
		all += len(c.groups)
		for _, key := range missing {
			images += len(c.groups[key])
		}
	}
	for _, key := range missing {
		if part, err := partOf(key, max(parts, 1)); err == nil {
			numbers = append(numbers, part+1)
		}
	}
	err := fmt.Errorf("batch: %d of %d groups are not done, with %d images", len(missing), all, images)
	if parts == 0 {
		return err
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	text := strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers[:min(len(numbers), 20)]), "[]"), " ", ",")
	if len(numbers) > 20 {
		text += fmt.Sprintf(" and %d more", len(numbers)-20)
	}
	return fmt.Errorf("%w: parts %s", err, text)
}

// writeShard writes the files of a shard.
func writeShard[R feature](ctx context.Context, p featuresPlan, c comparison, paths []string) (files []File, err error) {
	files = slices.Clone(c.kept)
	keep := func(f File) { files = append(files, f) }
	sources := &writeFn[Source]{Table: p.listed}
	defer sources.Teardown()
	for _, f := range c.listed {
		if err := sources.ProcessElement(ctx, f, keep); err != nil {
			return nil, err
		}
	}
	if err := sources.FinishBundle(ctx, keep); err != nil {
		return nil, err
	}
	if c.features != nil {
		fn := &rewriteFn[R]{Table: p.features}
		if err := errors.Join(fn.ProcessElement(ctx, *c.features, keep), fn.Teardown()); err != nil {
			return nil, err
		}
	}
	if c.dead != nil {
		fn := &rewriteFn[DeadLetter]{Table: p.dead}
		if err := errors.Join(fn.ProcessElement(ctx, *c.dead, keep), fn.Teardown()); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return files, nil
	}
	fn := &mergeFn[R]{Features: p.features, Dead: p.dead, Stock: p.stock}
	fn.StartBundle(ctx, keep)
	err = fn.ProcessElement(ctx, 0, iterate(paths), keep)
	if err == nil {
		err = fn.FinishBundle(ctx, keep)
	}
	return files, errors.Join(err, fn.Teardown())
}
