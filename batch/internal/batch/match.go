package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/fastcorners/fast/match"
)

// Match matches a PCollection<Pair> of ORB descriptors, and returns a PCollection<Matches>. It
// fails if the options are invalid.
func Match(s beam.Scope, pairs beam.PCollection, opts match.Options) (beam.PCollection, error) {
	if _, err := match.New[match.Descriptor](opts); err != nil {
		return beam.PCollection{}, err
	}
	return beam.ParDo(s.Scope("batch.Match"), &matchFn{Options: opts}, pairs), nil
}

// A matcher finds the matches of two sets of descriptors of type D, those that package match
// finds, and appends them to dst. It keeps neither set.
type matcher[D descriptor] interface {
	Append(dst []match.Match, query, train []D) []match.Match
}

// A pairMatcher is a matcher for descriptors as they are in files.
type pairMatcher interface {
	appendPair(dst []match.Match, query, train Descriptors) []match.Match
}

// A setMatcher is a pairMatcher for descriptors of type D.
type setMatcher[D descriptor] struct {
	matcher      matcher[D]
	query, train []D
}

func (m *setMatcher[D]) appendPair(dst []match.Match, query, train Descriptors) []match.Match {
	m.query = appendDescriptors(m.query[:0], query)
	m.train = appendDescriptors(m.train[:0], train)
	return m.matcher.Append(dst, m.query, m.train)
}

// appendDescriptors appends the descriptors of an image to dst.
func appendDescriptors[D descriptor](dst []D, d Descriptors) []D {
	var one D
	for chunk := range slices.Chunk(d.Bits, len(one)) {
		dst = append(dst, D(chunk))
	}
	return dst
}

// A matchFn matches pairs. It has a matcher of its own, and calls it for one pair after the other.
type matchFn struct {
	Options match.Options
	SIFT    bool // descriptors are those of package sift
	Workers int
	GPU     bool
	gate    *gate
	matcher pairMatcher
	matches []match.Match
}

// vectorOptions are options of a matcher of vectors.
type vectorOptions match.Options

// options returns the options of the matcher, and fails if there is none for such descriptors.
func (fn *matchFn) options() (any, error) {
	switch {
	case !fn.SIFT:
		return &fn.Options, nil
	case fn.GPU:
		return nil, errors.New("batch: GPUs match the features of orb, not those of sift")
	}
	return (*vectorOptions)(&fn.Options), nil
}

func (fn *matchFn) Setup() error {
	fn.gate = gateOf(gateLimits{workers: fn.Workers})
	switch {
	case fn.SIFT:
		m, err := match.New[match.Vector](fn.Options)
		fn.matcher = &setMatcher[match.Vector]{matcher: m}
		return err
	case fn.GPU:
		m, err := openGPU(fn.Options)
		fn.matcher = &setMatcher[match.Descriptor]{matcher: m}
		return err
	}
	m, err := match.New[match.Descriptor](fn.Options)
	fn.matcher = &setMatcher[match.Descriptor]{matcher: m}
	return err
}

func (fn *matchFn) ProcessElement(ctx context.Context, p Pair, emit func(Matches)) error {
	slot, err := fn.gate.enter(ctx)
	if err != nil {
		return err
	}
	defer slot.leave()
	start := time.Now()
	fn.matches = fn.matcher.appendPair(fn.matches[:0], p.Query, p.Train)
	matchTimeCounter.Inc(ctx, time.Since(start).Nanoseconds())
	pairsCounter.Inc(ctx, 1)
	soFar.images.Add(1)
	matchesCounter.Inc(ctx, int64(len(fn.matches)))
	emit(Matches{p.Query.Name, p.Train.Name, convert(fn.matches, func(m match.Match) DescriptorMatch { return DescriptorMatch(m) })})
	return nil
}

// A matchShardFn matches all pairs of the images in the files of a shard, in the order of their
// names, and writes them to a file. It has a piece for each block of them, so that another run
// goes on where this one ends.
type matchShardFn struct {
	Pairs   matchFn
	All     matchAllFn // in place of Pairs, on a GPU
	GPU     bool
	Table   Table
	Stock   stock
	storage storage // of the output
}

func (fn *matchShardFn) Setup() error {
	if fn.GPU {
		return fn.All.Setup()
	}
	return fn.Pairs.Setup()
}

// blockPairs is about how many pairs a block has. It takes a second or less.
const blockPairs = 1 << 13

// A block is the pairs of the images from First on to before Last, each with all images after it.
type block struct{ First, Last int }

// blocksOf returns the blocks of a number of images.
func blocksOf(images int, whole bool) (blocks []block) {
	b := block{}
	for pairs := 0; b.Last < images-1; {
		pairs += images - 1 - b.Last
		b.Last++
		if b.Last == images-1 || pairs >= blockPairs && !whole {
			blocks = append(blocks, b)
			b.First, pairs = b.Last, 0
		}
	}
	return blocks
}

