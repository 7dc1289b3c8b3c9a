package match

import (
	"bytes"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/worker"
	"github.com/stretchr/testify/require"
)

func newMatcher[D descriptor](t *testing.T, opts Options) *Matcher[D] {
	t.Helper()
	m, err := New[D](opts)
	require.NoError(t, err)
	return m
}

// A fencedLane is a lane between bytes that must stay.
type fencedLane struct {
	*lane
	fences [][]byte
}

const fenceBytes = 128

func newFencedLane() *fencedLane {
	f := &fencedLane{lane: newLane()}
	replace(&f.packed, f)
	replace(&f.index, f)
	replace(&f.bits.queries, f)
	replace(&f.best, f)
	replace(&f.second, f)
	replace(&f.columns, f)
	replace(&f.keys, f)
	replace(&f.flat.queries, f)
	replace(&f.vectors.queries, f)
	replace(&f.vectors.trainNorms, f)
	replace(&f.vectors.queryNorms, f)
	replace(&f.vectors.room, f)
	return f
}

// replace replaces a buffer by one of the same length between fences.
func replace[T byte | uint32 | Descriptor | flatDescriptor | Vector](buffer *[]T, f *fencedLane) {
	var zero T
	n := len(*buffer) * int(unsafe.Sizeof(zero))
	memory := slices.Repeat([]byte{0xa5}, fenceBytes+n+fenceBytes)
	f.fences = append(f.fences, memory[:fenceBytes], memory[fenceBytes+n:])
	*buffer = unsafe.Slice((*T)(unsafe.Pointer(&memory[fenceBytes])), len(*buffer))
}

// requireFences fails the test where anything next to a buffer was written.
func (f *fencedLane) requireFences(t testing.TB) {
	t.Helper()
	for _, fence := range f.fences {
		require.Len(t, fence, bytes.Count(fence, []byte{0xa5}), "a kernel has written next to a buffer")
	}
}

// A result is what the functions of a kernel find, without what fills up blocks.
type result struct{ best, second, columns, keys []uint32 }

// requireResult fails the test unless the results are equal.
func requireResult(t testing.TB, want, got result, message ...any) {
	t.Helper()
	imagetest.RequireSame(t, want.best, got.best, message...)
	imagetest.RequireSame(t, want.second, got.second, message...)
	imagetest.RequireSame(t, want.columns, got.columns, message...)
	imagetest.RequireSame(t, want.keys, got.keys, message...)
}

// newSets returns a comparison of sets.
func newSets[D descriptor](query, train []D, length int) *comparison {
	c := new(comparison)
	setSets(c, query, train, length)
	return c
}

// results returns the results for up to group query descriptors and a chunk.
func results(k *kernels, l *lane, query, train []Descriptor, m metric, second, columns bool) result {
	l.release()
	l.setTrains(k, train, m)
	return resultsOf(k, l, len(query), len(train), m, second, columns, func(n int) { l.setQueries(query[:n], m) })
}

// flatResults is results for flat descriptors.
func flatResults(k *kernels, l *lane, query, train []byte, size int, second, columns bool) result {
	l.release()
	c := newSets(query, train, size)
	l.setFlat(k, &c.train, 0, c.train.n)
	return resultsOf(k, l, c.query.n, c.train.n, flat, second, columns, func(n int) { l.setFlatQueries(&c.query, 0, n) })
}

// vectorResults is results for vectors.
func vectorResults(k *kernels, l *lane, query, train []Vector, second, columns bool) result {
	l.release()
	norms := make([]uint32, len(query))
	l.vectors.setNorms(k, norms, query, k.vectors.middle)
	l.setVectors(k, train)
	return resultsOf(k, l, len(query), len(train), l2, second, columns, func(n int) { l.setQueryVectors(k, query[:n], norms[:n]) })
}

// resultsOf returns the results for the train descriptors of a run. setQueries gives it the
// first ones of the query descriptors.
func resultsOf(k *kernels, l *lane, queries, trains int, m metric, second, columns bool, setQueries func(n int)) result {
	r := &l.run
	r.firstQuery = 1<<m.indexBits() - group
	setQueries(queries)
	if second {
		r.second = l.second[:len(r.best)]
	}
	if columns {
		r.columns = l.columns[:len(r.index)]
		for i := range r.columns {
			r.columns[i] = uint32(120+i%20)<<m.indexBits() | 5 // some are lower than what is found
		}
	}
	k.find[m](r)
	found := result{best: slices.Clone(r.best[:queries])}
	if second {
		found.second = slices.Clone(r.second[:queries])
	}
	if columns {
		found.columns = slices.Clone(r.columns[:trains])
	}
	if m >= listed {
		return found
	}
	// Few enough keys for their buffer.
	setQueries(min(queries, m.keyGroup()))
	k.keys[m](r)
	for row := range slices.Chunk(r.keys[:min(queries, m.keyGroup())*len(r.index)], len(r.index)) {
		found.keys = append(found.keys, row[:trains]...)
		for _, key := range row[trains:] {
			if key != noKey {
				found.keys = append(found.keys, key) // that is wrong
			}
		}
	}
	return found
}

