// Command figures measures package gpu on a device, beside package match on the processor, and
// writes tables in Markdown. It compares what both find, and fails if anything differs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fastcorners/fast/gpu"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

var (
	index  = flag.Int("device", 0, "the `INDEX` of the device")
	count  = flag.Int("sets", 1000, "match all pairs of `N` sets")
	photos = flag.String("photos", "../testdata/photos", "the `DIR` of the photos whose descriptors are matched")
	large  = flag.Bool("large", true, "also match a million descriptors")
)

// usual are the options of the figures.
var usual = match.Options{CrossCheck: true, Ratio: 0.8, MaxDistance: 64}

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	device, err := gpu.Open(*index)
	if err != nil {
		return err
	}
	version, err := exec.Command("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").Output()
	if err != nil {
		return fmt.Errorf("nvidia-smi: %w", err)
	}
	driver, _, _ := strings.Cut(string(version), "\n")
	fmt.Printf("%s, driver %s · %s, %d CPUs · %s %s/%s · %s\n\n", device.Name(), driver, cpu.Name(), runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH, time.Now().UTC().Format(time.DateOnly))
	for _, f := range []func(*gpu.Device) error{single, breakEven, collections} {
		if err := f(device); err != nil {
			return err
		}
	}
	return device.Close()
}

// descriptors returns n descriptors of which some are near those of the others, if there are
// any.
func descriptors(r *rand.Rand, n int, others []match.Descriptor) []match.Descriptor {
	set := make([]match.Descriptor, n)
	for i := range set {
		if len(others) > 0 && i%4 == 0 {
			set[i] = others[r.IntN(len(others))]
			for range r.IntN(40) {
				bit := r.IntN(256)
				set[i][bit/8] ^= 1 << (bit % 8)
			}
			continue
		}
		for j := range set[i] {
			set[i][j] = byte(r.Uint32())
		}
	}
	return set
}

// median returns the median time of f, of as many calls as take half a second, but three at
// least, or of one if it takes longer than that.
func median(f func() error) (time.Duration, error) {
	if err := f(); err != nil {
		return 0, err
	}
	var times []time.Duration
	for sum := time.Duration(0); sum < 500*time.Millisecond && len(times) < 1000; {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start))
		sum += times[len(times)-1]
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3g", d.Seconds()*1e3) }

// measure returns the time of the device for sets of the host, for pinned and for resident
// ones.
func measure(device *gpu.Device, m *gpu.Matcher, query, train []match.Descriptor) (times [3]time.Duration, found []match.Match, err error) {
	lists := [2][]match.Descriptor{query, train}
	slice := func() (err error) {
		found, err = m.Append(found[:0], query, train)
		return err
	}
	if times[0], err = median(slice); err != nil {
		return times, nil, err
	}
	var unpin [2]func() error
	for i, set := range lists {
		if unpin[i], err = device.Pin(set); err != nil {
			return times, nil, err
		}
	}
	if times[1], err = median(slice); err != nil {
		return times, nil, err
	}
	if err := errors.Join(unpin[0](), unpin[1]()); err != nil {
		return times, nil, err
	}
	var sets [2]*gpu.Set
	for i, set := range lists {
		if sets[i], err = device.Upload(set); err != nil {
			return times, nil, err
		}
	}
	times[2], err = median(func() (err error) {
		found, err = m.AppendSets(found[:0], sets[0], sets[1])
		return err
	})
	return times, found, errors.Join(err, sets[0].Close(), sets[1].Close())
}

// processor returns the time of package match, of one call if it takes long.
func processor(opts match.Options, workers int, query, train []match.Descriptor) (time.Duration, []match.Match, error) {
	opts.Workers = workers
	m, err := match.New[match.Descriptor](opts)
	if err != nil {
		return 0, nil, err
	}
	var found []match.Match
	start := time.Now()
	found = m.Append(found, query, train)
	if d := time.Since(start); d > 200*time.Millisecond {
		return d, found, nil
	}
	d, err := median(func() error {
		found = m.Append(found[:0], query, train)
		return nil
	})
	return d, found, err
}

