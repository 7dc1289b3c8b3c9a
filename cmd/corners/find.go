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

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

// A config is what the command line of corners asks for.
type config struct {
	output
	methodInfo
	flags      *cli.Set
	method     method
	methodName string
	jobs       int
	roi        roi                           // or empty
	maskFile   string                        // or empty
	mask       *files.Mask                   // made of maskFile, or nil
	args       []string                      // files and directories
	subject    string                        // what the name of the method is in JSON
	shows      string                        // what the pictures show, which ends their names
	others     []files.Input                 // images that are read besides
	inColor    func(img *image.RGBA) finding // in place of that of the method, or nil
	untimed    bool                          // the table has no times
}

// define defines the flags that all methods have.
func (c *config) define(flags *cli.Set) {
	flags.StringVar(&c.methodName, "method", methods[0].name, "use the method `NAME`")
	flags.StringVar(&c.maskFile, "mask", "", "search only where the image `FILE` is not black")
	flags.Bool("version", false, "print the version and exit")
	c.defineSearch(flags)
}

// defineSearch defines the flags of all searches.
func (c *config) defineSearch(flags *cli.Set) {
	flags.Var(&c.roi, "roi", "search only the region `X,Y,W,H`: its upper left pixel and its size")
	flags.IntIn(&c.jobs, "jobs", 0, cli.From(0, cli.Unlimited), "process `N` images at once; 0: one for each CPU")
	c.output.define(flags)
}

// find finds corners or keypoints in images.
func (s *session) find(args []string) error {
	cfg, err := parseFind(args, s.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	if err := s.checkWord(cfg.args); err != nil {
		return report.Usage(err)
	}
	s.begin(cfg.reporting)
	s.console.Say("looking for images")
	if cfg.maskFile != "" {
		if cfg.mask, err = s.reader.Mask(cfg.maskFile); err != nil {
			return err
		}
		cfg.others = []files.Input{cfg.mask.Input}
	}
	return s.findInAll(cfg)
}

// findInAll searches the images that the command line names.
func (s *session) findInAll(cfg config) error {
	inputs := s.reader.Images(cfg.args)
	if cfg.draw && len(inputs) > 0 {
		var err error
		if inputs, err = s.namePictures(cfg, inputs); err != nil {
			return err
		}
	}
	return s.findIn(cfg, inputs)
}

// parseFind reads the command line. If it asks for help or for the version, parseFind writes
// that to stdout and returns flag.ErrHelp.
func parseFind(args []string, stdout io.Writer) (config, error) {
	cfg := config{subject: "method", shows: "corners"}
	selected, err := selectMethod(methods, args, cfg.define)
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
func (s *session) namePictures(cfg config, inputs []files.Input) ([]files.Input, error) {
	target := files.NewTarget(cfg.path, cfg.force, slices.Concat(inputs, cfg.others), s.console.Stream())
	if target.IsOne() && len(inputs) > 1 {
		return nil, report.Usage(fmt.Errorf("%s: the name of one picture, for %d images", report.Printable(cfg.path), len(inputs)))
	}
	if err := s.drafts.MakeDir(target.Dir()); err != nil {
		return nil, err
	}
	var kept []files.Input
	for _, in := range inputs {
		stem := cfg.shows
		if own := in.Stem(); own != "" {
			stem = own + "-" + cfg.shows
		}
		var err error
		if in.Picture, err = target.Path(stem); err != nil {
			s.console.Fail(err)
			continue
		}
		kept = append(kept, in)
	}
	return kept, nil
}

// findIn searches the inputs, and writes the report and the pictures.
func (s *session) findIn(cfg config, inputs []files.Input) error {
	search := newSearch(s.life.Early, &cfg, inputs, s.reader, s.drafts, s.console)
	out := results{console: s.console, drafts: s.drafts, report: newReport(s.life.Late, cfg, s.console.Stdout), force: cfg.force}
	lifetime.InOrder(s.life.Early, s.life.Late, len(inputs), cmp.Or(cfg.jobs, runtime.GOMAXPROCS(0)), search.process, func(o outcome) {
		defer search.reported(o.i)
		if out.broken == nil && o.res.dropped {
			again, late := lifetime.Await(s.life.Late, func() outcome { return search.again(o) })
			o.err = cmp.Or(late, again.err)
		}
		if out.add(o) {
			search.done.Add(1)
		} else if out.broken != nil {
			s.life.End()
		}
	})
	s.console.EndProgress()
	s.console.Left = ""
	if n := int(search.done.Load()); n < len(inputs) {
		s.console.Left = fmt.Sprintf("%d of %d images are done", n, len(inputs))
	}
	return out.close(cfg.output)
}

// Results are what is found in images, on its way to the report and the places of the pictures.
type results struct {
	console *report.Console
	drafts  *files.Drafts
	report  resultsReport
	force   bool     // overwrite any file
	drawn   []string // the pictures in their places
	broken  error    // standard output
}

// add reports what was found in an image, if nothing failed, and returns whether that is done.
func (r *results) add(o outcome) bool {
	if r.broken != nil || errors.Is(o.err, context.Canceled) {
		return false
	}
	if o.err == nil && o.res.picture != "" {
		if o.err = r.drafts.Publish(o.res.draft, o.res.picture, r.force); o.err == nil {
			r.drawn = append(r.drawn, o.res.picture)
		}
	}
	if o.err != nil {
		r.console.Fail(o.err)
		return true
	}
	r.console.Pause(func() { r.broken = r.report.add(*o.res) })
	return r.broken == nil
}

// close writes what is left of the report, and tells of the pictures.
func (r *results) close(out output) error {
	if r.broken != nil {
		return r.broken
	}
	if err := r.report.close(); err != nil || len(r.drawn) == 0 {
		return err
	}
	return r.console.SayWritten(out.format, r.drawn)
}
