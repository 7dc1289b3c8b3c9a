package main

import (
	"cmp"
	"flag"
	"fmt"
	"image"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/overlay"
)

// A config is what the command line asks for.
type config struct {
	output
	methodName string
	method     method
	maskFile   string   // or empty
	mask       *mask    // made of maskFile, or nil
	args       []string // files and directories
}

// define defines the flags that all methods have.
func (c *config) define(flags *flag.FlagSet) {
	flags.StringVar(&c.methodName, "method", methods[0].name, "take the method `NAME`")
	flags.StringVar(&c.maskFile, "mask", "", "keep only what is where the image `FILE` is not black")
	c.output.define(flags)
}

// find finds corners or keypoints in images.
func (s *session) find(args []string) {
	cfg, err := parse(args, s.stdout)
	if err != nil {
		s.failUsage(err)
		return
	}
	if cfg.maskFile != "" {
		if cfg.mask, err = loadMask(cfg.maskFile); err != nil {
			s.fail(err)
			return
		}
	}
	inputs := findInputs(cfg.args, s.fail)
	if !cfg.noPicture && len(inputs) > 0 {
		if err := makeDir(cfg.dir); err != nil {
			s.fail(err)
			return
		}
		read := inputs
		if cfg.mask != nil {
			read = append(slices.Clone(inputs), cfg.mask.input)
		}
		namePictures(inputs, read, cfg.dir)
	}

	bar := newBar(len(inputs), cfg.format, s.stdout, s.stderr)
	rep := newReport(cfg.format, s.stdout, cfg.method)
	var drawn []string
	for _, in := range inputs {
		res, err := process(cfg, in)
		if err != nil {
			bar.Clear()
			s.fail(err)
		} else if err := rep.add(res); err != nil {
			bar.Clear()
			s.failOutput(err)
			return
		} else if res.picture != "" {
			drawn = append(drawn, res.picture)
		}
		bar.Add(1)
	}
	err = rep.close()
	if err == nil && len(drawn) > 0 {
		err = s.announce(cfg.output, drawn)
	}
	if err != nil {
		s.failOutput(err)
	}
}

// parse reads the command line. Asked for help, it writes that to stdout and
// returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	given := scan(args) // which flags there are depends on one of them
	name, named := given["method"]
	if !named {
		name = methods[0].name
	}
	var cfg config
	var err error
	if cfg.method, err = newMethod(name); err != nil {
		return config{}, err
	}
	if _, help := given["help"]; help {
		if named {
			printMethodHelp(stdout, name, cfg.method)
		} else {
			printHelp(stdout)
		}
		return config{}, flag.ErrHelp
	}
	flags := newFlagSet(cfg.define, cfg.method.define)
	for _, flag := range slices.Sorted(maps.Keys(given)) {
		if flags.Lookup(flag) == nil {
			return config{}, fmt.Errorf("flag -%s is not for method %s", flag, name)
		}
	}
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	cfg.args = flags.Args()
	if err := cmp.Or(cfg.check(), checkArgs(cfg.args)); err != nil {
		return config{}, err
	}
	return cfg, cfg.method.prepare(cfg.workers)
}

// A result is what was found in an image.
type result struct {
	name       string
	size       image.Point
	nsPerPixel float64 // measured for the table only
	picture    string  // path of the picture, or empty
	finding
}

// process finds what is in an input and draws its picture.
func process(cfg config, in input) (result, error) {
	img, err := in.load()
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", in.name, err)
	}
	gray := fast.Gray(img)
	var mask *image.Alpha
	if cfg.mask != nil {
		if err := cfg.mask.fits(gray.Rect.Size()); err != nil {
			return result{}, fmt.Errorf("%s: %w", in.name, err)
		}
		mask = cfg.mask.at(gray.Rect.Min)
	}
	res := result{
		name:    in.name,
		size:    gray.Rect.Size(),
		picture: in.picture,
		finding: cfg.method.find(gray, mask),
	}
	if cfg.format == formatTable {
		res.nsPerPixel = measure(cfg.method, gray)
	}
	if res.picture != "" {
		canvas := overlay.Canvas(img)
		res.drawOn(canvas)
		if err := writePNG(res.picture, canvas); err != nil {
			return result{}, fmt.Errorf("%s: %w", res.picture, reason(err))
		}
	}
	return res, nil
}

// measure returns the median time in nanoseconds per pixel that the method takes
// for img. One run of a small image is too short for the clock: it takes up to a
// hundred, but no more than about ten milliseconds.
func measure(m method, img *image.Gray) float64 {
	var times []time.Duration
	for start := time.Now(); len(times) < 100 && time.Since(start) < 10*time.Millisecond; {
		t := time.Now()
		m.repeat(img)
		times = append(times, time.Since(t))
	}
	slices.Sort(times)
	pixels := max(1, img.Rect.Dx()*img.Rect.Dy())
	return float64(times[len(times)/2].Nanoseconds()) / float64(pixels)
}
