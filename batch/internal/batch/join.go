package batch

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// groupPairs is how many pairs a group has, but for the last one of a shard. A worker has the
// descriptors of their images in memory.
const groupPairs = 256

// matchPairs matches the pairs of images in a PCollection<NamePair>. The descriptors, a
// PCollection<KV<string, Descriptors>>, are those of the given number of images. It returns files
// with the matches, a PCollection<File>, and a PCollection<DeadLetter> of images that pairs name
// and that have no descriptors.
//
// The pairs of a shard are divided into groups. For each one that has no piece yet, the descriptors
// of its images are looked up, once for each group that needs them, and a branch matches it.
func matchPairs(s beam.Scope, names, descriptors beam.PCollection, images int64, fn matchFn, in stock, table Table, branches int) (files, dead beam.PCollection) {
	s = s.Scope("batch.MatchPairs")
	shards := beam.GroupByKey(s, beam.ParDo(s, &keyPairs{Shards: table.Shards}, names))
	groups, needs, done := beam.ParDo3(s, &dividePairsFn{Shards: table.Shards, Stock: in}, shards)
	known := count(s, beam.DropKey(s, descriptors))
	served, absent := beam.ParDo2(s, &serveFn{Images: images}, beam.CoGroupByKey(s, descriptors, needs), beam.SideInput{Input: known})
	pieces := []beam.PCollection{done}
	for b := range branches {
		branch := branching{branches, branches, b}
		mine := beam.CoGroupByKey(s,
			beam.ParDo(s, &branchFn[Descriptors]{branch}, served),
			beam.ParDo(s, &branchFn[string]{branch}, absent),
			beam.ParDo(s, &branchFn[NamePair]{branch}, groups))
		pieces = append(pieces, beam.ParDo(s, &matchGroupFn{Pairs: fn, Shards: table.Shards, Stock: in}, mine))
	}
	merge := &mergePairsFn{mergeFn[Matches]{Features: table, Stock: in}}
	return beam.ParDo2(s, merge, beam.GroupByKey(s, beam.Flatten(s, pieces...)))
}

// A keyPairs gives pairs the number of their shard.
type keyPairs struct {
	Shards int
}

func (fn *keyPairs) ProcessElement(p NamePair, emit func(int, NamePair)) {
	emit(shardOf(p.Query, fn.Shards), p)
}

// A dividePairsFn divides the pairs of a shard into groups. Of those that have no piece it emits
// the pairs, and the keys by the names of images that they need. Of the others it emits the paths of
// the pieces, below the output, by the shard.
type dividePairsFn struct {
	Shards  int
	Stock   stock
	storage storage
}

func (fn *dividePairsFn) ProcessElement(ctx context.Context, shard int, each func(*NamePair) bool, emit func(string, NamePair), need func(name, key string), adopt func(int, string)) error {
	var pairs []NamePair
	var p NamePair
	for each(&p) {
		pairs = append(pairs, p)
	}
	sortPairs(pairs)
	_, w, err := fn.storage.walker(ctx, fn.Stock.Output)
	if err != nil {
		return err
	}
	there, err := fn.Stock.listShard(ctx, w, shardName(shard, fn.Shards))
	if err != nil {
		return err
	}
	soFar.todo.Add(int64(len(pairs)))
	groups := (len(pairs) + groupPairs - 1) / groupPairs
	i := 0
	for group := range slices.Chunk(pairs, groupPairs) {
		key := fmt.Sprintf("%s/%d-of-%d-%s", shardName(shard, fn.Shards), i, groups, sumOfPairs(group))
		i++
		if name := fn.Stock.choose(there[key]); name != "" {
			adoptedCounter.Inc(ctx, int64(len(group)))
			soFar.adopted.Add(int64(len(group)))
			adopt(shard, fn.Stock.dir(key)+"/"+name)
			continue
		}
		needed := make(map[string]bool)
		for _, p := range group {
			emit(key, p)
			needed[p.Query], needed[p.Train] = true, true
		}
		for name := range needed {
			need(name, key)
		}
	}
	return nil
}

func (fn *dividePairsFn) Teardown() error { return fn.storage.close() }

func sortPairs(pairs []NamePair) {
	slices.SortFunc(pairs, func(a, b NamePair) int {
		return cmp.Or(cmp.Compare(a.Query, b.Query), cmp.Compare(a.Train, b.Train))
	})
}

// sumOfPairs returns a digest of pairs, which are sorted.
func sumOfPairs(pairs []NamePair) string {
	var text []byte
	for _, p := range pairs {
		for _, s := range []string{p.Query, p.Train} {
			text = append(binary.AppendUvarint(text, uint64(len(s))), s...)
		}
	}
	return digest(text)
}

// A serveFn emits the descriptors of an image for each group that needs them, by the group's key,
// or the name of the image if it has none.
type serveFn struct {
	Images int64
}

