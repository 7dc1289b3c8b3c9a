//go:build unix

// Figures measures what Beam costs: it extracts ORB keypoints from many JPEG files, small ones
// and photos of 12 megapixels, by a pipeline and by two plain loops, one that writes nothing and
// one that writes the same rows, with 1, 2, 4 and so on workers up to the number of CPUs, each
// in a process of its own that may use all of them. Times are those of the whole process. It
// also measures a run that finds nothing new. Run it in the directory batch.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/warp"
)

var (
	output  = flag.String("o", "results", "write pages and workers.svg to `DIR`")
	part    = flag.String("part", "all", "measure `PART`: small, photos, update or all")
	count   = flag.Int("n", 2000, "make `N` small files, ten times as many for update, and a twentieth as many photos")
	rounds  = flag.Int("rounds", 5, "measure `N` times, and take medians")
	by      = flag.String("exec", "", "make files, and run each round, by `CMD`, such as one that waits until the machine is quiet")
	child   = flag.String("child", "", "be a process that is measured: loop, writing, pipeline or update; or a round; or one that makes files: small or photos")
	dir     = flag.String("dir", "", "where the files of a child are")
	workers = flag.Int("workers", 1, "how many workers a child has")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("figures: ")
	flag.Parse()
	var err error
	switch *child {
	case "loop":
		err = loop(nil)
	case "writing":
		err = loopWriting()
	case "pipeline", "update":
		err = pipeline()
	case "round":
		err = round()
	case "small":
		err = makeFiles()
	case "photos":
		err = makePhotos()
	default:
		err = measureAll()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// memory is that of the program batch.
const memory = cli.GiB

// pipeline does what loopWriting does on the embedded runner, as the program batch does.
func pipeline() error {
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx := context.Background()
	p, s := beam.NewPipelineWithRoot()
	job := batch.FeaturesJob{
		Layout:        batch.Layout{Output: filepath.Join(*dir, "out"), Shards: shards, Branches: *workers},
		Input:         filepath.Join(*dir, "*.jpg"),
		Memory:        int64(memory),
		RuntimeMemory: int64(memory) + 512<<20,
		Workers:       *workers,
		Update:        *child == "update",
		ORB:           &orb.Options{},
	}
	if err := job.Build(ctx, s); err != nil {
		return err
	}
	return beamx.Run(ctx, p)
}

// A run is one measurement of a child.
type run struct {
	Seconds float64
	CPU     float64 // seconds, of all CPUs
	Bytes   int64   // resident at most
}

// kinds are the children that are compared.
var kinds = [...]string{"loop", "writing", "pipeline"}

// A result is what was measured with a number of workers.
type result struct {
	workers int
	rounds  [][len(kinds)]run
}

// median returns the run of median time of a kind, with the largest memory of all.
func (r result) median(kind int) run {
	var runs []run
	for _, round := range r.rounds {
		runs = append(runs, round[kind])
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.Seconds, b.Seconds) })
	m := runs[len(runs)/2]
	for _, r := range runs {
		m.Bytes = max(m.Bytes, r.Bytes)
	}
	return m
}

// overhead tells how much more time the pipeline takes than a kind in the same round, in percent:
// the median of all rounds, and the quartiles.
func (r result) overhead(kind int) string {
	var all []float64
	for _, round := range r.rounds {
		all = append(all, 100*(round[len(kinds)-1].Seconds/round[kind].Seconds-1))
	}
	slices.Sort(all)
	n := len(all)
	return fmt.Sprintf("%.1f %% (%.1f to %.1f)", all[n/2], all[n/4], all[n-1-n/4])
}

