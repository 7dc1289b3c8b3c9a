package match

// A metric is a way to measure distances.
type metric int

const (
	hamming   metric = iota // bits that differ
	hamming2                // cells of two bits that differ
	flat                    // bits that differ, of descriptors of any number of words
	l2                      // sums of the squared differences of vectors
	hamming32               // bits that differ, where only the first 32 may be set; lists use hamming
	metrics

	listed = hamming32 // the number of metrics that have keys, which come first
)

// words returns the number of words of four bytes that are packed, which is even. The
// others are not compared.
func (m metric) words() int {
	if m == hamming32 {
		return 2
	}
	return len(Descriptor{}) / 4
}

// indexBits returns how many of the lower bits of a key are an index.
func (m metric) indexBits() int {
	if m == l2 {
		return vectorIndexBits
	}
	return indexBits
}

// keyGroup returns the largest number of query descriptors in a call of keys.
func (m metric) keyGroup() int {
	if m == l2 {
		return maxAtOnce
	}
	return keyGroup
}

// kernels are the functions of an instruction set, which compare some query descriptors
// with a chunk of train descriptors. Those of portable Go define what the others do.
//
// Their argument lives on the heap, so that nothing escapes by a call through a
// function value. Assembly stores into no pointer of theirs.
type kernels struct {
	// A block is a number of train descriptors whose words of four bytes lie side by
	// side in the way that suits the functions: word i of descriptor j is at byte
	// places[j]+words[i].
	block  int
	places [maxBlock]int
	words  [8]int
	// In a block of flat descriptors, word i of eight bytes of descriptor j has its lower
	// half at byte flat[j]+i*block*8, and its upper half words[1] behind.
	flat [maxBlock]int
	// vectors is how vectors lie in their blocks.
	vectors layout

	// find finds the nearest train descriptor of each query descriptor, and keys lists
	// the distances of all.
	find [metrics]func(*findRun)
	keys [listed]func(*findRun)
	// slice compares sliced descriptors with a query descriptor. It is nil where find is faster.
	slice func(*sliceRun)
	// pack makes one or more blocks of packed of trains, which are as many as fill them. It is nil
	// where method place does that.
	pack func(*packRun)
	// packL2 makes the blocks of packed of vectors, of which there is one or more, in their
	// layout. What fills up the last block may have any values.
	packL2 func(*packVectorsRun)
	// distances lists the distances of a vector and some others.
	distances func(*distancesRun)

	// share is the least number of pairs for each worker. To wake another processor
	// can take 0.1 ms.
	share int
}

// inOrder is where the words are of a descriptor that is not mixed with others.
var inOrder = [8]int{0, 4, 8, 12, 16, 20, 24, 28}

const (
	// chunk is the number of train descriptors that are compared with many query
	// descriptors before the next ones are. They take 24 KB, which fit into the first
	// cache. Of long flat ones there are fewer, which take as much.
	chunk = 48 * maxBlock
	// maxBlock is the size of the largest block but those of vectors.
	maxBlock = 16
	// group is the largest number of query descriptors in a call of find. With a chunk
	// they make some 25,000 pairs. Assembly cannot be preempted, so a call must not
	// take long.
	group = 32
	// keyGroup is the largest number of query descriptors in a call of keys, whose
	// results must fit into the first cache, too. Of vectors it is maxAtOnce.
	keyGroup = 2
)

// A key is a distance and, in the lower bits, an index. The least key is that of the
// smallest distance and, among equal distances, of the lowest index.
const (
	indexBits       = 21
	vectorIndexBits = 9         // of vectors, since their distances have 23 bits
	noKey           = 1<<32 - 1 // greater than all keys
)

// A findRun is what a call of find or keys works on.
type findRun struct {
	// packed holds the blocks of train descriptors. index holds the index of each
	// descriptor in the chunk, and noKey for those that fill up the last block.
	packed []byte
	index  []uint32

	// queries is an even number of descriptors: kernels may take two at once.
	queries []Descriptor

	// find stores the least key of each query descriptor, whose index is that of a
	// train descriptor, and the next one in second unless second is nil: noKey if there
	// is none.
	best, second []uint32

	// Unless columns is nil, it has a key for each descriptor of the blocks, which find
	// lowers to the least one whose index is that of a query descriptor. Indices of
	// query descriptors count from firstQuery.
	columns    []uint32
	firstQuery uint32

	// keys stores the keys of each query descriptor here, in the order of index, and
	// noKey where index is noKey. The functions of portable Go that find the least ones
	// list them here first.
	keys []uint32

	// Flat descriptors are words of eight bytes: here are query descriptors in place of
	// queries, with zeros behind their last bytes, and the number of words of all.
	flat  []flatDescriptor
	words int

	// Vectors in place of queries, a multiple of layout.atOnce. The distance of a query and
	// a train vector is the sum of what both have here, which counts in units of the index's
	// last bit, less twice the product of the query vector and the packed train vector.
	vectors                []Vector
	queryNorms, trainNorms []uint32
	room                   []byte // for what kernels want to keep
}

// A packRun is descriptors, and the blocks that pack makes of them.
type packRun struct {
	packed []byte
	trains []Descriptor
}

// A packVectorsRun is vectors, and the blocks that packL2 makes of them.
type packVectorsRun struct {
	packed  []byte
	vectors []Vector
}

// A distancesRun is a list of distances: those of center and others[candidates[i]].
type distancesRun struct {
	center     *Vector
	others     []Vector
	candidates []int32
	list       []uint32
}

// A flatDescriptor has room for the longest descriptor.
type flatDescriptor [MaxLength]byte
