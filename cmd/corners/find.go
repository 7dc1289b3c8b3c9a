package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// A config is what the command line asks for.
type config struct {
	output
	jobs       int
	methodName string
	method     method
	roi        roi      // or empty
	maskFile   string   // or empty
	mask       *mask    // made of maskFile, or nil
	args       []string // files and directories
}

// define defines the flags that all methods have.
func (c *config) define(flags *flag.FlagSet) {
	flags.StringVar(&c.methodName, "method", methods[0].name, "take the method `NAME`")
	flags.Var(&c.roi, "roi", "take a region only: `X,Y,W,H`, its upper left pixel and its size")
	flags.StringVar(&c.maskFile, "mask", "", "keep only what is where the image `FILE` is not black")
	flags.IntVar(&c.jobs, "jobs", 0, "take `N` images at once; 0: one for each CPU")
	flags.Bool("version", false, "tell the version, and nothing else")
	c.output.define(flags)
}

// find finds corners or keypoints in images.
func (s *session) find(args []string) {
	cfg, err := parse(args, s.stdout)
	if err != nil {
		s.failUsage(err)
		return
	}
	s.begin(cfg.output)
	s.progress.say("looking for images")
	if cfg.maskFile != "" {
		if cfg.mask, err = s.loadMask(cfg.maskFile); err != nil {
			s.fail(err)
			return
		}
	}
	inputs := s.findInputs(cfg.args)
	if cfg.draw && len(inputs) > 0 {
		if inputs, err = s.namePictures(cfg, inputs); err != nil {
			s.fail(err)
			return
		}
	}
	s.findIn(cfg, inputs)
}

// parse reads the command line. Asked for help, or for the version, it writes that to
// stdout and returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	var cfg config
	chosen, err := chooseMethod(args, new(config).define)
	if err != nil {
		return config{}, err
	}
	cfg.method = chosen.new()
	switch {
	case chosen.help && chosen.named:
		printMethodHelp(stdout, chosen.name, cfg.method)
		return config{}, flag.ErrHelp
	case chosen.help:
		printHelp(stdout)
		return config{}, flag.ErrHelp
	}
	flags := newFlagSet(cfg.define, cfg.method.define)
	if cfg.args, err = parseFlags(flags, args); err != nil {
		return config{}, err
	}
	if flags.Lookup("version").Value.String() == "true" {
		fmt.Fprintln(stdout, version())
		return config{}, flag.ErrHelp
	}
	if err := cmp.Or(cfg.check(flags), checkLeast("jobs", cfg.jobs, 0)); err != nil {
		return config{}, err
	}
	return cfg, cfg.method.prepare(cfg.workers)
}

// namePictures gives each input the path of its picture. It leaves out those whose picture
// would replace what must not be replaced.
func (s *session) namePictures(cfg config, inputs []input) ([]input, error) {
	read := slices.Clone(inputs)
	if cfg.mask != nil {
		read = append(read, cfg.mask.input)
	}
	target := cfg.target(read)
	if target.file != "" && len(inputs) > 1 {
		return nil, fmt.Errorf("%s: the name of one picture, for %d images", printable(cfg.path), len(inputs))
	}
	if err := makeDir(target.dir); err != nil {
		return nil, err
	}
	var kept []input
	for _, in := range inputs {
		stem := "corners"
		if own := in.stem(); own != "" {
			stem = own + "-corners"
		}
		var err error
		if in.picture, err = target.path(stem); err != nil {
			s.fail(err)
			continue
		}
		kept = append(kept, in)
	}
	return kept, nil
}

// findIn finds what there is in the inputs, and writes the report and the pictures.
func (s *session) findIn(cfg config, inputs []input) {
	type outcome struct {
		res result
		err error
	}
	jobs := cfg.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	memory := semaphore.NewWeighted(int64(s.memory))
	var done atomic.Int32
	share := func() string {
		if len(inputs) == 1 {
			return ""
		}
		return fmt.Sprintf("%d/%d  ", done.Load(), len(inputs))
	}
	work := func(i int) (o outcome) {
		o.res, o.err = s.process(cfg, inputs[i], memory, func(stage string) {
			s.progress.say("%s%s %s", share(), stage, printable(inputs[i].name))
		})
		return o
	}
	rep := newReport(cfg, s.stdout)
	var drawn []string
	var broken error // standard output
	inOrder(s.ctx, len(inputs), jobs, work, func(o outcome) {
		switch {
		case broken != nil || errors.Is(o.err, context.Canceled):
			return
		case o.err != nil:
			s.fail(o.err)
		default:
			if s.progress.pause(func() { broken = rep.add(o.res) }); broken != nil {
				s.cancel()
			}
			if o.res.picture != "" {
				drawn = append(drawn, o.res.picture)
			}
		}
		done.Add(1)
	})
	s.endProgress()
	if broken == nil {
		broken = rep.close()
	}
	if broken == nil && len(drawn) > 0 {
		broken = s.announce(cfg.output, drawn)
	}
	if broken != nil {
		s.failOutput(broken)
	}
	s.left = ""
	if n := int(done.Load()); n < len(inputs) {
		s.left = fmt.Sprintf("%d of %d images are done", n, len(inputs))
	}
}

// A result is what was found in an image.
type result struct {
	name       string
	size       image.Point
	nsPerPixel float64 // measured for the table only
	picture    string  // path of the picture, or empty
	finding
}

// process finds what is in an input and draws its picture. It calls stage with what it is
// about to do.
func (s *session) process(cfg config, in input, memory *semaphore.Weighted, stage func(string)) (result, error) {
	stage("reading")
	var held int64
	defer func() { memory.Release(held) }()
	img, err := s.load(in, cfg.draw, cfg.method.memory(), func(need int64) error {
		err := memory.Acquire(s.ctx, need)
		if err == nil {
			held = need
		}
		return err
	})
	if err != nil {
		return result{}, named(in.name, err)
	}
	gray, mask := img.Gray(), (*image.Alpha)(nil)
	if cfg.mask != nil {
		mask, err = cfg.mask.of(gray.Rect)
	}
	if err == nil {
		gray, mask, err = cfg.roi.cut(gray, mask)
	}
	if err != nil {
		return result{}, named(in.name, err)
	}
	if s.ctx.Err() != nil {
		return result{}, s.ctx.Err()
	}
	stage("searching")
	res := result{name: in.name, size: img.Size(), picture: in.picture, finding: cfg.method.find(gray, mask)}
	if cfg.format == formatTable {
		res.nsPerPixel = measure(cfg.method, gray)
	}
	if res.picture == "" || s.ctx.Err() != nil {
		return res, s.ctx.Err()
	}
	stage("drawing")
	canvas := img.Canvas()
	res.drawOn(canvas)
	if err := s.writePicture(res.picture, cfg.force, canvas); err != nil {
		return result{}, named(res.picture, err)
	}
	return res, nil
}

// measure returns the median time in nanoseconds per pixel that the method takes
// for img. One run of a small image is too short for the clock: it takes up to a
// hundred, but no more than about ten milliseconds.
func measure(m method, img *image.Gray) float64 {
	var times []time.Duration
	repeat := m.repeater()
	for start := time.Now(); len(times) < 100 && time.Since(start) < 10*time.Millisecond; {
		t := time.Now()
		repeat(img)
		times = append(times, time.Since(t))
	}
	slices.Sort(times)
	pixels := max(1, img.Rect.Dx()*img.Rect.Dy())
	return float64(times[len(times)/2].Nanoseconds()) / float64(pixels)
}