// single measures calls with one pair of sets.
func single(device *gpu.Device) error {
	m, err := device.New(usual)
	if err != nil {
		return err
	}
	defer m.Close()
	fmt.Printf("One pair of sets, with cross-check, ratio 0.8 and distances of up to 64, in ms. The matches are equal.\n\n")
	fmt.Printf("| sets | from slices | pinned | resident | 1 core | %d cores | times 1 core | times %[1]d | 10^9 comparisons a second |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n", runtime.GOMAXPROCS(0))
	for _, n := range [][2]int{{300, 300}, {1000, 1000}, {5000, 3001}, {10_000, 10_000}, {100_000, 100_000}, {1_000_000, 100_000}, {100_000, 5_000_000}} {
		comparisons := float64(n[0]) * float64(n[1])
		if comparisons > 2e10 && !*large {
			continue
		}
		r := rand.New(rand.NewPCG(1, uint64(n[0])))
		train := descriptors(r, n[1], nil)
		query := descriptors(r, n[0], train)
		times, found, err := measure(device, m, query, train)
		if err != nil {
			return err
		}
		one, times1 := "", ""
		if comparisons < 2e10 {
			d, want, err := processor(usual, 1, query, train)
			if err != nil {
				return err
			}
			if !slices.Equal(want, found) {
				return fmt.Errorf("%v: other matches", n)
			}
			one, times1 = ms(d), fmt.Sprintf("%.3g", float64(d)/float64(times[0]))
		}
		all, want, err := processor(usual, -1, query, train)
		if err != nil {
			return err
		}
		if !slices.Equal(want, found) {
			return fmt.Errorf("%v: other matches", n)
		}
		fmt.Printf("| %d x %d | %s | %s | %s | %s | %s | %s | %.3g | %.3g |\n", n[0], n[1], ms(times[0]), ms(times[1]), ms(times[2]), one, ms(all), times1,
			float64(all)/float64(times[0]), comparisons/times[2].Seconds()/1e9)
	}
	fmt.Println()
	return nil
}

// breakEven measures small sets.
func breakEven(device *gpu.Device) error {
	fmt.Printf("Where the device begins to pay: equal sets, from slices, in ms.\n\n| sets | device | 1 core | all cores |\n|---|--:|--:|--:|\n")
	m, err := device.New(usual)
	if err != nil {
		return err
	}
	defer m.Close()
	for _, n := range []int{50, 100, 150, 200, 250, 300, 400, 500, 700} {
		r := rand.New(rand.NewPCG(2, uint64(n)))
		train := descriptors(r, n, nil)
		query := descriptors(r, n, train)
		var found []match.Match
		d, err := median(func() (err error) {
			found, err = m.Append(found[:0], query, train)
			return err
		})
		if err != nil {
			return err
		}
		one, _, err := processor(usual, 1, query, train)
		if err != nil {
			return err
		}
		all, _, err := processor(usual, -1, query, train)
		if err != nil {
			return err
		}
		fmt.Printf("| %d x %[1]d | %s | %s | %s |\n", n, ms(d), ms(one), ms(all))
	}
	fmt.Println()
	return nil
}

// photoSets returns the descriptors of ORB of parts of the photos.
func photoSets(dir string, n int) ([][]match.Descriptor, error) {
	e, err := orb.New(orb.Options{Features: n})
	if err != nil {
		return nil, err
	}
	list, err := frames.Load(os.DirFS(dir))
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no photos in %s", dir)
	}
	var sets [][]match.Descriptor
	for _, gray := range list {
		for i := range 16 { // parts that overlap
			b := gray.Bounds()
			b.Min.X += i * b.Dx() / 64
			b.Min.Y += i * b.Dy() / 80
			_, set := e.Extract(gray.SubImage(b).(*image.Gray), nil)
			sets = append(sets, set)
		}
	}
	return sets, nil
}

