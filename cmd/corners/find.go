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

	"github.com/fastcorners/fast/internal/cli"
	"github.com/fastcorners/fast/internal/photo"
)

// A config is what the command line of corners asks for.
type config struct {
	output
	methodInfo
	flags      *cli.Set
	method     method
	methodName string
	jobs       int
	roi        roi      // or empty
	maskFile   string   // or empty
	mask       *mask    // made of maskFile, or nil
	args       []string // files and directories
}

// define defines the flags that all methods have.
func (c *config) define(flags *cli.Set) {
	flags.StringVar(&c.methodName, "method", methods[0].name, "use the method `NAME`")
	flags.Var(&c.roi, "roi", "search only the region `X,Y,W,H`: its upper left pixel and its size")
	flags.StringVar(&c.maskFile, "mask", "", "search only where the image `FILE` is not black")
	flags.IntIn(&c.jobs, "jobs", 0, cli.From(0, cli.Unlimited), "process `N` images at once; 0: one for each CPU")
	flags.Bool("version", false, "print the version and exit")
	c.output.define(flags)
}

// find finds corners or keypoints in images.
func (s *session) find(args []string) error {
	cfg, err := parseFind(args, s.stdout)
	if err != nil {
		return usageError{err}
	}
	s.begin(cfg.reporting)
	s.progress.say("looking for images")
	if cfg.maskFile != "" {
		if cfg.mask, err = s.reader.loadMask(cfg.maskFile); err != nil {
			return err
		}
	}
	inputs := s.reader.findInputs(cfg.args)
	if cfg.draw && len(inputs) > 0 {
		if inputs, err = s.namePictures(cfg, inputs); err != nil {
			return err
		}
	}
	return s.findIn(cfg, inputs)
}

// parseFind reads the command line. If it asks for help or for the version, parseFind writes
// that to stdout and returns flag.ErrHelp.
func parseFind(args []string, stdout io.Writer) (config, error) {
	var cfg config
	selected, err := selectMethod(args, cfg.define)
	if err != nil {
		return config{}, err
	}
	switch {
	case selected.help && selected.named:
		printMethodHelp(stdout, selected.methodInfo)
		return config{}, flag.ErrHelp
	case selected.help:
		printHelp(stdout)
		return config{}, flag.ErrHelp
	case selected.version:
		fmt.Fprintln(stdout, version())
		return config{}, flag.ErrHelp
	}
	cfg.methodInfo = selected.methodInfo
	cfg.method = cfg.new()
	cfg.flags = cli.New(cfg.define, cfg.method.define)
	if cfg.args, err = cfg.flags.Parse(args); err != nil {
		return config{}, err
	}
	if err := cfg.output.check(cfg.flags); err != nil {
		return config{}, err
	}
	return cfg, cfg.method.prepare(cfg.workers)
}

