package batch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast/match"
)

// Match matches a PCollection<Pair> and returns a PCollection<Matches>. It fails if the
// options are invalid.
func Match(s beam.Scope, pairs beam.PCollection, opts match.Options) (beam.PCollection, error) {
	if _, err := match.New(opts); err != nil {
		return beam.PCollection{}, err
	}
	return MatchesJob{Options: opts}.match(s, pairs), nil
}

// match is Match as a job does it.
func (j MatchesJob) match(s beam.Scope, pairs beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("batch.Match"), &matchFn{Options: j.Options, Workers: processWorkers(j.Workers, j.Branches), GPU: j.GPU}, pairs)
}

// A matcher finds the matches of two sets of descriptors, those that package match finds, and
// appends them to dst. It keeps neither set. A matchFn has one of its own, and calls it for one
// pair after the other.
type matcher interface {
	Append(dst []match.Match, query, train []match.Descriptor) []match.Match
}

type matchFn struct {
	Options      match.Options
	Workers      int
	GPU          bool
	gate         *gate
	matcher      matcher
	query, train []match.Descriptor
	matches      []match.Match
}

func (fn *matchFn) Setup() (err error) {
	fn.gate = gateOf(gateLimits{workers: fn.Workers})
	if fn.GPU {
		fn.matcher, err = openGPU(fn.Options)
	} else {
		fn.matcher, err = match.New(fn.Options)
	}
	return err
}

func (fn *matchFn) ProcessElement(ctx context.Context, p Pair, emit func(Matches)) error {
	slot, err := fn.gate.enter(ctx)
	if err != nil {
		return err
	}
	defer slot.leave()
	start := time.Now()
	fn.query = p.Query.append(fn.query[:0])
	fn.train = p.Train.append(fn.train[:0])
	fn.matches = fn.matcher.Append(fn.matches[:0], fn.query, fn.train)
	matchTimeCounter.Inc(ctx, time.Since(start).Nanoseconds())
	pairsCounter.Inc(ctx, 1)
	matchesCounter.Inc(ctx, int64(len(fn.matches)))
	emit(Matches{p.Query.Name, p.Train.Name, convert(fn.matches, func(m match.Match) DescriptorMatch { return DescriptorMatch(m) })})
	return nil
}

// append appends the descriptors to dst.
func (d Descriptors) append(dst []match.Descriptor) []match.Descriptor {
	for chunk := range slices.Chunk(d.Bits, len(match.Descriptor{})) {
		dst = append(dst, match.Descriptor(chunk))
	}
	return dst
}

// Join looks up the descriptors, a PCollection<KV<string, Descriptors>>, of a
// PCollection<NamePair>. It returns as many PCollection<Pair> as there are branches, for
// stages that can run side by side, and a PCollection<DeadLetter> of images that pairs name
// and that have no descriptors.
func Join(s beam.Scope, descriptors, names beam.PCollection, branches int) (pairs []beam.PCollection, dead beam.PCollection) {
	s = s.Scope("batch.Join")
	byQuery := beam.CoGroupByKey(s, descriptors, beam.ParDo(s, splitNames, names))
	byTrain, letters := beam.ParDo2(s, &joinQuery{}, byQuery)
	buried := []beam.PCollection{letters}
	for b := range branches {
		branch := &branchFn{branching{branches, branches, b}}
		byTrain := beam.CoGroupByKey(s, beam.ParDo(s, branch, descriptors), beam.ParDo(s, branch, byTrain))
		joined, letters := beam.ParDo2(s, &joinTrain{}, byTrain)
		pairs = append(pairs, joined)
		buried = append(buried, letters)
	}
	return pairs, beam.Flatten(s, buried...)
}

// A branchFn passes the names of a branch.
type branchFn struct {
	Branching branching
}

func (fn *branchFn) ProcessElement(name string, d Descriptors, emit func(string, Descriptors)) {
	if fn.Branching.has(shardOf(name, fn.Branching.Shards)) {
		emit(name, d)
	}
}

func splitNames(p NamePair) (query, train string) {
	return p.Query, p.Train
}

type joinQuery struct{}

