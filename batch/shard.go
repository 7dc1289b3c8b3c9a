package batch

import (
	"hash/fnv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Shard returns the names with all those of a shard one after the other, in as many
// collections as there are branches, whose stages can run side by side on a runner that does
// not split them. The shard of a name is a hash of it, modulo their number; branch b has the
// shards whose number is b modulo the branches.
func Shard(s beam.Scope, names beam.PCollection, shards, branches int) []beam.PCollection {
	s = s.Scope("batch.Shard")
	split := make([]beam.PCollection, branches)
	for b := range split {
		keyed := beam.ParDo(s, &keyNames{branching{shards, branches, b}}, names)
		split[b] = beam.ParDo(s, &ungroupFn[string]{}, beam.GroupByKey(s, keyed))
	}
	return split
}

// A branching tells which elements a branch of a pipeline gets.
type branching struct {
	Shards, Branches, Branch int
}

// has reports whether the branch gets a shard.
func (b branching) has(shard int) bool {
	return shard%b.Branches == b.Branch
}

// A keyNames keys the names of a branch by their shards.
type keyNames struct {
	Branching branching
}

func (fn *keyNames) ProcessElement(name string, emit func(int, string)) {
	if shard := shardOf(name, fn.Branching.Shards); fn.Branching.has(shard) {
		emit(shard, name)
	}
}

// shardOf returns the number of the shard of a name.
func shardOf(name string, shards int) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % uint32(shards))
}

// An ungroupFn emits the elements of a group. It is a type because Beam distinguishes
// instances of generic types, but not those of generic functions.
type ungroupFn[E any] struct{}

func (*ungroupFn[E]) ProcessElement(_ int, elements func(*E) bool, emit func(E)) {
	var e E
	for elements(&e) {
		emit(e)
	}
}
