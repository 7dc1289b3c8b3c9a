//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// real has the tests use the driver and the devices of this machine, not emulated ones.
var real = flag.Bool("real", false, "use the devices of this machine")

func TestMain(m *testing.M) {
	flag.Parse()
	if *real {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "gpu")
	if err != nil {
		log.Fatal(err)
	}
	library = filepath.Join(dir, "libcuda.so.1")
	granule = 1 // so that what is beyond an arena cannot be accessed
	build(library, "kernels/driver.cpp")
	if err := load(library, emulation.symbols()); err != nil {
		log.Fatal(err)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// build compiles a library.
func build(library, source string) {
	out, err := exec.Command("clang++-19", "-std=c++20", "-O2", "-march=native", "-shared", "-fPIC", "-o", library, source).CombinedOutput()
	if err != nil {
		log.Fatalf("%v (Debian's package is clang-19)\n%s", err, out)
	}
}

// emulation has the functions with which tests set and ask the emulated driver.
var emulation emulated

type emulated struct {
	devices func(count, major, minor int32, memory uint64) int32
	fault   func(call string, after, status int32) int32
	reset   func() int32
	count   func(kind string) int32
	misuse  func(text *byte, size int32) int32
}

func (e *emulated) symbols() []symbol {
	return []symbol{
		{&e.devices, "emulateDevices"},
		{&e.fault, "emulateFault"},
		{&e.reset, "emulateReset"},
		{&e.count, "emulatedCount"},
		{&e.misuse, "emulatedMisuse"},
	}
}

// TestPTX tests that match.ptx is what the line of go generate makes of the kernels.
func TestPTX(t *testing.T) {
	if *real {
		t.Skip("it is the same everywhere")
	}
	source, err := os.ReadFile("gpu.go")
	require.NoError(t, err)
	_, line, _ := strings.Cut(string(source), "\n//go:generate ")
	line, _, _ = strings.Cut(line, "\n")
	made := filepath.Join(t.TempDir(), "match.ptx")
	command := strings.Fields(strings.Replace(line, " match.ptx ", " "+made+" ", 1))
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	want, err := os.ReadFile(made)
	require.NoError(t, err)
	require.True(t, string(want) == ptx, "match.ptx is not made of match.cu: go generate makes it")
}

// kinds are what the driver makes that has to be destroyed.
var kinds = []string{"context", "module", "stream", "memory", "pinned memory", "registration"}

// requireNothingLeft requires that all was destroyed, and that nothing was done that is not
// allowed.
func requireNothingLeft(t *testing.T) {
	t.Helper()
	for _, kind := range kinds {
		require.Zero(t, emulation.count(kind), kind)
	}
	text := make([]byte, 200)
	emulation.misuse(&text[0], int32(len(text)))
	require.Empty(t, cString(&text[0]))
}

// emulate sets what the emulated devices are, until the test ends, when nothing may be left of
// it.
func emulate(t *testing.T, count, major, minor int, memory uint64) {
	t.Helper()
	if *real {
		t.Skip("for emulated devices")
	}
	emulation.devices(int32(count), int32(major), int32(minor), memory)
	t.Cleanup(func() {
		requireNothingLeft(t)
		emulation.devices(1, 9, 0, math.MaxUint64)
	})
}

// open opens a device, which is closed when the test ends.
func open(t testing.TB, index int) *Device {
	t.Helper()
	d, err := Open(index)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// newMatcher returns a Matcher and what it must agree with.
func newMatcher(t testing.TB, d *Device, opts match.Options) (*Matcher, *match.Matcher[match.Descriptor]) {
	t.Helper()
	m, err := d.New(opts)
	require.NoError(t, err)
	want, err := match.New[match.Descriptor](opts)
	require.NoError(t, err)
	return m, want
}

// set sets a variable until the test ends.
func set[T any](t *testing.T, variable *T, value T) {
	was := *variable
	*variable = value
	t.Cleanup(func() { *variable = was })
}

// A contents makes the descriptors of sets.
type contents struct {
	name string
	make func(r *rand.Rand, query, train []match.Descriptor)
}

func random(r *rand.Rand, sets ...[]match.Descriptor) {
	for _, s := range sets {
		for i := range s {
			for j := range s[i] {
				s[i][j] = byte(r.Uint32())
			}
		}
	}
}

// near makes each train descriptor one that differs in up to n bits from a query.
func near(r *rand.Rand, n int, query, train []match.Descriptor) {
	random(r, query, train)
	for i := range train {
		if len(query) > 0 {
			train[i] = query[r.IntN(len(query))]
			for range r.IntN(n + 1) {
				bit := r.IntN(maxDistance)
				train[i][bit/8] ^= 1 << (bit % 8)
			}
		}
	}
}

var allContents = []contents{
	{"random", func(r *rand.Rand, query, train []match.Descriptor) { random(r, query, train) }},
	{"near", func(r *rand.Rand, query, train []match.Descriptor) { near(r, 60, query, train) }},
	{"copies", func(r *rand.Rand, query, train []match.Descriptor) { near(r, 1, query, train) }},
	{"ties", func(r *rand.Rand, query, train []match.Descriptor) { // few different descriptors
		for _, s := range [][]match.Descriptor{query, train} {
			for i := range s {
				s[i] = match.Descriptor{0: byte(r.IntN(4)), 31: byte(r.IntN(2))}
			}
		}
	}},
	{"equal", func(_ *rand.Rand, query, train []match.Descriptor) {
		for _, s := range [][]match.Descriptor{query, train} {
			for i := range s {
				s[i] = match.Descriptor{7, 7, 7}
			}
		}
	}},
	{"opposite", func(_ *rand.Rand, query, train []match.Descriptor) { // all distances are 0 or 256
		for k, s := range [][]match.Descriptor{query, train} {
			for i := range s {
				if (i+k)%5 == 0 {
					for j := range s[i] {
						s[i][j] = 0xff
					}
				}
			}
		}
	}},
	{"falling", func(_ *rand.Rand, query, train []match.Descriptor) { // each train is nearer than those before
		for i := range train {
			for bit := range maxDistance - i*maxDistance/len(train) {
				train[i][bit/8] |= 1 << (bit % 8)
			}
		}
		for i := range query {
			for bit := range i % maxDistance {
				query[i][bit/8] |= 1 << (bit % 8)
			}
		}
	}},
}

var allOptions = []match.Options{
	{},
	{MaxDistance: 64},
	{MaxDistance: -1},
	{CrossCheck: true},
	{CrossCheck: true, MaxDistance: 30},
	{Ratio: 0.8},
	{Ratio: 1},
	{Ratio: 0.01, MaxDistance: 3},
	{CrossCheck: true, Ratio: 0.8, MaxDistance: 64},
	{CrossCheck: true, Ratio: 0.95},
}

func name(o match.Options) string {
	return fmt.Sprintf("cross=%v,ratio=%v,max=%d", o.CrossCheck, o.Ratio, o.MaxDistance)
}

// sizes has all sizes up to a few, and those around tiles, blocks and the parts of them.
var sizes = []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300}

// requireMatches checks that m finds what package match does.
func requireMatches(t testing.TB, want *match.Matcher[match.Descriptor], m *Matcher, query, train []match.Descriptor, format string, args ...any) {
	t.Helper()
	got, err := m.Match(query, train)
	require.NoError(t, err)
	require.Equal(t, want.Match(query, train), got, append([]any{format}, args...)...)
}

// TestSizes compares sets of all sizes with package match.
func TestSizes(t *testing.T) {
	d := open(t, 0)
	r := rand.New(rand.NewPCG(1, 2))
	for o, opts := range allOptions {
		t.Run(name(opts), func(t *testing.T) {
			m, want := newMatcher(t, d, opts)
			for i, nq := range sizes {
				for j, nt := range sizes {
					if (i+2*j+o)%3 != 0 && !*real {
						continue // for the sake of time
					}
					c := allContents[(i+j+o)%len(allContents)]
					query, train := make([]match.Descriptor, nq), make([]match.Descriptor, nt)
					c.make(r, query, train)
					requireMatches(t, want, m, query, train, "%d x %d, %s", nq, nt, c.name)
				}
			}
		})
	}
}

// TestAllSizes compares sets of each size from 0 to 300 with package match.
func TestAllSizes(t *testing.T) {
	d := open(t, 0)
	r := rand.New(rand.NewPCG(3, 4))
	m, want := newMatcher(t, d, match.Options{CrossCheck: true, Ratio: 0.9})
	for n := range 301 {
		c := allContents[n%len(allContents)]
		for _, other := range []int{n, r.IntN(301)} {
			query, train := make([]match.Descriptor, n), make([]match.Descriptor, other)
			c.make(r, query, train)
			requireMatches(t, want, m, query, train, "%d x %d, %s", n, other, c.name)
		}
	}
}

// TestContents compares larger sets, of several blocks and splits, with package match.
func TestContents(t *testing.T) {
	d := open(t, 0)
	r := rand.New(rand.NewPCG(5, 6))
	for _, opts := range allOptions {
		m, want := newMatcher(t, d, opts)
		for _, c := range allContents {
			query, train := make([]match.Descriptor, 600), make([]match.Descriptor, 1100)
			c.make(r, query, train)
			requireMatches(t, want, m, query, train, "%s, %s", name(opts), c.name)
		}
	}
}

// TestAppend tests that the matches are appended, and that dst is kept if a call fails.
func TestAppend(t *testing.T) {
	emulate(t, 1, 9, 0, math.MaxUint64)
	d := open(t, 0)
	m, want := newMatcher(t, d, match.Options{})
	query, train := make([]match.Descriptor, 10), make([]match.Descriptor, 10)
	dst := []match.Match{{Query: 1, Train: 2, Distance: 3}}
	got, err := m.Append(dst, query, train)
	require.NoError(t, err)
	require.Equal(t, want.Append(dst, query, train), got)
	emulation.fault("cuLaunchKernel", 1, 719)
	got, err = m.Append(dst, query, train)
	require.EqualError(t, err, "gpu: cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED")
	require.Equal(t, dst, got)
	got, err = m.Append(nil, query, train)
	require.NoError(t, err)
	require.Len(t, got, 10)
}

// TestPieces compares sets that are larger than a piece with package match.
func TestPieces(t *testing.T) {
	set(t, &maxPiece, 100)
	d := open(t, 0)
	r := rand.New(rand.NewPCG(7, 8))
	for _, opts := range allOptions {
		m, want := newMatcher(t, d, opts)
		for i, n := range [][2]int{{99, 101}, {100, 300}, {101, 1}, {1, 201}, {350, 99}, {350, 420}} {
			c := allContents[i%len(allContents)]
			query, train := make([]match.Descriptor, n[0]), make([]match.Descriptor, n[1])
			c.make(r, query, train)
			requireMatches(t, want, m, query, train, "%s, %v, %s", name(opts), n, c.name)
			q, err := d.Upload(query)
			require.NoError(t, err)
			u, err := d.Upload(train)
			require.NoError(t, err)
			got, err := m.AppendSets(nil, q, u)
			require.NoError(t, err)
			require.Equal(t, want.Match(query, train), got, "%s, %v, %s, resident", name(opts), n, c.name)
			require.NoError(t, q.Close())
			require.NoError(t, u.Close())
		}
	}
}

// TestPairs compares many pairs of sets with package match, in batches of all sizes.
func TestPairs(t *testing.T) {
	d := open(t, 0)
	r := rand.New(rand.NewPCG(9, 10))
	var descriptors [][]match.Descriptor
	var sets []*Set
	for i := range 14 {
		s := make([]match.Descriptor, []int{0, 1, 40, 130, 260, 300, 17}[i%7])
		allContents[i/2%len(allContents)].make(r, make([]match.Descriptor, 3), s)
		if i > 3 {
			for j := range s { // so that there are matches
				if k := descriptors[i-3]; len(k) > 0 && j%2 == 0 {
					s[j] = k[r.IntN(len(k))]
				}
			}
		}
		u, err := d.Upload(s)
		require.NoError(t, err)
		require.Equal(t, len(s), u.Len())
		descriptors, sets = append(descriptors, s), append(sets, u)
	}
	list := slices.Collect(AllPairs(len(sets)))
	require.Len(t, list, 14*13/2)
	list = append(list, Pair{3, 3}, Pair{5, 2}, Pair{0, 0})
	for _, opts := range []match.Options{{}, {CrossCheck: true, Ratio: 0.8, MaxDistance: 64}} {
		m, want := newMatcher(t, d, opts)
		for i, limit := range []int{1, 600, 3000, 1 << 20} {
			set(t, &maxBatch, limit)
			set(t, &earlyMatches, []int{100, 1 << 14}[i%2])
			for _, piece := range []int{1 << indexBits, 150} {
				set(t, &maxPiece, piece)
				next := 0
				require.NoError(t, m.Pairs(sets, slices.Values(list), func(p Pair, got []match.Match) error {
					require.Equal(t, list[next], p)
					next++
					require.Equal(t, want.Match(descriptors[p.Query], descriptors[p.Train]), append([]match.Match(nil), got...))
					return nil
				}))
				require.Len(t, list, next)
			}
		}
	}
}

// TestPairsStops tests errors and panics of emit, after which the Matcher works on.
func TestPairsStops(t *testing.T) {
	emulate(t, 1, 9, 0, math.MaxUint64)
	set(t, &maxBatch, 1)
	d := open(t, 0)
	m, _ := newMatcher(t, d, match.Options{})
	var sets []*Set
	for range 6 {
		s, err := d.Upload(make([]match.Descriptor, 20))
		require.NoError(t, err)
		sets = append(sets, s)
	}
	stop := errors.New("stop")
	for n := range 15 {
		i := 0
		err := m.Pairs(sets, AllPairs(len(sets)), func(Pair, []match.Match) error {
			if i++; i > n {
				return stop
			}
			return nil
		})
		require.ErrorIs(t, err, stop)
		require.Equal(t, n+1, i)
	}
	require.PanicsWithValue(t, "mine", func() {
		_ = m.Pairs(sets, AllPairs(len(sets)), func(Pair, []match.Match) error { panic("mine") })
	})
	n := 0
	require.NoError(t, m.Pairs(sets, AllPairs(len(sets)), func(Pair, []match.Match) error { n++; return nil }))
	require.Equal(t, 15, n)
}

// TestConcurrent uses a Matcher, and several, from many goroutines.
func TestConcurrent(t *testing.T) {
	d := open(t, 0)
	m, want := newMatcher(t, d, match.Options{CrossCheck: true})
	r := rand.New(rand.NewPCG(11, 12))
	query, train := make([]match.Descriptor, 150), make([]match.Descriptor, 140)
	near(r, 40, query, train)
	expected := want.Match(query, train)
	q, err := d.Upload(query)
	require.NoError(t, err)
	u, err := d.Upload(train)
	require.NoError(t, err)
	var group sync.WaitGroup
	failures := make(chan error, 100)
	for i := range 16 {
		group.Go(func() {
			mine := m
			if i%4 == 3 {
				var err error
				if mine, err = d.New(match.Options{CrossCheck: true}); err != nil {
					failures <- err
					return
				}
				defer mine.Close()
			}
			for range 4 {
				got, err := mine.Match(query, train)
				if err == nil && !slices.Equal(got, expected) {
					err = errors.New("other matches of slices")
				}
				failures <- err
				got, err = mine.AppendSets(nil, q, u)
				if err == nil && !slices.Equal(got, expected) {
					err = errors.New("other matches of sets")
				}
				failures <- err
				err = mine.Pairs([]*Set{q, u}, AllPairs(2), func(_ Pair, got []match.Match) error {
					if !slices.Equal(got, expected) {
						return errors.New("other matches of pairs")
					}
					return nil
				})
				failures <- err
			}
		})
	}
	go func() {
		group.Wait()
		close(failures)
	}()
	for err := range failures {
		require.NoError(t, err)
	}
}

// TestDevices uses several devices side by side.
func TestDevices(t *testing.T) {
	if !*real {
		emulate(t, 3, 8, 0, math.MaxUint64)
	}
	n, err := Count()
	require.NoError(t, err)
	if *real && n < 2 {
		t.Skip("one device")
	}
	r := rand.New(rand.NewPCG(13, 14))
	query, train := make([]match.Descriptor, 150), make([]match.Descriptor, 140)
	near(r, 40, query, train)
	var devices []*Device
	var matchers []*Matcher
	for i := range n {
		d := open(t, i)
		if !*real {
			require.Equal(t, fmt.Sprintf("emulated device %d", i), d.Name())
		}
		m, _ := newMatcher(t, d, match.Options{})
		devices, matchers = append(devices, d), append(matchers, m)
	}
	_, want := newMatcher(t, devices[0], match.Options{})
	for range 2 {
		for _, m := range matchers {
			got, err := m.Match(query, train)
			require.NoError(t, err)
			require.Equal(t, want.Match(query, train), got)
		}
	}
	// emit may use another device.
	sets := []*Set{}
	for range 3 {
		s, err := devices[0].Upload(query)
		require.NoError(t, err)
		sets = append(sets, s)
	}
	require.NoError(t, matchers[0].Pairs(sets, AllPairs(3), func(Pair, []match.Match) error {
		_, err := matchers[1].Match(query, train)
		return err
	}))
	require.PanicsWithValue(t, "gpu: Set of another Device", func() { _, _ = matchers[1].AppendSets(nil, sets[0], sets[1]) })
}

// TestOpenFails tests devices and drivers that cannot be used.
func TestOpenFails(t *testing.T) {
	emulate(t, 2, 7, 5, math.MaxUint64)
	for _, c := range []struct {
		devices, index int
		major          int
		want           string
	}{
		{2, 1, 7, "gpu: device 1, emulated device 1, is too old: its compute capability is 7.5, not 8.0 or more"},
		{2, 2, 8, "gpu: no device 2: there are 2"},
		{2, -1, 8, "gpu: no device -1: there are 2"},
		{0, 0, 8, "gpu: there is no NVIDIA device"},
	} {
		emulation.devices(int32(c.devices), int32(c.major), 5, math.MaxUint64)
		_, err := Open(c.index)
		require.EqualError(t, err, c.want)
	}
	dir := t.TempDir()
	set(t, &library, filepath.Join(dir, "none.so"))
	_, err := Open(0)
	require.ErrorContains(t, err, "gpu: there is no NVIDIA driver: ")
	require.ErrorContains(t, err, "none.so")
	_, err = Count()
	require.Error(t, err)
	library = filepath.Join(dir, "old.so")
	source := filepath.Join(dir, "old.cpp")
	require.NoError(t, os.WriteFile(source, []byte(`extern "C" int cuInit(unsigned) { return 0; }`), 0o666))
	build(library, source)
	_, err = Open(0)
	require.ErrorContains(t, err, "gpu: the NVIDIA driver is too old: ")
	require.ErrorContains(t, err, "cuDeviceGetCount")
}

// calls are those of the driver that can fail.
var calls = []string{
	"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
	"cuCtxSetCurrent", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuOccupancyMaxActiveBlocksPerMultiprocessor",
	"cuMemAlloc_v2", "cuMemHostAlloc", "cuMemHostRegister_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
	"cuStreamCreate", "cuStreamSynchronize", "cuLaunchKernel",
}

// TestFaults has each call of the driver fail, once, wherever it is made. It must be reported,
// leave nothing behind, and the next calls must succeed.
func TestFaults(t *testing.T) {
	emulate(t, 1, 9, 0, math.MaxUint64)
	r := rand.New(rand.NewPCG(15, 16))
	query, train := make([]match.Descriptor, 90), make([]match.Descriptor, 80)
	near(r, 40, query, train)
	want, err := match.New[match.Descriptor](match.Options{CrossCheck: true})
	require.NoError(t, err)
	expected := want.Match(query, train)
	once := func(t *testing.T) (err error) {
		d, err := Open(0)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		unpin, err := d.Pin(query)
		if err != nil {
			return err
		}
		m, err := d.New(match.Options{CrossCheck: true})
		if err != nil {
			return err
		}
		q, err := d.Upload(query)
		if err != nil {
			return err
		}
		u, err := d.Upload(train)
		if err != nil {
			return err
		}
		got, err := m.Match(query, train)
		if err != nil {
			return err
		}
		require.Equal(t, expected, got)
		err = m.Pairs([]*Set{q, u}, slices.Values(slices.Repeat([]Pair{{0, 1}}, 5)), func(_ Pair, got []match.Match) error {
			require.Equal(t, expected, got)
			return nil
		})
		if err != nil {
			return err
		}
		return unpin()
	}
	for _, piece := range []int{1 << indexBits, 50} {
		set(t, &maxPiece, piece)
		set(t, &maxBatch, 1)
		for _, call := range calls {
			faults := 0
			for after := 0; ; after++ {
				emulation.fault(call, int32(after), 719)
				err := once(t)
				emulation.fault(call, -1, 719)
				if call == "cuCtxSetCurrent" {
					emulation.reset() // the call is needed to free anything
				}
				requireNothingLeft(t)
				if err == nil {
					break
				}
				require.ErrorContains(t, err, "CUDA_ERROR_LAUNCH_FAILED")
				faults++
			}
			require.Positive(t, faults, call)
		}
	}
	require.NoError(t, once(t))
}

// TestFaultyFree has the calls fail that free what was made. They are reported.
func TestFaultyFree(t *testing.T) {
	emulate(t, 1, 9, 0, math.MaxUint64)
	for _, call := range []string{"cuMemFree_v2", "cuMemFreeHost", "cuStreamDestroy_v2", "cuModuleUnload", "cuDevicePrimaryCtxRelease_v2", "cuMemHostUnregister"} {
		d, err := Open(0)
		require.NoError(t, err)
		m, _ := newMatcher(t, d, match.Options{})
		some := make([]match.Descriptor, 20)
		_, err = d.Pin(some)
		require.NoError(t, err)
		_, err = m.Match(some, some)
		require.NoError(t, err)
		emulation.fault(call, 0, 719)
		require.ErrorContains(t, d.Close(), "CUDA_ERROR_LAUNCH_FAILED", call)
	}
	// The emulated driver still has what it did not free.
	require.EqualValues(t, 1, emulation.count("module"))
	emulation.devices(1, 9, 0, math.MaxUint64)
	emulation.reset()
}

// TestMemory has devices with ever less memory. The matches are the same until there is too
// little for anything.
func TestMemory(t *testing.T) {
	emulate(t, 1, 9, 0, math.MaxUint64)
	r := rand.New(rand.NewPCG(17, 18))
	const n = 3 * leastPiece / 2
	query, train := make([]match.Descriptor, n), make([]match.Descriptor, 300)
	near(r, 40, query, train)
	want, err := match.New[match.Descriptor](match.Options{CrossCheck: true, Ratio: 0.9})
	require.NoError(t, err)
	expected := want.Match(query, train)
	outOfMemory, fits := 0, 0
	for memory := uint64(n * 100); memory > n; memory = memory * 4 / 5 {
		emulation.devices(1, 9, 0, memory)
		d, err := Open(0)
		require.NoError(t, err)
		m, _ := newMatcher(t, d, match.Options{CrossCheck: true, Ratio: 0.9})
		got, err := m.Match(query, train)
		if err != nil {
			require.ErrorIs(t, err, ErrOutOfMemory)
			require.Nil(t, got)
			outOfMemory++
		} else {
			require.Equal(t, expected, got)
			fits++
		}
		require.NoError(t, d.Close())
		requireNothingLeft(t)
	}
	require.Greater(t, fits, 3)
	require.Greater(t, outOfMemory, 1)
}

// TestPairsMemory matches pairs on devices with ever less memory besides that of the sets.
func TestPairsMemory(t *testing.T) {
	emulate(t, 1, 9, 0, math.MaxUint64)
	set(t, &maxBatch, 900)
	r := rand.New(rand.NewPCG(19, 20))
	descriptors := make([][]match.Descriptor, 6)
	for i := range descriptors {
		descriptors[i] = make([]match.Descriptor, 100+i)
		near(r, 30, descriptors[0], descriptors[i])
	}
	want, err := match.New[match.Descriptor](match.Options{CrossCheck: true})
	require.NoError(t, err)
	outOfMemory, fits := 0, 0
	for memory := uint64(300_000); memory > 10_000; memory = memory * 4 / 5 {
		emulation.devices(1, 9, 0, memory)
		d, err := Open(0)
		require.NoError(t, err)
		m, _ := newMatcher(t, d, match.Options{CrossCheck: true})
		var sets []*Set
		for _, s := range descriptors {
			u, err := d.Upload(s)
			if err != nil {
				require.ErrorIs(t, err, ErrOutOfMemory)
				break
			}
			sets = append(sets, u)
		}
		next := 0
		list := slices.Collect(AllPairs(len(sets)))
		err = m.Pairs(sets, slices.Values(list), func(p Pair, got []match.Match) error {
			require.Equal(t, list[next], p)
			next++
			require.Equal(t, want.Match(descriptors[p.Query], descriptors[p.Train]), append([]match.Match(nil), got...))
			return nil
		})
		if err != nil {
			require.ErrorIs(t, err, ErrOutOfMemory)
			outOfMemory++
		} else {
			require.Len(t, list, next)
			fits++
		}
		require.NoError(t, d.Close())
		requireNothingLeft(t)
	}
	require.Greater(t, fits, 3)
	require.Positive(t, outOfMemory)
}

// TestReuse tests that calls make nothing anew that the first one has made.
func TestReuse(t *testing.T) {
	emulate(t, 1, 9, 0, math.MaxUint64)
	d := open(t, 0)
	m, _ := newMatcher(t, d, match.Options{CrossCheck: true})
	query := make([]match.Descriptor, 200)
	s, err := d.Upload(query)
	require.NoError(t, err)
	for i := range 5 {
		if i == 1 {
			for _, call := range []string{"cuMemAlloc_v2", "cuMemHostAlloc", "cuStreamCreate"} {
				emulation.fault(call, 0, 719)
				_, err := m.Match(query, query)
				require.NoError(t, err, call)
				_, err = m.AppendSets(nil, s, s)
				require.NoError(t, err, call)
			}
		}
		_, err := m.Match(query, query)
		require.NoError(t, err)
		_, err = m.AppendSets(nil, s, s)
		require.NoError(t, err)
	}
}

// TestClose tests what is closed, and what is done to it then.
func TestClose(t *testing.T) {
	if !*real {
		emulate(t, 1, 9, 0, math.MaxUint64)
	}
	some := make([]match.Descriptor, 20)
	d, err := Open(0)
	require.NoError(t, err)
	m, _ := newMatcher(t, d, match.Options{})
	other, _ := newMatcher(t, d, match.Options{})
	s, err := d.Upload(some)
	require.NoError(t, err)
	unpin, err := d.Pin(some)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	require.PanicsWithValue(t, "gpu: Matcher is closed", func() { _, _ = m.Match(some, some) })
	require.PanicsWithValue(t, "gpu: Matcher is closed", func() { _, _ = m.AppendSets(nil, s, s) })
	require.PanicsWithValue(t, "gpu: Matcher is closed", func() { _ = m.Pairs([]*Set{s}, AllPairs(1), nil) })
	gone, err := d.Upload(some)
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	require.PanicsWithValue(t, "gpu: Set is closed", func() { _, _ = other.AppendSets(nil, s, gone) })
	require.PanicsWithValue(t, "gpu: Set is closed", func() { _ = other.Pairs([]*Set{s, gone}, AllPairs(2), nil) })
	_, err = other.AppendSets(nil, s, s)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	require.NoError(t, unpin())
	require.NoError(t, s.Close())
	require.NoError(t, other.Close())
	require.PanicsWithValue(t, "gpu: Device is closed", func() { _, _ = other.Match(some, some) })
	require.PanicsWithValue(t, "gpu: Device is closed", func() { _, _ = d.New(match.Options{}) })
	require.PanicsWithValue(t, "gpu: Device is closed", func() { _, _ = d.Upload(some) })
	require.PanicsWithValue(t, "gpu: Device is closed", func() { _, _ = d.Pin(some) })
}

// TestCloseWaits closes a device while it is in use.
func TestCloseWaits(t *testing.T) {
	if !*real {
		emulate(t, 1, 9, 0, math.MaxUint64)
	}
	some := make([]match.Descriptor, 20)
	for range 20 {
		d, err := Open(0)
		require.NoError(t, err)
		m, _ := newMatcher(t, d, match.Options{})
		s, err := d.Upload(some)
		require.NoError(t, err)
		started := make(chan bool)
		var group sync.WaitGroup
		group.Go(func() {
			_ = m.Pairs([]*Set{s, s}, AllPairs(2), func(Pair, []match.Match) error {
				close(started)
				return nil
			})
		})
		<-started
		for _, c := range []interface{ Close() error }{m, d, s} {
			group.Go(func() {
				if err := c.Close(); err != nil {
					panic(err)
				}
			})
		}
		group.Wait()
	}
}

// TestPin tests that pinned descriptors have the same matches.
func TestPin(t *testing.T) {
	d := open(t, 0)
	m, want := newMatcher(t, d, match.Options{})
	r := rand.New(rand.NewPCG(21, 22))
	query, train := make([]match.Descriptor, 1000), make([]match.Descriptor, 140)
	near(r, 40, query, train)
	unpin, err := d.Pin(query)
	require.NoError(t, err)
	got, err := m.Match(query, train)
	require.NoError(t, err)
	require.Equal(t, want.Match(query, train), got)
	require.NoError(t, unpin())
	require.NoError(t, unpin())
	unpin, err = d.Pin(nil)
	require.NoError(t, err)
	require.NoError(t, unpin())
}

// TestOptions tests which options are served.
func TestOptions(t *testing.T) {
	d := open(t, 0)
	for _, c := range []struct {
		opts match.Options
		want string
	}{
		{match.Options{Ratio: -0.1}, "gpu: Options.Ratio is -0.1, not 0 to 1"},
		{match.Options{Ratio: math.NaN()}, "gpu: Options.Ratio is NaN, not 0 to 1"},
		{match.Options{Length: 64}, "gpu: Options.Length is 64, not 0 for descriptors of 256 bits"},
		{match.Options{Hamming2: true}, "gpu: Options.Hamming2 is true, not false, the only distance that devices serve"},
	} {
		_, err := d.New(c.opts)
		require.EqualError(t, err, c.want)
	}
	for _, opts := range allOptions {
		m, want := newMatcher(t, d, opts)
		require.Equal(t, want.Options(), m.Options())
	}
}

// TestBest tests which matcher Best returns, and that it finds what package match finds.
func TestBest(t *testing.T) {
	if !*real {
		emulate(t, 1, 9, 0, math.MaxUint64)
		set(t, &openDefault, sync.OnceValues(func() (*Device, error) { return Open(0) }))
		t.Cleanup(func() {
			d, err := Default()
			require.NoError(t, err)
			require.NoError(t, d.Close())
		})
	}
	r := rand.New(rand.NewPCG(23, 24))
	opts := match.Options{CrossCheck: true, Ratio: 0.9}
	f, err := Best(opts)
	require.NoError(t, err)
	want, err := match.New[match.Descriptor](opts)
	require.NoError(t, err)
	require.IsType(t, &finder{}, f)
	require.Equal(t, want.Options(), f.Options())
	for _, n := range []int{1, 50, 400} {
		query, train := make([]match.Descriptor, n), make([]match.Descriptor, n)
		near(r, 40, query, train)
		require.Equal(t, want.Match(query, train), f.Match(query, train))
	}
	if !*real {
		query := make([]match.Descriptor, 400)
		emulation.fault("cuLaunchKernel", 0, 719)
		require.Equal(t, want.Match(query, query), f.Match(query, query))
	}
	f, err = Best(match.Options{Hamming2: true})
	require.NoError(t, err)
	require.IsType(t, want, f)
	_, err = Best(match.Options{Ratio: 2})
	require.EqualError(t, err, "gpu: match: Options.Ratio is 2, not 0 to 1")
	none := errors.New("none")
	was := openDefault
	openDefault = func() (*Device, error) { return nil, none }
	f, err = Best(opts)
	_, failed := Default()
	openDefault = was
	require.ErrorIs(t, failed, none)
	require.NoError(t, err)
	require.IsType(t, want, f)
}

var _ Finder = (*match.Matcher[match.Descriptor])(nil)