// ProcessElement emits the query's descriptors for each train image that it is paired with.
func (*joinQuery) ProcessElement(ctx context.Context, query string, descriptors func(*Descriptors) bool, trains func(*string) bool, emit func(string, Descriptors), bury func(DeadLetter)) {
	var d Descriptors
	known := descriptors(&d)
	var train string
	for trains(&train) {
		if known {
			emit(train, d)
			continue
		}
		buryPair(ctx, bury, query, query, train)
	}
}

type joinTrain struct{}

func (*joinTrain) ProcessElement(ctx context.Context, train string, descriptors func(*Descriptors) bool, queries func(*Descriptors) bool, emit func(Pair), bury func(DeadLetter)) {
	var d Descriptors
	known := descriptors(&d)
	var query Descriptors
	for queries(&query) {
		if known {
			emit(Pair{query, d})
			continue
		}
		buryPair(ctx, bury, train, query.Name, train)
	}
}

func buryPair(ctx context.Context, bury func(DeadLetter), missing, query, train string) {
	deadCounter.Inc(ctx, 1)
	bury(DeadLetter{escape(missing), fmt.Sprintf("no features of this image for the pair %q, %q", query, train)})
}

// A pairAllFn emits all pairs of the images in the files of a shard, in the order of their
// names.
type pairAllFn struct {
	Dir     string
	storage storage
}

func (fn *pairAllFn) ProcessElement(ctx context.Context, _ int, files func(*File) bool, emit func(Pair)) error {
	images, err := fn.storage.readShard(ctx, fn.Dir, files)
	if err != nil {
		return err
	}
	for i, query := range images {
		for _, train := range images[i+1:] {
			emit(Pair{query, train})
		}
	}
	return nil
}

func (fn *pairAllFn) Teardown() error {
	return fn.storage.close()
}

// readShard returns the images in the files of a shard, in the order of their names.
func (s *storage) readShard(ctx context.Context, dir string, files func(*File) bool) (images []Descriptors, err error) {
	var f File
	for files(&f) {
		err := s.readDescriptors(ctx, join(dir, f.Path), func(d Descriptors) { images = append(images, d) })
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(images, func(a, b Descriptors) int { return cmp.Compare(a.Name, b.Name) })
	return images, nil
}

// A collectionMatcher is a matcher on a GPU.
type collectionMatcher interface {
	matcher
	// all calls emit with the matches of all pairs of sets, each set with those after it. Emit
	// does not keep them.
	all(sets [][]match.Descriptor, emit func(query, train int, matches []match.Match)) error
}

// A matchAllFn matches the pairs that a pairAllFn emits, in the same order, on a GPU.
type matchAllFn struct {
	Dir     string
	Options match.Options
	Workers int
	storage storage
	gate    *gate
	matcher collectionMatcher
}

func (fn *matchAllFn) Setup() (err error) {
	fn.gate = gateOf(gateLimits{workers: fn.Workers})
	fn.matcher, err = openGPU(fn.Options)
	return err
}

func (fn *matchAllFn) ProcessElement(ctx context.Context, _ int, files func(*File) bool, emit func(Matches)) error {
	images, err := fn.storage.readShard(ctx, fn.Dir, files)
	if err != nil {
		return err
	}
	sets := make([][]match.Descriptor, len(images))
	for i, d := range images {
		sets[i] = d.append(nil)
	}
	slot, err := fn.gate.enter(ctx)
	if err != nil {
		return err
	}
	defer slot.leave()
	start := time.Now()
	var emitting time.Duration
	err = fn.matcher.all(sets, func(query, train int, matches []match.Match) {
		begin := time.Now()
		pairsCounter.Inc(ctx, 1)
		matchesCounter.Inc(ctx, int64(len(matches)))
		emit(Matches{images[query].Name, images[train].Name, convert(matches, func(m match.Match) DescriptorMatch { return DescriptorMatch(m) })})
		emitting += time.Since(begin)
	})
	matchTimeCounter.Inc(ctx, (time.Since(start) - emitting).Nanoseconds())
	return err
}

func (fn *matchAllFn) Teardown() error {
	return fn.storage.close()
}