// TestKernels compares the kernels with the portable one.
func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	descriptors := func(n, limit int) []Descriptor {
		list := make([]Descriptor, n)
		for i := range list {
			for k := range list[i] {
				list[i][k] = byte(1 + rng.IntN(limit))
			}
		}
		return list
	}
	rounds := 100
	if testing.Short() {
		rounds = 30
	}
	fenced, portable := newFencedLane(), &table[len(table)-1].Kernels
	for round := range rounds {
		limit := []int{2, 4, 255}[rng.IntN(3)]
		query := descriptors(1+rng.IntN(group), limit)
		train := descriptors(1+rng.IntN(80), limit)
		if round%10 == 0 {
			train = descriptors(chunk-rng.IntN(20), limit)
		}
		for m := range metrics {
			if m == flat || m == l2 {
				continue // TestFlatKernels, TestVectorKernels
			}
			if m == hamming32 {
				for _, list := range [][]Descriptor{query, train} {
					for i := range list {
						clear(list[i][4:])
					}
				}
			}
			for mode := range 4 {
				second, columns := mode&1 > 0, mode&2 > 0
				want := results(portable, newLane(), query, train, m, second, columns)
				for row := range table.Available() {
					got := results(&row.Kernels, fenced.lane, query, train, m, second, columns)
					requireResult(t, want, got, "%s, metric %d, second %t, columns %t", row.Name, m, second, columns)
					fenced.requireFences(t)
				}
			}
		}
	}
}

// TestFlatKernels compares the kernels for flat descriptors of every number of words with
// the portable one.
func TestFlatKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	fenced, portable := newFencedLane(), &table[len(table)-1].Kernels
	for size := 1; size <= MaxLength; size++ {
		if size%8 > 1 || testing.Short() && size%8 > 0 && size != 57 {
			continue
		}
		most := len(fenced.packed) / (8 * ((size + 7) / 8)) / maxBlock * maxBlock
		for i, trains := range []int{1 + rng.IntN(80), min(most, chunk) - rng.IntN(20)} {
			if i > 0 && size%32 > 0 {
				continue
			}
			descriptors := func(n int) []byte {
				list := asmtest.GuardedMemory(t, n*size)
				differ := []byte{0, 1, 0xff}[rng.IntN(3)]
				for i := range list {
					list[i] = byte(rng.Uint32())
					if differ != 1 && rng.IntN(2) > 0 {
						list[i] = differ
					}
				}
				return list
			}
			query, train := descriptors(1+rng.IntN(group)), descriptors(trains)
			for i := range size { // the largest distance
				query[i] = ^train[i]
			}
			for mode := range 4 {
				second, columns := mode&1 > 0, mode&2 > 0
				want := flatResults(portable, newLane(), query, train, size, second, columns)
				for row := range table.Available() {
					got := flatResults(&row.Kernels, fenced.lane, query, train, size, second, columns)
					requireResult(t, want, got, "%s, %d bytes, second %t, columns %t", row.Name, size, second, columns)
					fenced.requireFences(t)
				}
			}
		}
	}
}

// TestVectorKernels compares the kernels for vectors with the portable ones.
func TestVectorKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	fenced, portable := newFencedLane(), &table[len(table)-1].Kernels
	for round := range 60 {
		if testing.Short() && round%4 > 0 {
			continue
		}
		values := [][]byte{{0, 255}, {0, 1}, {127, 128}, {0, 1, 2, 126, 127, 128, 129, 253, 254, 255}}[rng.IntN(4)]
		vectors := func(n int) []Vector {
			list := make([]Vector, n)
			rare := rng.IntN(3)
			for i := range list {
				for k := range list[i] {
					list[i][k] = values[0]
					if rare == 0 || rng.IntN(30) == 0 {
						list[i][k] = values[rng.IntN(len(values))]
					}
				}
			}
			return list
		}
		query, train := vectors(1+rng.IntN(group)), vectors(1+rng.IntN(80))
		if round%8 == 0 {
			train = vectors(256 - rng.IntN(40))
		}
		for mode := range 4 {
			second, columns := mode&1 > 0, mode&2 > 0
			want := vectorResults(portable, newLane(), query, train, second, columns)
			for row := range table.Available() {
				got := vectorResults(&row.Kernels, fenced.lane, query, train, second, columns)
				requireResult(t, want, got, "%s, second %t, columns %t", row.Name, second, columns)
				fenced.requireFences(t)
			}
		}
	}
}