// namePictures gives each input the path of its picture. It reports, and leaves out, those
// whose picture would replace a file that must not be replaced.
func (s *session) namePictures(cfg config, inputs []input) ([]input, error) {
	read := slices.Clone(inputs)
	if cfg.mask != nil {
		read = append(read, cfg.mask.input)
	}
	target := newTarget(cfg.output, read)
	if target.file != "" && len(inputs) > 1 {
		return nil, usageError{fmt.Errorf("%s: the name of one picture, for %d images", printable(cfg.path), len(inputs))}
	}
	if err := s.makeDir(target.dir); err != nil {
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

// findIn searches the inputs, and writes the report and the pictures.
func (s *session) findIn(cfg config, inputs []input) error {
	type outcome struct {
		i   int
		res *result
		err error
	}
	memory := newPool(s.ctx, s.reader.memory)
	for _, in := range inputs {
		memory.hold(len(in.data))
	}
	var done atomic.Int32
	process := func(i int, res *result) outcome {
		err := s.process(cfg, i, &inputs[i], memory, res, func(stage string) {
			share := ""
			if len(inputs) > 1 {
				share = fmt.Sprintf("%d/%d  ", done.Load(), len(inputs))
			}
			s.progress.say("%s%s %s", share, stage, printable(inputs[i].name))
		})
		return outcome{i, res, err}
	}
	work := func(i int) outcome {
		return process(i, &result{name: inputs[i].name, picture: inputs[i].picture})
	}
	rep := newReport(s.late, cfg, s.stdout)
	var drawn []string
	var broken error // standard output
	inOrder(s.ctx, s.late, len(inputs), cmp.Or(cfg.jobs, runtime.GOMAXPROCS(0)), work, func(o outcome) {
		defer func() {
			memory.reported(o.i, len(inputs[o.i].data))
			inputs[o.i].data = nil
		}()
		if broken == nil && o.res.dropped {
			again, late := await(s.late, func() outcome { return process(o.i, o.res) })
			o.err = cmp.Or(late, again.err)
		}
		if broken != nil || errors.Is(o.err, context.Canceled) {
			return
		}
		if o.err == nil && o.res.picture != "" {
			if o.err = s.drafts.publish(o.res.draft, o.res.picture, cfg.force); o.err == nil {
				drawn = append(drawn, o.res.picture)
			}
		}
		if o.err != nil {
			s.fail(o.err)
		} else if s.progress.pause(func() { broken = rep.add(*o.res) }); broken != nil {
			s.cancel()
			return
		}
		done.Add(1)
	})
	s.progress.end()
	s.left = ""
	if n := int(done.Load()); n < len(inputs) {
		s.left = fmt.Sprintf("%d of %d images are done", n, len(inputs))
	}
	if broken == nil {
		broken = rep.close()
	}
	if broken == nil && len(drawn) > 0 {
		broken = s.announce(cfg.output, drawn)
	}
	return broken
}

// A result is the result for an image.
type result struct {
	name       string
	size       image.Point
	nsPerPixel float64 // measured for the table only
	picture    string  // path of the picture, or empty
	draft      string  // of the picture
	dropped    bool    // the finding was
	finding
}

// process searches input i and draws its picture, unless it has a draft of that. It calls
// stage with what it is about to do.
func (s *session) process(cfg config, i int, in *input, memory *pool, res *result, stage func(string)) error {
	stage("reading")
	if err := s.reader.readOnce(in, memory.hold); err != nil {
		return named(in.name, err)
	}
	data := int64(len(in.data)) // which the input holds
	var held, lists int64       // bytes of memory: of all but the data, and of lists
	release := func() {
		if held > 0 {
			memory.release(held)
		}
		held = 0
	}
	defer release()
	drawing := cfg.draw && res.draft == ""
	var img photo.Photo
	var gray, mask *image.Gray
	for {
		var err error
		img, err = s.reader.load(*in, drawing, cfg.method.memory(), func(need int64) error {
			err := memory.acquire(i, need-data+lists)
			if err == nil {
				held = need - data + lists
			}
			return err
		})
		if err != nil {
			return err
		}
		if gray, mask, err = cfg.region(img.Gray()); err != nil {
			return named(in.name, err)
		}
		if lists > 0 {
			break
		}
		// To assume the worst saves a search.
		if more := cfg.method.lists(gray, true); memory.more(more) {
			held += more
			break
		}
		more := cfg.method.lists(gray, false)
		if err := photo.CheckMemory(img.Size(), photo.ByteSize(data+held+more), s.reader.memory); err != nil {
			return named(in.name, err)
		}
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if more == 0 || memory.more(more) {
			held += more
			break
		}
		// To wait for more with the image in memory, as others may do, could last for ever.
		release()
		lists = more
	}
	stage("searching")
	res.size, res.finding = img.Size(), cfg.method.find(gray, mask)
	if cfg.format == formatTable {
		res.nsPerPixel = measure(cfg.method, gray)
	}
	var err error
	if drawing && s.ctx.Err() == nil {
		stage("drawing")
		canvas := img.Canvas()
		res.draw(canvas)
		res.draft, err = s.drafts.write(s.ctx, res.picture, canvas)
	}
	if cfg.format == formatTable {
		res.finding = finding{cells: res.cells} // without the list
	}
	if err == nil && res.bytes > 0 {
		memory.keep(i, res)
	}
	return cmp.Or(err, s.ctx.Err())
}

// measure returns the median time in nanoseconds per pixel that the method takes
// for img. Since one run on a small image is too short for the clock, there are up to
// a hundred, for about ten milliseconds at most.
func measure(m method, img *image.Gray) float64 {
	var times []float64
	repeat := m.repeater()
	for start := time.Now(); len(times) < 100 && time.Since(start) < 10*time.Millisecond; {
		t := time.Now()
		repeat(img)
		times = append(times, float64(time.Since(t).Nanoseconds()))
	}
	return median(times) / float64(max(1, img.Rect.Dx()*img.Rect.Dy()))
}
