package match

// A vectorLane is the share of a lane that vectors need.
type vectorLane struct {
	queries                []Vector
	trainNorms, queryNorms []uint32
	room                   []byte
	center                 Vector
	all                    []int32 // the first numbers
	pack                   packVectorsRun
	distances              distancesRun
}

func newVectorLane() vectorLane {
	v := vectorLane{
		queries:    make([]Vector, group),
		trainNorms: make([]uint32, vectorChunk),
		queryNorms: make([]uint32, group),
		room:       make([]byte, roomBytes),
		all:        make([]int32, vectorChunk),
	}
	for i := range v.all {
		v.all[i] = int32(i)
	}
	return v
}

// setVectors gives the run a chunk of train vectors.
func (l *lane) setVectors(k *kernels, trains []Vector) {
	y, v := &k.vectors, &l.vectors
	l.setBlocks(y.block, len(trains), len(Vector{}))
	v.pack = packVectorsRun{l.run.packed, trains}
	k.packL2(&v.pack)
	norms := v.trainNorms[:len(l.run.index)]
	v.setNorms(k, norms, trains, 0)
	for i := range norms {
		norms[i] -= uint32(len(Vector{})) * uint32(y.middle) * uint32(y.middle) << vectorIndexBits
	}
	l.run.trainNorms, l.run.room = norms, v.room
}

// setNorms sets norms to the squared distances of vectors from the one whose elements all are
// center, as the upper bits of keys.
//
// With m in place of layout.middle, the distance of the vectors q and t is the sum over their
// numbers of (q-t)² = (q-m)² + t² - m² - 2q(t-m). So the norms of query vectors have the center m, and
// those of train vectors have the center 0 and are less by m² for each number.
func (v *vectorLane) setNorms(k *kernels, norms []uint32, vectors []Vector, center uint8) {
	fill(v.center[:], center)
	for len(vectors) > 0 {
		n := min(len(v.all), len(vectors))
		v.distances = distancesRun{&v.center, vectors[:n], v.all[:n], norms[:n]}
		k.distances(&v.distances)
		for i := range norms[:n] {
			norms[i] <<= vectorIndexBits
		}
		vectors, norms = vectors[n:], norms[n:]
	}
}

// setQueryVectors gives the run query vectors, whose norms are given, and the last one again to
// make them a multiple of what kernels take at once.
func (l *lane) setQueryVectors(k *kernels, vectors []Vector, norms []uint32) {
	v, r := &l.vectors, &l.run
	copy(v.queries, vectors)
	copy(v.queryNorms, norms)
	r.vectors = padded(v.queries, len(vectors), k.vectors.atOnce)
	r.queryNorms = padded(v.queryNorms, len(vectors), k.vectors.atOnce)
	l.setResults(len(r.vectors), maxAtOnce)
}
