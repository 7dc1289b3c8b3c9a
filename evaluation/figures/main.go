// Figures measures the library and draws the results: plots as SVG, pictures
// as PNG and tables as Markdown.
//
//	go run ./figures [-quick] [-machine NAME] [-o DIR] [NAME ...]
//
// Without names it makes all figures. What depends on the machine goes into its folder of
// evaluation/results, and the rest beside it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A figure is one of the results, or several that belong together.
type figure struct {
	name  string
	timed bool // or the same on each machine
	// run returns the files. It returns a skipError where the machine
	// lacks what it needs.
	run func(s *session) (map[string][]byte, error)
}

var figures = []figure{
	{"scaling", true, scaling},
	{"checks", false, checkMaps},
	{"shapes", true, shapes},
	{"shares", false, shares},
	{"roofline", true, roofline},
	{"stages", true, stages},
	{"peers", true, withPeers(comparePeers)},
	{"fast", true, withPeers(compareFAST)},
	{"harris", true, withPeers(compareHarris)},
	{"lococo", true, withPeers(compareLoCoCo)},
	{"sizes", true, compareSizes},
	{"small", true, small},
	{"threads", true, withPeers(compareThreads)},
	{"orb", true, withPeers(compareORB)},
	{"match", true, withPeers(compareMatching)},
	{"lengths", true, withPeers(compareLengths)},
	{"vectors", true, withPeers(compareVectors)},
	{"sift", true, withPeers(compareSIFT)},
	{"geometry", true, withPeers(compareGeometry)},
	{"pose", true, withPeers(comparePose)},
	{"targets", true, withPeers(compareTargets)},
	{"flow", true, withPeers(compareFlow)},
	{"warp", true, withPeers(compareWarp)},
	{"resize", true, withPeers(compareResize)},
	{"locate", true, withPeers(compareLocate)},
	{"tag", true, withPeers(compareTags)},
	{"calibrate", true, withPeers(compareCalibrations)},
	{"stabilize", true, withPeers(compareStabilizers)},
	{"steady", false, withPeers(compareSteadiness)},
	{"repeatability", false, repeatability},
	{"matching", false, matchViews},
	{"neon", false, neon},
	{"hashes", false, hashes},
}

// A session is what the figures have in common.
type session struct {
	root   string // directory of the library
	photos []*image.Gray
	quick  bool
	parts  []string // of figure locate that are measured, or none for all
	dir    string   // where the results of the figure are
	stamp  stamp
	title  string // of the progress bar
	bar    *progressbar.ProgressBar
	// spreads are those of all times that were measured for the figure.
	spreads []float64
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("figures: ")
	quick := flag.Bool("quick", false, "measure small images a few times, to see that everything works; needs -o")
	machine := flag.String("machine", "", "write what depends on the machine into evaluation/results/`NAME`")
	dir := flag.String("o", "", "write everything into `DIR` instead")
	parts := flag.String("parts", "", "of figure locate measure only the parts `NAMES`, with commas between them, and take the others from its CSV")
	remote := flag.String("remote", "", "internal: race kernel avx512-64x1 as `SPEC` says and print the result")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./figures [-quick] [-machine NAME] [-o DIR] [NAME ...]")
		flag.PrintDefaults()
		fmt.Fprintln(os.Stderr, "names:", strings.Join(names(), " "))
	}
	flag.Parse()
	s, err := newSession(*quick)
	if err != nil {
		log.Fatal(err)
	}
	if *remote != "" {
		if err := s.serveRace(*remote, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	if *dir == "" && *quick {
		log.Fatal("-quick needs -o: its numbers are not worth keeping")
	}
	if *parts != "" {
		s.parts = strings.Split(*parts, ",")
	}
	if err := s.make(flag.Args(), *dir, *machine); err != nil {
		log.Fatal(err)
	}
}

func newSession(quick bool) (*session, error) {
	root, err := tree.Root()
	if err != nil {
		return nil, err
	}
	photos, err := tree.Photos()
	if err != nil {
		return nil, err
	}
	return &session{
		root:   root,
		photos: photos,
		quick:  quick,
		stamp:  newStamp(root),
		bar:    progressbar.DefaultSilent(1), // until a figure begins its own
	}, nil
}

// names returns the names of the figures.
func names() []string {
	var list []string
	for _, f := range figures {
		list = append(list, f.name)
	}
	return list
}

// make makes the figures of these names, or all, and writes their files into dir, or into the
// results if it is empty. When one fails it goes on with the others.
func (s *session) make(wanted []string, dir, machine string) error {
	for _, name := range wanted {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("no figure is called %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(figures), func(f figure) bool { return len(wanted) > 0 && !slices.Contains(wanted, f.name) })
	results := filepath.Join(s.root, "evaluation", "results")
	if dir == "" && machine == "" {
		for _, f := range chosen {
			if f.timed {
				return fmt.Errorf("%s depends on the machine: -machine names the folder for it in %s", f.name, results)
			}
		}
	}
	var errs []error
	for i, f := range chosen {
		s.title = fmt.Sprintf("%d/%d %s", i+1, len(chosen), f.name)
		s.spreads = nil
		switch {
		case dir != "":
			s.dir = dir
		case f.timed:
			s.dir = filepath.Join(results, machine)
		default:
			s.dir = results
		}
		start := time.Now()
		files, err := f.run(s)
		s.bar.Clear()
		var skipped skipError
		if errors.As(err, &skipped) {
			log.Printf("%s: %v; what is in %s stays as it is", f.name, err, s.dir)
			continue
		}
		if err == nil {
			err = writeFiles(s.dir, files)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
			continue
		}
		log.Printf("%s: %s in %.1f s", f.name, strings.Join(slices.Sorted(maps.Keys(files)), ", "), time.Since(start).Seconds())
		if noise := s.noise(); noise.large > 0 {
			log.Printf("%s: %v", f.name, noise)
		}
	}
	return errors.Join(errs...)
}

// A skipError says why a figure cannot be made on this machine.
type skipError string

func (e skipError) Error() string { return string(e) }

// steps begins a progress bar of n steps.
func (s *session) steps(n int) {
	s.bar = progressbar.NewOptions(n,
		progressbar.OptionSetDescription(s.title),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))),
		progressbar.OptionClearOnFinish(),
	)
}