// measureAll measures the parts that are asked for.
func measureAll() error {
	if err := os.MkdirAll(*output, 0o777); err != nil {
		return err
	}
	known := false
	for _, p := range []struct {
		name    string
		measure func(dir string) error
	}{{"small", small}, {"photos", large}, {"update", update}} {
		if *part != p.name && *part != "all" {
			continue
		}
		known = true
		temp, err := os.MkdirTemp("", "figures")
		if err != nil {
			return err
		}
		err = p.measure(temp)
		if err := errors.Join(err, os.RemoveAll(temp)); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if !known {
		return fmt.Errorf("part %q is not known", *part)
	}
	return nil
}

// small compares a pipeline and a loop over small files.
func small(dir string) error {
	results, err := page("small", dir, "workers.md", "A pipeline on the embedded runner and plain loops", *count)
	if err != nil {
		return err
	}
	return drawWorkers(results, filepath.Join(*output, "workers.svg"))
}

// large does so with photos of 12 megapixels.
func large(dir string) error {
	_, err := page("photos", dir, "photos.md", "Photos of 12 megapixels", photosCount())
	return err
}

// page makes n files of a kind, compares a pipeline and a loop over them, and writes a page.
func page(kind, dir, name, title string, n int) ([]result, error) {
	if err := fill(kind, dir); err != nil {
		return nil, err
	}
	results, err := compare(dir)
	if err != nil {
		return nil, err
	}
	return results, write(name, title, n, results)
}

// update measures a first run and one that finds nothing new.
func update(dir string) error {
	if err := fill("small", dir); err != nil {
		return err
	}
	n := *count
	for i := range n {
		for j := range 9 {
			if err := os.Link(fileName(dir, i), fileName(dir, n+9*i+j)); err != nil {
				return err
			}
		}
	}
	first, err := measure("update", dir, runtime.NumCPU())
	if err != nil {
		return err
	}
	again, err := measure("update", dir, runtime.NumCPU())
	if err != nil {
		return err
	}
	var page strings.Builder
	fmt.Fprintf(&page, "# A run that finds nothing new\n\n%s\n\n", machine())
	fmt.Fprintf(&page, "| %d names | seconds | CPU seconds | peak memory |\n|--:|--:|--:|--:|\n", 10*n)
	for i, r := range []run{first, again} {
		fmt.Fprintf(&page, "| %s | %.1f | %.1f | %v |\n", []string{"first run", "second run"}[i], r.Seconds, r.CPU, cli.ByteSize(r.Bytes))
	}
	fmt.Print(page.String())
	return os.WriteFile(filepath.Join(*output, "update.md"), []byte(page.String()), 0o666)
}

// compare measures all kinds over the files in a directory.
func compare(dir string) ([]result, error) {
	var results []result
	for n := 1; n <= runtime.NumCPU(); n *= 2 {
		results = append(results, result{workers: n})
	}
	for i := range *rounds {
		cmd, err := childOf("round", dir, 0, strings.Fields(*by)...)
		if err != nil {
			return nil, err
		}
		out, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		var round [][len(kinds)]run
		if err := json.Unmarshal(out, &round); err != nil {
			return nil, err
		}
		for i, runs := range round {
			results[i].rounds = append(results[i].rounds, runs)
		}
		log.Printf("round %d: %s", i+1, out)
	}
	return results, nil
}

// round measures all kinds once, in random order, and prints that as JSON: the runs of each kind
// for each number of workers.
func round() error {
	var all [][len(kinds)]run
	for n := 1; n <= runtime.NumCPU(); n *= 2 {
		var runs [len(kinds)]run
		for _, kind := range rand.Perm(len(kinds)) {
			var err error
			if runs[kind], err = measure(kinds[kind], *dir, n); err != nil {
				return fmt.Errorf("%s: %w", kinds[kind], err)
			}
			if err := os.RemoveAll(filepath.Join(*dir, "out")); err != nil {
				return err
			}
		}
		all = append(all, runs)
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

// machine returns what was measured on, and when.
func machine() string {
	return fmt.Sprintf("%s, %d CPUs · %s %s/%s · %s", cpu.Name(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly))
}

// write writes a page with the results for a number of files, and prints it.
func write(name, title string, files int, results []result) error {
	var page strings.Builder
	fmt.Fprintf(&page, "# %s\n\n%s · %d files, medians of %d rounds\n\n", title, machine(), files, *rounds)
	fmt.Fprintf(&page, "The more time of the pipeline is that in the same round, with the quartiles of all rounds.\n\n")
	fmt.Fprintf(&page, "| workers | | images a second | CPU seconds | peak memory | more time of the pipeline |\n|--:|---|--:|--:|--:|--:|\n")
	for _, r := range results {
		for kind, name := range []string{"loop", "loop that writes", "pipeline"} {
			more := ""
			if kind < len(kinds)-1 {
				more = r.overhead(kind)
			}
			m := r.median(kind)
			fmt.Fprintf(&page, "| %d | %s | %.3g | %.1f | %.0f MiB | %s |\n", r.workers, name, float64(files)/m.Seconds, m.CPU, float64(m.Bytes)/(1<<20), more)
		}
	}
	fmt.Print(page.String())
	return os.WriteFile(filepath.Join(*output, name), []byte(page.String()), 0o666)
}

// childOf returns the command that is a child, run by others if there are any.
func childOf(kind, dir string, workers int, by ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append(by, self, "-child="+kind, "-dir="+dir, "-workers="+strconv.Itoa(workers), "-n="+strconv.Itoa(*count))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// fill makes files, small or photos.
func fill(kind, dir string) error {
	cmd, err := childOf(kind, dir, 0, strings.Fields(*by)...)
	if err != nil {
		return err
	}
	return cmd.Run()
}

// measure runs a child with the given number of workers.
func measure(kind, dir string, workers int) (run, error) {
	cmd, err := childOf(kind, dir, workers)
	if err != nil {
		return run{}, err
	}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return run{}, err
	}
	end := cmd.ProcessState
	const unit = 1024 // of Linux; it is 1 elsewhere
	return run{
		Seconds: time.Since(start).Seconds(),
		CPU:     (end.UserTime() + end.SystemTime()).Seconds(),
		Bytes:   unit * int64(end.SysUsage().(*syscall.Rusage).Maxrss),
	}, nil
}

// fileName returns the name of a file by its number.
func fileName(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("%06d.jpg", i)) }

// photosCount returns the number of photos.
func photosCount() int { return max(*count/20, 2) }

// photos returns the images that files are made of. They are not in the memory of this program
// while it measures, for Linux counts that to the peak memory of what it starts.
func photos() ([]image.Image, error) {
	names, err := filepath.Glob("../testdata/photos/*.png")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("no photos in ../testdata/photos")
	}
	var images []image.Image
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		img, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		images = append(images, img)
	}
	return images, nil
}