func (fn *matchShardFn) ProcessElement(ctx context.Context, shard int, each func(*File) bool, emit func(File)) error {
	return fn.Stock.overtaken(ctx, fn.shard(ctx, shard, each, emit))
}

func (fn *matchShardFn) shard(ctx context.Context, shard int, each func(*File) bool, emit func(File)) error {
	fs, w, err := fn.storage.walker(ctx, fn.Stock.Output)
	if err != nil {
		return err
	}
	var files []File
	var f File
	for each(&f) {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	text, err := json.Marshal(files)
	if err != nil {
		return err
	}
	sum, blocks := digest(text), blocksOf(int(countRows(files)), fn.GPU)
	soFar.todo.Add(int64(block{Last: int(countRows(files))}.pairs(int(countRows(files)))))
	var images []Descriptors // when they are needed
	var paths []string
	for i, b := range blocks {
		key := fmt.Sprintf("%s/%d-of-%d-%s", shardName(shard, fn.Table.Shards), i, len(blocks), sum)
		found, err := fn.Stock.list(ctx, w, key)
		if err != nil {
			return err
		}
		if fn.Stock.choose(found) != "" {
			n := int64(b.pairs(int(countRows(files))))
			adoptedCounter.Inc(ctx, n)
			soFar.adopted.Add(n)
		} else {
			if images == nil && !fn.GPU {
				if images, err = fn.All.storage.readShard(ctx, fn.All.Dir, slices.Values(files)); err != nil {
					return err
				}
				if len(images) != int(countRows(files)) {
					return fmt.Errorf("batch: %d images in shard %d, want %d", len(images), shard, countRows(files))
				}
			}
			if err := fn.block(ctx, fs, key, b, images, files); err != nil {
				return err
			}
		}
		paths = append(paths, join(fn.Stock.Output, fn.Stock.dir(key)+"/"+pieceName))
	}
	images = nil
	out := &writeFn[Matches]{Table: fn.Table}
	defer out.Teardown()
	for _, path := range paths {
		err := readRowsOf(ctx, fs, path, func(m Matches) error { return out.ProcessElement(ctx, m, emit) }, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", path, reason(err))
		}
	}
	return out.FinishBundle(ctx, emit)
}

// pairs returns how many pairs a block has.
func (b block) pairs(images int) (n int) {
	for i := b.First; i < b.Last; i++ {
		n += images - 1 - i
	}
	return n
}

// block writes the piece of a block.
func (fn *matchShardFn) block(ctx context.Context, fs filesystem.Interface, key string, b block, images []Descriptors, files []File) error {
	_, err := fn.Stock.write(ctx, fs, key, func(p *piece) (name string, err error) {
		var failed error
		write := func(m Matches) { failed = cmp.Or(failed, p.write(featuresRow, m)) }
		if fn.GPU {
			err = fn.All.all(ctx, slices.Values(files), write)
		}
		for i := b.First; i < b.Last && !fn.GPU; i++ {
			for _, train := range images[i+1:] {
				if err = cmp.Or(err, failed, ctx.Err()); err != nil {
					break
				}
				err = fn.Pairs.ProcessElement(ctx, Pair{images[i], train}, write)
			}
		}
		return pieceName, cmp.Or(err, failed)
	})
	return err
}

func (fn *matchShardFn) Teardown() error {
	return errors.Join(fn.All.storage.close(), fn.storage.close())
}

// readShard returns the images in the files of a shard, in the order of their names.
func (s *storage) readShard(ctx context.Context, dir string, files iter.Seq[File]) (images []Descriptors, err error) {
	for f := range files {
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
	matcher[match.Descriptor]
	// all calls emit with the matches of all pairs of sets, each set with those after it. Emit
	// does not keep them.
	all(sets [][]match.Descriptor, emit func(query, train int, matches []match.Match)) error
}

// A matchAllFn matches all pairs of the images in the files of a shard, in the order of their
// names, on a GPU.
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

func (fn *matchAllFn) all(ctx context.Context, files iter.Seq[File], emit func(Matches)) error {
	images, err := fn.storage.readShard(ctx, fn.Dir, files)
	if err != nil {
		return err
	}
	sets := make([][]match.Descriptor, len(images))
	for i, d := range images {
		sets[i] = appendDescriptors[match.Descriptor](nil, d)
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
		soFar.images.Add(1)
		matchesCounter.Inc(ctx, int64(len(matches)))
		emit(Matches{images[query].Name, images[train].Name, convert(matches, func(m match.Match) DescriptorMatch { return DescriptorMatch(m) })})
		emitting += time.Since(begin)
	})
	matchTimeCounter.Inc(ctx, (time.Since(start) - emitting).Nanoseconds())
	return err
}