// step advances the progress bar.
func (s *session) step() {
	s.bar.Add(1)
}

// A spec is a size of frames, how many there are, and for how many rounds they
// are measured.
type spec struct{ W, H, Frames, Rounds int }

func (c spec) String() string { return fmt.Sprintf("%dx%d", c.W, c.H) }

// steps returns how many steps a race of c takes.
func (c spec) steps() int { return c.Rounds + 1 }

// shorten returns c, or less of it in quick mode.
func (s *session) shorten(c spec) spec {
	if s.quick {
		c.W, c.H, c.Frames, c.Rounds = min(c.W, 320), min(c.H, 240), min(c.Frames, 2), 2
	}
	return c
}

// frames returns the frames of c, made of photos.
func (s *session) frames(c spec) []*image.Gray {
	return frames.Make(s.photos, c.W, c.H, c.Frames)
}

// tileSize is the size of tiles, in both directions.
const tileSize = 256

// tiled returns the frames of c, put together of square tiles of photos. Frames
// of all sizes that are multiples of a tile's show the same tiles equally often,
// so that they differ in nothing but their size.
func (s *session) tiled(c spec) []*image.Gray {
	size := min(tileSize, c.W, c.H)
	tiles := frames.Make(s.photos, size, size, 128)
	rng := rand.New(rand.NewPCG(1, 2))
	next := 0
	var list []*image.Gray
	for range c.Frames {
		img := image.NewGray(image.Rect(0, 0, c.W, c.H))
		for y := 0; y < c.H; y += size {
			for x := 0; x < c.W; x += size {
				// Another order each time.
				if next%len(tiles) == 0 {
					rng.Shuffle(len(tiles), func(i, j int) { tiles[i], tiles[j] = tiles[j], tiles[i] })
				}
				draw.Draw(img, image.Rect(x, y, x+size, y+size), tiles[next%len(tiles)], image.Point{}, draw.Src)
				next++
			}
		}
		list = append(list, img)
	}
	return list
}

// race measures FAST-10 detection by the kernels.
func (s *session) race(kernels []fast.Kernel, threshold uint8, c spec, list []*image.Gray) (measure.Result, error) {
	var contenders []func(*image.Gray)
	for _, k := range kernels {
		detect, err := measure.Detector(fast.Options{Kernel: k, Threshold: threshold})
		if err != nil {
			return measure.Result{}, err
		}
		contenders = append(contenders, detect)
	}
	r := measure.Race(contenders, list, frames.Pixels(list), c.Rounds, s.step)
	s.spreads = append(s.spreads, r.Spread...)
	return r, nil
}

// supported returns those of the kernels that this processor can run.
func supported(list ...fast.Kernel) []fast.Kernel {
	all := fast.Kernels()
	return slices.DeleteFunc(list, func(k fast.Kernel) bool { return !slices.Contains(all, k) })
}