// makeFiles writes JPEG files: parts of the photos, of many sizes and half of them flipped. Of a
// hundred, one is cut off, and the first of all is a decompression bomb.
func makeFiles() error {
	images, err := photos()
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range *count {
		data, err := encode(cut(images[i%len(images)], random))
		if err != nil {
			return err
		}
		switch {
		case i == 0:
			// The header of the frame says 65,500 by 65,500 pixels.
			frame := bytes.Index(data, []byte{0xff, 0xc0})
			copy(data[frame+5:], []byte{0xff, 0xdc, 0xff, 0xdc})
		case i%100 == 99:
			data = data[:len(data)/2]
		}
		if err := os.WriteFile(fileName(*dir, i), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// makePhotos writes JPEG files of 12 megapixels, each of which has one of the photos in eightfold
// size or so.
func makePhotos() error {
	images, err := photos()
	if err != nil {
		return err
	}
	const width, height = 4000, 3000
	for i := range photosCount() {
		if i >= len(images) {
			if err := os.Link(fileName(*dir, i%len(images)), fileName(*dir, i)); err != nil {
				return err
			}
			continue
		}
		img := image.NewRGBA(image.Rect(0, 0, width, height))
		warp.Resize(img, images[i])
		data, err := encode(img)
		if err != nil {
			return err
		}
		if err := os.WriteFile(fileName(*dir, i), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func encode(img image.Image) ([]byte, error) {
	var file bytes.Buffer
	err := jpeg.Encode(&file, img, &jpeg.Options{Quality: 90})
	return file.Bytes(), err
}

// cut returns a part of an image, at least half as wide and high as it is.
func cut(img image.Image, random *rand.Rand) image.Image {
	size := img.Bounds().Size()
	w, h := size.X/2+random.IntN(size.X/2), size.Y/2+random.IntN(size.Y/2)
	at := img.Bounds().Min.Add(image.Pt(random.IntN(size.X-w+1), random.IntN(size.Y-h+1)))
	part := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(part, part.Rect, img, at, draw.Src)
	if random.IntN(2) == 0 {
		return part
	}
	for y := range h {
		for x := range w / 2 {
			a, b := part.RGBAAt(x, y), part.RGBAAt(w-1-x, y)
			part.SetRGBA(x, y, b)
			part.SetRGBA(w-1-x, y, a)
		}
	}
	return part
}