// TestPack compares the kernels that pack vectors with the loops that say what they do, for vectors
// next to a page that faults.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for n := 1; n <= 70; n++ {
		memory := asmtest.GuardedMemory(t, n*len(Vector{}))
		vectors := unsafe.Slice((*Vector)(unsafe.Pointer(&memory[0])), n)
		for i := range memory {
			memory[i] = byte(rng.Uint32())
		}
		for row := range table.Available() {
			l := &row.Kernels.vectors
			size := (n + l.block - 1) / l.block * l.block * len(Vector{})
			got := slices.Repeat([]byte{7}, size+1)
			row.Kernels.packL2(&packVectorsRun{got[:size], vectors})
			want := make([]byte, size)
			l.pack(want, vectors)
			for j := range vectors {
				for i := range len(Vector{}) / 4 {
					at := j/l.block*l.block*len(Vector{}) + 4*(i*l.block+j%l.block)
					require.True(t, bytes.Equal(want[at:at+4], got[at:at+4]), "%s, %d vectors, word %d of vector %d", row.Name, n, i, j)
				}
			}
			require.EqualValues(t, 7, got[size], row.Name)
		}
	}
}

// TestPackBlocks compares the kernels that pack descriptors with the loops that say what they do,
// for descriptors next to a page that faults.
func TestPackBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for n := 1; n <= 5*maxBlock; n++ {
		memory := asmtest.GuardedMemory(t, n*len(Descriptor{}))
		trains := unsafe.Slice((*Descriptor)(unsafe.Pointer(&memory[0])), n)
		for i := range memory {
			memory[i] = byte(rng.Uint32())
		}
		for row := range table.Available() {
			k := &row.Kernels
			size := (n + k.block - 1) / k.block * k.block * len(Descriptor{})
			l := newLane()
			l.packed = slices.Repeat([]byte{7}, size+1)
			l.setBlocks(k.block, n, len(Descriptor{}))
			l.pack(k, trains, hamming)
			want := make([]byte, size)
			k.place(want, trains, hamming)
			for j := range trains {
				for i, at := range k.words {
					at += j/k.block*k.block*len(Descriptor{}) + k.places[j%k.block]
					require.True(t, bytes.Equal(want[at:at+4], l.packed[at:at+4]), "%s, %d descriptors, word %d of descriptor %d", row.Name, n, i, j)
				}
			}
			require.EqualValues(t, 7, l.packed[size], row.Name)
		}
	}
}

// TestDistances compares the kernels that list distances with the portable one, for vectors next
// to a page that faults.
func TestDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var center Vector
	for _, n := range []int{0, 1, 2, 7, 50} {
		memory := asmtest.GuardedMemory(t, (n+1)*len(center))
		others := unsafe.Slice((*Vector)(unsafe.Pointer(&memory[0])), n+1)
		for i := range others {
			for k := range center {
				center[k] = []byte{0, 128, 255, byte(rng.Uint32())}[rng.IntN(4)]
				others[i][k] = []byte{0, 255, byte(rng.Uint32())}[rng.IntN(3)]
			}
		}
		if n == 2 {
			center, others[0] = Vector{}, Vector(bytes.Repeat([]byte{255}, len(center)))
		}
		candidates := make([]int32, n)
		for i := range candidates {
			candidates[i] = int32(rng.IntN(len(others)))
		}
		if n > 0 {
			candidates[0], candidates[n-1] = 0, int32(n)
		}
		var want []uint32
		for _, c := range candidates {
			want = append(want, squaredDistance(&center, &others[c]))
		}
		for row := range table.Available() {
			list := slices.Repeat([]uint32{7}, n+1)
			row.Kernels.distances(&distancesRun{&center, others, candidates, list[:n]})
			require.Equal(t, append(slices.Clone(want), 7), list, row.Name)
		}
	}
}

