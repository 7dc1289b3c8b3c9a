//go:build unix

// Figures measures what Beam costs: it extracts ORB keypoints from many JPEG files by a
// pipeline and by a plain loop, with 1, 2, 4 and so on workers up to the number of CPUs, each
// in a process of its own that may use all of them. Times are those of the whole process, and
// the pipeline writes files besides. Run it in the directory batch.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"log"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/fastcorners/fast/batch"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/photo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

var (
	output  = flag.String("o", "results", "write workers.md and workers.svg to `DIR`")
	count   = flag.Int("n", 2000, "make `N` files")
	rounds  = flag.Int("rounds", 5, "measure `N` times, and take medians")
	child   = flag.String("child", "", "be a process that is measured: plain or beam")
	dir     = flag.String("dir", "", "where the files of a child are")
	workers = flag.Int("workers", 1, "how many workers a child has")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("figures: ")
	flag.Parse()
	var err error
	switch *child {
	case "plain":
		err = plain()
	case "beam":
		err = pipeline()
	default:
		err = compare()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// memory is that of the program batch.
const memory = photo.GiB

// plain reads, decodes and extracts in a loop, by goroutines.
func plain() error {
	names, err := filepath.Glob(filepath.Join(*dir, "*.jpg"))
	if err != nil {
		return err
	}
	next := make(chan string)
	var wg sync.WaitGroup
	for range *workers {
		extractor, err := orb.New(orb.Options{})
		if err != nil {
			return err
		}
		wg.Go(func() {
			var file bytes.Buffer
			var keypoints []orb.Keypoint
			var descriptors []match.Descriptor
			for name := range next {
				// Files that fail are left out.
				if img, err := decode(&file, name); err == nil {
					keypoints, descriptors = extractor.Append(keypoints[:0], descriptors[:0], img, nil)
				}
			}
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	wg.Wait()
	return nil
}

func decode(buf *bytes.Buffer, name string) (*image.Gray, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	buf.Reset()
	if _, err := buf.ReadFrom(file); err != nil {
		return nil, err
	}
	src := bytes.NewReader(buf.Bytes())
	header, err := photo.ReadHeader(src)
	if err != nil {
		return nil, err
	}
	if err := photo.CheckMemory(header.Size(), photo.Memory(header.Stored, header.PixelSize(false)), memory); err != nil {
		return nil, err
	}
	img, err := header.Decode(src)
	if err != nil {
		return nil, err
	}
	return img.Gray(), nil
}

// pipeline does the same on the embedded runner, and writes files, as the program batch does.
func pipeline() error {
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx := context.Background()
	p, s := beam.NewPipelineWithRoot()
	job := batch.FeaturesJob{
		Layout: batch.Layout{Output: filepath.Join(*dir, "out"), Shards: 16, Branches: *workers},
		Input:  filepath.Join(*dir, "*.jpg"),
		Memory: int64(memory), Workers: *workers,
		ORB: &orb.Options{},
	}
	if err := job.Build(ctx, s); err != nil {
		return err
	}
	return beamx.Run(ctx, p)
}

// A run is one measurement of a child.
type run struct {
	seconds float64
	cpu     float64 // seconds, of all CPUs
	bytes   int64   // resident at most
}

// A result is the medians of the runs with the given number of workers.
type result struct {
	workers     int
	plain, beam run
}

func compare() error {
	photos, err := filepath.Glob("../testdata/photos/*.png")
	if err != nil {
		return err
	}
	if len(photos) == 0 {
		return fmt.Errorf("no photos in ../testdata/photos")
	}
	temp, err := os.MkdirTemp("", "figures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := makeFiles(temp, photos); err != nil {
		return err
	}
	var results []result
	for n := 1; n <= runtime.NumCPU(); n *= 2 {
		results = append(results, result{workers: n})
	}
	plain, beam := make([][]run, len(results)), make([][]run, len(results))
	for range *rounds {
		for i, r := range results {
			for kind, runs := range map[string][][]run{"plain": plain, "beam": beam} {
				one, err := measure(kind, temp, r.workers)
				if err != nil {
					return fmt.Errorf("%s: %w", kind, err)
				}
				runs[i] = append(runs[i], one)
			}
		}
	}
	for i := range results {
		results[i].plain, results[i].beam = median(plain[i]), median(beam[i])
	}
	return write(results)
}

// write writes the results, and prints the table.
func write(results []result) error {
	if err := os.MkdirAll(*output, 0o777); err != nil {
		return err
	}
	text := table(results)
	fmt.Print(text)
	if err := os.WriteFile(filepath.Join(*output, "workers.md"), []byte(text), 0o666); err != nil {
		return err
	}
	return drawWorkers(results, filepath.Join(*output, "workers.svg"))
}

// table returns the results as a page.
func table(results []result) string {
	var page strings.Builder
	fmt.Fprintf(&page, "# A pipeline on the embedded runner and a plain loop\n\n")
	fmt.Fprintf(&page, "%s, %d CPUs · %s %s/%s · %s · %d files, medians of %d runs\n\n", cpu.Name(),
		runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly), *count, *rounds)
	fmt.Fprintf(&page, "| workers | images a second: loop | pipeline | overhead | CPU seconds: loop | pipeline | peak memory: loop | pipeline |\n")
	fmt.Fprintf(&page, "|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range results {
		fmt.Fprintf(&page, "| %d | %.0f | %.0f | %.1f %% | %.1f | %.1f | %v | %v |\n", r.workers, r.plain.rate(), r.beam.rate(),
			100*(r.beam.seconds/r.plain.seconds-1), r.plain.cpu, r.beam.cpu, photo.ByteSize(r.plain.bytes), photo.ByteSize(r.beam.bytes))
	}
	return page.String()
}

// rate returns images a second.
func (r run) rate() float64 { return float64(*count) / r.seconds }

// measure runs a child with the given number of workers.
func measure(kind, dir string, workers int) (run, error) {
	self, err := os.Executable()
	if err != nil {
		return run{}, err
	}
	cmd := exec.Command(self, "-child="+kind, "-dir="+dir, "-workers="+strconv.Itoa(workers))
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return run{}, err
	}
	end := cmd.ProcessState
	const unit = 1024 // of Linux; it is 1 elsewhere
	return run{
		seconds: time.Since(start).Seconds(),
		cpu:     (end.UserTime() + end.SystemTime()).Seconds(),
		bytes:   unit * int64(end.SysUsage().(*syscall.Rusage).Maxrss),
	}, nil
}

// median returns the run of median time, with the largest memory of all.
func median(runs []run) run {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.seconds, b.seconds) })
	m := runs[len(runs)/2]
	for _, r := range runs {
		m.bytes = max(m.bytes, r.bytes)
	}
	return m
}