// collections measures all pairs of sets.
func collections(device *gpu.Device) error {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 5000
	pool := descriptors(r, 20*n, nil)
	sets := make([][]match.Descriptor, *count)
	for i := range sets {
		sets[i] = descriptors(r, n, pool)
	}
	real, err := photoSets(*photos, n)
	if err != nil {
		return err
	}
	fmt.Printf("All pairs of sets, from slices, with the copies to the device and back.\n\n")
	fmt.Printf("| sets | options | pairs | matches | s | 10^9 comparisons a second | with %d cores | times | pairs compared with package match |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n", runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		name string
		sets [][]match.Descriptor
		opts match.Options
	}{
		{fmt.Sprintf("%d of %d, random, a quarter near others", len(sets), n), sets, usual},
		{"the same", sets, match.Options{CrossCheck: true}},
		{"the same", sets, match.Options{Ratio: 0.8}},
		{fmt.Sprintf("%d of parts of photos, ORB, up to %d", len(real), n), real, usual},
		{"the same", real, match.Options{CrossCheck: true, Ratio: 0.8}},
		{"the same", real, match.Options{CrossCheck: true}},
	} {
		if err := collection(device, c.name, c.sets, c.opts); err != nil {
			return err
		}
	}
	return nil
}

// collection measures all pairs of a collection.
func collection(device *gpu.Device, name string, sets [][]match.Descriptor, opts match.Options) error {
	m, err := device.New(opts)
	if err != nil {
		return err
	}
	defer m.Close()
	// Every so many pairs are compared.
	pairs := len(sets) * (len(sets) - 1) / 2
	step := max(pairs/2000, 1)
	sample := make(map[gpu.Pair][]match.Match)
	var best time.Duration
	var comparisons float64
	var matches int
	for round := range 3 {
		start := time.Now()
		var resident []*gpu.Set
		for _, s := range sets {
			u, err := device.Upload(s)
			if err != nil {
				return err
			}
			resident = append(resident, u)
		}
		done := 0
		comparisons, matches = 0, 0
		err := m.Pairs(resident, gpu.AllPairs(len(resident)), func(p gpu.Pair, found []match.Match) error {
			if round == 0 && done%step == 0 {
				sample[p] = slices.Clone(found)
			}
			done++
			matches += len(found)
			comparisons += float64(len(sets[p.Query])) * float64(len(sets[p.Train]))
			return nil
		})
		if err != nil {
			return err
		}
		if d := time.Since(start); round == 0 || d < best {
			best = d
		}
		for _, s := range resident {
			if err := s.Close(); err != nil {
				return err
			}
		}
	}
	// The processor does the sample, with all cores.
	processor, err := match.New[match.Descriptor](opts)
	if err != nil {
		return err
	}
	var list []gpu.Pair
	sampled := 0.0
	for p := range sample {
		list = append(list, p)
		sampled += float64(len(sets[p.Query])) * float64(len(sets[p.Train]))
	}
	var next, wrong atomic.Int64
	var group sync.WaitGroup
	start := time.Now()
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			var found []match.Match
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				p := list[i]
				found = processor.Append(found[:0], sets[p.Query], sets[p.Train])
				if !slices.Equal(found, sample[p]) {
					wrong.Add(1)
				}
			}
		})
	}
	group.Wait()
	cpu := sampled / time.Since(start).Seconds()
	if n := wrong.Load(); n > 0 {
		return fmt.Errorf("%s: %d of %d pairs have other matches", name, n, len(list))
	}
	rate := comparisons / best.Seconds()
	fmt.Printf("| %s | %s | %d | %d | %.3g | %.4g | %.3g | %.3g | %d |\n", name, options(opts), pairs, matches, best.Seconds(), rate/1e9, cpu/1e9, rate/cpu, len(list))
	return nil
}

// options describes options.
func options(opts match.Options) string {
	text := "nearest"
	if opts.CrossCheck {
		text += ", cross-check"
	}
	if opts.Ratio > 0 {
		text += fmt.Sprintf(", ratio %g", opts.Ratio)
	}
	if opts.MaxDistance > 0 {
		text += fmt.Sprintf(", up to %d", opts.MaxDistance)
	}
	return text
}