// TestTable checks what assembly and the sizes of buffers take for granted.
func TestTable(t *testing.T) {
	for _, row := range table {
		k := &row.Kernels
		require.LessOrEqual(t, k.block, maxBlock)
		require.Zero(t, chunk%k.block)
		var used []int // the places of words in a block
		var flat []int // the same of a block of flat descriptors
		for j, place := range k.places[:k.block] {
			for _, word := range k.words {
				used = append(used, place+word)
			}
			for i := range 3 {
				at := k.flat[j] + i*8*k.block
				flat = append(flat, at, at+k.words[1])
			}
		}
		for _, list := range [][]int{used, flat} {
			slices.Sort(list)
			for i, at := range list {
				require.Equal(t, 4*i, at, row.Name)
			}
		}
	}
	for row := range table.Available() {
		restore := cpu.Limit(row.Needs)
		require.Same(t, &row.Kernels, table.Best(), "a limit chooses the row")
		restore()
	}
	for _, row := range table {
		l := &row.Kernels.vectors
		require.Zero(t, vectorChunk%l.block)
		require.Zero(t, maxAtOnce%l.atOnce)
		require.Contains(t, []uint8{0, 128}, l.middle)
	}
	require.Zero(t, group%maxAtOnce)
	require.Zero(t, batch%maxAtOnce)
	require.LessOrEqual(t, group, 1<<vectorIndexBits)
	require.Less(t, maxVectorDistance, noKey>>vectorIndexBits)
	require.Zero(t, group%2)
	require.Zero(t, keyGroup%2)
	require.Zero(t, columnQueries%group)
	require.LessOrEqual(t, columnQueries, 1<<indexBits, "an index of a query descriptor does not fit into a key")
	require.LessOrEqual(t, chunk, 1<<indexBits)
	require.Less(t, 8*MaxLength, noKey>>indexBits)
}

// TestLimit checks that sets whose indices do not fit into a Match panic, and no smaller ones.
func TestLimit(t *testing.T) {
	const most = math.MaxInt32
	var d Descriptor
	mem := asmtest.ReservedMemory(t, (most+1)*int64(len(d)))
	list := unsafe.Slice((*Descriptor)(unsafe.Pointer(&mem[0])), len(mem)/len(d))
	set := func(query, train []Descriptor) {
		newSets(query, train, 0).start(&Options{Workers: 1}, hamming)
	}
	set(list[:most], list[:1])
	set(list[:1], list[:most])
	set(list[:most], list[:most])
	require.PanicsWithValue(t, "match: sets of 2147483648 and 1 descriptors, more than 2^31-1", func() { set(list, list[:1]) })
	require.PanicsWithValue(t, "match: sets of 1 and 2147483648 descriptors, more than 2^31-1", func() { set(list[:1], list) })

	setFlat := func(query, train []byte) {
		newSets(query, train, 1).start(&Options{Workers: 1}, flat)
	}
	setFlat(mem[:most], mem[:most])
	require.PanicsWithValue(t, "match: sets of 2147483648 and 1 descriptors, more than 2^31-1", func() { setFlat(mem[:len(list)], mem[:1]) })
	require.PanicsWithValue(t, "match: sets of 1 and 2147483648 descriptors, more than 2^31-1", func() { setFlat(mem[:1], mem[:len(list)]) })
}

// TestColumnQueries lets few query descriptors share the indices of columns.
func TestColumnQueries(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	query, train := make([]Descriptor, 300), make([]Descriptor, 800)
	for _, list := range [][]Descriptor{query, train} {
		for i := range list {
			list[i][rng.IntN(32)] = byte(rng.IntN(8))
		}
	}
	m := newMatcher[Descriptor](t, Options{CrossCheck: true})
	want := m.Match(query, train)
	defer func(before int) { columnQueries = before }(columnQueries)
	for _, columnQueries = range []int{group, 2 * group, 8 * group, 16 * group} {
		imagetest.RequireSame(t, want, m.Match(query, train), "%d", columnQueries)
	}
}

// A spot is a point.
type spot struct{ x, y float32 }

func (s spot) Pt() image.Point          { return image.Pt(int(s.x), int(s.y)) }
func (s spot) Position() (x, y float32) { return s.x, s.y }

