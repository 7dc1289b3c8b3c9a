package batch

import "hash/fnv"

// A branching tells which elements a branch of a pipeline gets: branch b has the shards whose
// number is b modulo the branches.
type branching struct {
	Shards, Branches, Branch int
}

// has reports whether the branch gets a shard.
func (b branching) has(shard int) bool {
	return shard%b.Branches == b.Branch
}

// shardOf returns the number of the shard of a name, a hash of it modulo their number.
func shardOf(name string, shards int) int {
	return int(hashOf(name) % uint32(shards))
}

func hashOf(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
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