func (fn *serveFn) ProcessElement(name string, descriptors func(*Descriptors) bool, keys func(*string) bool, known func(*int) bool, emit func(string, Descriptors), miss func(key, name string)) error {
	var images int
	if known(&images); int64(images) != fn.Images { // Prism goes on after a failure
		return fmt.Errorf("batch: descriptors of %d images, want %d", images, fn.Images)
	}
	var d Descriptors
	found := descriptors(&d)
	var key string
	for keys(&key) {
		if found {
			emit(key, d)
		} else {
			miss(key, name)
		}
	}
	return nil
}

// A branchFn passes what a branch gets of elements that have keys.
type branchFn[E any] struct {
	Branching branching
}

func (fn *branchFn[E]) ProcessElement(key string, e E, emit func(string, E)) {
	if fn.Branching.has(shardOf(key, fn.Branching.Shards)) {
		emit(key, e)
	}
}

// A matchGroupFn matches the pairs of a group in the order of their names, and writes the matches
// and dead letters to a piece. It emits the path of the piece, below the output, by its shard.
type matchGroupFn struct {
	Pairs   matchFn
	Shards  int
	Stock   stock
	storage storage // of the output
}

func (fn *matchGroupFn) Setup() error { return fn.Pairs.Setup() }

func (fn *matchGroupFn) ProcessElement(ctx context.Context, key string, descriptors func(*Descriptors) bool, absent func(*string) bool, each func(*NamePair) bool, emit func(int, string)) error {
	images := make(map[string]*Descriptors) // nil for one that has none
	var d Descriptors
	for descriptors(&d) {
		images[d.Name] = &Descriptors{d.Name, d.Bits}
	}
	var name string
	for absent(&name) {
		images[name] = nil
	}
	var pairs []NamePair
	var p NamePair
	for each(&p) {
		pairs = append(pairs, p)
	}
	sortPairs(pairs)
	if !strings.HasSuffix(key, "-"+sumOfPairs(pairs)) { // Prism goes on after a failure
		return fmt.Errorf("batch: pairs of group %s are missing", key)
	}
	fs, err := fn.storage.of(ctx, fn.Stock.Output)
	if err == nil {
		_, err = fn.Stock.write(ctx, fs, key, func(out *piece) (string, error) { return pieceName, fn.group(ctx, images, pairs, out) })
	}
	if err != nil {
		return fn.Stock.overtaken(ctx, err)
	}
	emit(shardOf(pairs[0].Query, fn.Shards), fn.Stock.dir(key)+"/"+pieceName)
	return nil
}

// group writes the rows of pairs.
func (fn *matchGroupFn) group(ctx context.Context, images map[string]*Descriptors, pairs []NamePair, out *piece) error {
	var failed error
	write := func(m Matches) { failed = out.write(featuresRow, m) }
	for _, p := range pairs {
		query, queried := images[p.Query]
		train, trained := images[p.Train]
		var err error
		switch {
		case !queried || !trained:
			err = fmt.Errorf("batch: descriptors for the pair %q, %q are missing", p.Query, p.Train)
		case query == nil:
			err = out.write(deadRow, noFeatures(ctx, p.Query, p))
		case train == nil:
			err = out.write(deadRow, noFeatures(ctx, p.Train, p))
		default:
			err = fn.Pairs.ProcessElement(ctx, Pair{*query, *train}, write)
		}
		if err = cmp.Or(err, failed, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// noFeatures returns the dead letter of an image that has no descriptors for a pair.
func noFeatures(ctx context.Context, name string, p NamePair) DeadLetter {
	deadCounter.Inc(ctx, 1)
	soFar.dead.Add(1)
	return DeadLetter{escape(name), fmt.Sprintf("no features of this image for the pair %q, %q", p.Query, p.Train)}
}

func (fn *matchGroupFn) Teardown() error { return fn.storage.close() }

// A mergePairsFn writes the matches in the pieces of a shard to files, as a mergeFn does. It emits
// the dead letters, which are of any shard.
type mergePairsFn struct {
	Merge mergeFn[Matches]
}

func (fn *mergePairsFn) StartBundle(ctx context.Context, emit func(File), _ func(DeadLetter)) {
	fn.Merge.StartBundle(ctx, emit)
}

func (fn *mergePairsFn) ProcessElement(ctx context.Context, shard int, paths func(*string) bool, emit func(File), _ func(DeadLetter)) error {
	return fn.Merge.ProcessElement(ctx, shard, paths, emit)
}

func (fn *mergePairsFn) FinishBundle(ctx context.Context, emit func(File), bury func(DeadLetter)) error {
	if err := fn.Merge.FinishBundle(ctx, emit); err != nil {
		return err
	}
	each(fn.Merge.letters, bury)
	return nil
}

func (fn *mergePairsFn) Teardown() error { return fn.Merge.Teardown() }