// TestPool checks that nothing of the caller's is kept.
func TestPool(t *testing.T) {
	descs := make([]Descriptor, 900)
	m := newMatcher[Descriptor](t, Options{CrossCheck: true, Ratio: 1})
	m.Match(descs, descs)
	m.KNearest(descs, descs, 3)
	points := make([]spot, 900)
	m.Near(descs, descs, Circles(points, 1), NewGrid(points))
	newMatcher[byte](t, Options{CrossCheck: true}).Match(make([]byte, 6400), make([]byte, 6400))
	newMatcher[uint64](t, Options{CrossCheck: true}).Match(make([]uint64, 800), make([]uint64, 800))
	newMatcher[Vector](t, Options{CrossCheck: true}).Match(make([]Vector, 100), make([]Vector, 100))
	newMatcher[Descriptor32](t, Options{}).Match(make([]Descriptor32, 100), make([]Descriptor32, 100))
	for range 4 {
		j := jobPool.Get().(*job)
		require.Nil(t, j.opts)
		require.Equal(t, set{}, j.query)
		require.Equal(t, set{}, j.train)
		for _, matches := range j.lists.found[:cap(j.lists.found)] {
			require.Nil(t, matches, "with what is behind its end")
		}
		for _, l := range j.lanes.All() {
			require.Equal(t, findRun{}, l.run)
			require.Equal(t, packRun{}, l.bits.pack)
			require.Equal(t, packVectorsRun{}, l.vectors.pack)
			require.Equal(t, distancesRun{}, l.vectors.distances)
			require.Empty(t, l.lists.found)
		}
	}
}

// ForceWorkers makes several workers pay however small the sets are, until the function
// that it returns is called. It is for the tests of the other package, too; nothing else
// may match meanwhile.
func ForceWorkers() (restore func()) {
	before := table
	table = slices.Clone(table)
	for i := range table {
		table[i].Kernels.share = 1
	}
	return func() { table = before }
}

// replaceKernel lets find take the place of that of the kernels until the test ends, and of
// their slice, and makes several workers pay.
func replaceKernel(t *testing.T, find func(r *findRun)) {
	t.Cleanup(ForceWorkers())
	for i := range table {
		table[i].Kernels.find[hamming], table[i].Kernels.slice = find, nil
	}
}

// tooLong is how long a test waits for what should happen at once.
const tooLong = time.Minute

// TestWorkersShare checks that workers work at the same time.
func TestWorkersShare(t *testing.T) {
	const workers = 3
	var mu sync.Mutex
	inside := 0
	all := make(chan struct{})
	find := table.Best().find[hamming]
	replaceKernel(t, func(r *findRun) {
		mu.Lock()
		if inside++; inside == workers {
			close(all)
		}
		mu.Unlock()
		select { // none leaves before all have come
		case <-all:
		case <-time.After(tooLong):
			panic("workers are missing")
		}
		find(r)
	})
	m := newMatcher[Descriptor](t, Options{Workers: workers})
	descs := make([]Descriptor, 4*partQueries)
	require.NotPanics(t, func() { m.Match(descs, descs) })
}

// TestWorkersPanic checks that panics come to the caller, with a worker's stack when
// it is a worker's, and that no goroutine is left then.
func TestWorkersPanic(t *testing.T) {
	replaceKernel(t, failingKernel)
	before := runtime.NumGoroutine()
	if runtime.GOOS == "js" {
		before++ // the goroutine that handles events of JavaScript comes and goes
	}
	descs := make([]Descriptor, 20*partQueries)
	for _, workers := range []int{1, 4} {
		m := newMatcher[Descriptor](t, Options{Workers: workers})
		func() {
			defer func() {
				err, ok := recover().(error)
				require.True(t, ok, "the panic is no error")
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			}()
			m.Match(descs, descs)
			t.Error("no panic")
		}()
	}
	for start := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.Less(t, time.Since(start), tooLong, "goroutines are left")
	}

	// The caller leaves the failing to the other goroutine.
	caller, failed := goroutine(), make(chan struct{})
	replaceKernel(t, func(r *findRun) {
		if goroutine() != caller {
			defer close(failed)
			failingKernel(r)
		}
		select {
		case <-failed:
		case <-time.After(tooLong):
		}
	})
	defer func() {
		err, ok := recover().(error)
		require.True(t, ok, "the panic is no error")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.ErrorContains(t, err, "match: panic of a worker")
		require.ErrorContains(t, err, "failingKernel")
		require.NoError(t, (&worker.Panic{Value: 1}).Unwrap())
	}()
	m := newMatcher[Descriptor](t, Options{Workers: 2})
	m.Match(descs, descs)
	t.Error("no panic")
}

// goroutine returns the number of the goroutine that calls it.
func goroutine() string {
	var stack [64]byte
	return strings.Fields(string(stack[:runtime.Stack(stack[:], false)]))[1]
}

func failingKernel(*findRun) { panic(io.ErrUnexpectedEOF) }