// makeFiles writes JPEG files: parts of the photos, of many sizes and half of them flipped. Of a
// hundred, one is cut off, and the first of all is a decompression bomb.
func makeFiles(dir string, photos []string) error {
	var images []image.Image
	for _, name := range photos {
		file, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		img, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			return err
		}
		images = append(images, img)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range *count {
		var file bytes.Buffer
		if err := jpeg.Encode(&file, part(images[i%len(images)], random), &jpeg.Options{Quality: 90}); err != nil {
			return err
		}
		data := file.Bytes()
		switch {
		case i == 0:
			// The header of the frame says 65,500 by 65,500 pixels.
			frame := bytes.Index(data, []byte{0xff, 0xc0})
			copy(data[frame+5:], []byte{0xff, 0xdc, 0xff, 0xdc})
		case i%100 == 99:
			data = data[:len(data)/2]
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%06d.jpg", i)), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// part returns a part of an image, at least half as wide and high as it is.
func part(img image.Image, random *rand.Rand) image.Image {
	size := img.Bounds().Size()
	w, h := size.X/2+random.IntN(size.X/2), size.Y/2+random.IntN(size.Y/2)
	at := img.Bounds().Min.Add(image.Pt(random.IntN(size.X-w+1), random.IntN(size.Y-h+1)))
	cut := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(cut, cut.Rect, img, at, draw.Src)
	if random.IntN(2) == 0 {
		return cut
	}
	for y := range h {
		for x := range w / 2 {
			a, b := cut.RGBAAt(x, y), cut.RGBAAt(w-1-x, y)
			cut.SetRGBA(x, y, b)
			cut.SetRGBA(w-1-x, y, a)
		}
	}
	return cut
}
