package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/cmd/corners/internal/video"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
	"github.com/fastcorners/fast/y4m"
)

// A stabilizeConfig is what the command line of corners stabilize asks for.
type stabilizeConfig struct {
	stabilizeFlags
	in, out string

	stabilizer *stabilize.Stabilizer
	warper     *warp.Warper
}

// stabilizeFlags are the flags of corners stabilize.
type stabilizeFlags struct {
	opts   stabilize.Options
	memory cli.ByteSize
	format string // of the report
	report string // its path, or empty
	path   string // that of the picture of the path of the camera, or empty
	force  bool
	encode string // arguments for ffmpeg
	says   bool   // show how ffmpeg is run, and what it says
}

func (f *stabilizeFlags) define(flags *cli.Set) {
	f.memory, f.format = cli.GiB, report.FormatCSV
	f.opts.Kind = geometry.Affine
	flags.Named(&f.opts.Kind, f.opts.Kind.UnmarshalText, "model", "model the motion by this `KIND` of transform", models[1:]...)
	flags.IntIn(&f.opts.Points, "points", 500, cli.From(20, 1e5), "follow up to `N` corners")
	flags.IntIn(&f.opts.Interval, "interval", 10, cli.From(1, 1000), "find corners again every `N` frames")
	flags.IntIn(&f.opts.SmoothingRadius, "radius", 30, cli.From(1, 1000), "smooth over `N` frames before and after each frame")
	flags.BoolVar(&f.opts.Online, "online", false, "use only earlier frames, without delay")
	flags.FloatIn(&f.opts.Zoom, "zoom", 1.1, cli.From(1, 10), "enlarge frames by `Z`, to leave room for corrections")
	flags.FloatIn(&f.opts.MaxZoom, "max-zoom", 0, cli.From(0, 10), "enlarge up to `Z` times where the path needs it; 0: as -zoom")
	flags.BoolVar(&f.opts.Borders, "borders", false, "correct more than there is room for, so that edges are seen")
	flags.IntIn(&f.opts.Workers, "workers", -1, cli.From(-1, cli.Unlimited), "share a frame among `N` goroutines; -1: all CPUs")
	flags.StringVar(&f.report, "report", "", "write the motion of each frame to `PATH`; -: standard output")
	flags.Var(cli.OneOf(&f.format, []string{report.FormatCSV, report.FormatJSON}), "format", "write the report as `FORMAT`: csv or json")
	flags.StringVar(&f.path, "path", "", "draw the path, before and after, into `PATH`, an SVG file")
	flags.StringVar(&f.encode, "encode", "", "encode with these `ARGS` of ffmpeg, such as \"-c:v libx265 -crf 22\"")
	flags.BoolVar(&f.says, "v", false, "show how ffmpeg is run, and its warnings")
	flags.BoolVar(&f.force, "f", false, "overwrite files")
	flags.Var(&f.memory, "memory", "use `SIZE` of memory at most, such as 500MiB")
}

// parseStabilize reads the command line of corners stabilize as parseFind does that of corners.
func parseStabilize(args []string, stdout io.Writer) (cfg stabilizeConfig, err error) {
	flags := cli.New(cfg.stabilizeFlags.define)
	names, err := flags.Parse(args)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printStabilizeHelp(stdout)
		}
		return stabilizeConfig{}, err
	}
	switch {
	case len(names) != 2:
		return cfg, fmt.Errorf("corners stabilize needs a video to read and one to write, not %d names", len(names))
	case cfg.encode != "" && !video.IsEncoded(names[1]):
		return cfg, errors.New("flag -encode is for a video that ffmpeg encodes, not for Y4M")
	case flags.IsGiven("format") && cfg.report == "":
		return cfg, errors.New("flag -format needs flag -report")
	case cfg.opts.MaxZoom != 0 && cfg.opts.MaxZoom < cfg.opts.Zoom:
		return cfg, fmt.Errorf("invalid value %v for flag -max-zoom: want %v (-zoom) to 10", cfg.opts.MaxZoom, cfg.opts.Zoom)
	}
	cfg.in, cfg.out = names[0], names[1]
	if cfg.stabilizer, err = stabilize.New(cfg.opts); err == nil {
		cfg.warper, err = warp.New(warp.Options{Border: border.Replicate, Workers: cfg.opts.Workers})
	}
	return cfg, err
}

// stabilizeBytes is the number of bytes for each pixel that following takes at most: the search,
// and three copies of the luma with their pyramids.
const stabilizeBytes = 40

// stabilize removes the shaking from a video.
func (s *session) stabilize(args []string) error {
	cfg, err := parseStabilize(args, s.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	if err := cfg.compare(s.reader.Stdin(), s.console.Stream()); err != nil {
		return err
	}
	s.begin(reporting{memory: cfg.memory, format: report.FormatTable})
	if cfg.says {
		s.ffmpeg.Show = s.console.Stderr
	}
	in, err := s.ffmpeg.Open(s.reader, cfg.in)
	if err != nil {
		return report.Named(cfg.in, report.Reason(err))
	}
	defer in.Close()
	header := in.Header()
	size := image.Pt(header.Width, header.Height)
	frames := cli.ByteSize(video.FramesHeld(&cfg.opts) * header.FrameSize())
	if err := cli.CheckMemory(size, cli.Memory(size, stabilizeBytes)+frames, s.reader.Memory()); err != nil {
		return report.Named(cfg.in, fmt.Errorf("%w, of which the frames of flag -radius take %v", err, frames))
	}
	out := files.Outputs{Drafts: s.drafts, Stdout: s.console.Stdout, Force: cfg.force}
	main, err := s.ffmpeg.Create(&out, cfg.out, in, cfg.encode)
	if err != nil {
		return err
	}
	list, err := out.CreateNamed(cfg.report)
	if err != nil {
		return err
	}
	picture, err := out.CreateNamed(cfg.path)
	if err != nil {
		return err
	}
	log := newShakeLog(size)
	lines := &shakeReport{w: list, format: cfg.format, size: size}
	var writer *y4m.Writer // from the first frame on
	s.life.Drains.Store(true)
	pipeline := video.Pipeline{Stabilizer: cfg.stabilizer, Warper: cfg.warper}
	broken, err := pipeline.Run(s.life.Early, in.Reader, func(f *y4m.Frame, r *stabilize.Result) error {
		if writer == nil {
			var err error
			if writer, err = y4m.NewWriter(main, header); err != nil {
				return err
			}
		}
		if err := writer.Write(f); err != nil {
			return err
		}
		if list != nil {
			if err := lines.add(r); err != nil {
				return err
			}
		}
		log.add(r)
		s.console.SayFrame(r.Frame, in.Frames)
		s.console.Left = fmt.Sprintf("%d frames are written", log.frames)
		return nil
	})
	if err == nil && writer == nil {
		if broken != nil || s.life.Interrupted() {
			return cfg.inputError(broken)
		}
		_, err = y4m.NewWriter(main, header) // a video without frames
	}
	if err == nil && picture != nil {
		err = log.draw(picture)
	}
	for _, t := range []*files.Sink{main, list, picture} {
		if err == nil && t != nil {
			err = t.Finish()
		}
	}
	if err != nil {
		return err
	}
	if !s.life.Interrupted() {
		s.console.Left = ""
	}
	s.console.EndProgress()
	var w io.Writer = s.console.Stdout
	if slices.Contains([]string{cfg.out, cfg.report, cfg.path}, report.Stdio) {
		w = s.console.Stderr
	}
	fmt.Fprintln(w, log.summary())
	return cfg.inputError(broken) // what came before a frame that cannot be read is done
}

// inputError returns an error of reading, if there is one, with the name of the video.
func (cfg *stabilizeConfig) inputError(err error) error {
	if err == nil {
		return nil
	}
	return report.Named(cfg.in, report.Reason(err))
}

// outputName returns the name of an output for messages.
func outputName(path string) string {
	if path == report.Stdio {
		return "standard output"
	}
	return report.Printable(path)
}

// compare returns an error if an output is the video that is read or another output. It opens
// nothing.
func (cfg *stabilizeConfig) compare(stdin io.Reader, stdout io.Writer) error {
	type output struct{ flag, what, path string }
	outputs := []output{{"OUT: ", "the video", cfg.out}, {"flag -report: ", "the report", cfg.report}, {"flag -path: ", "the picture", cfg.path}}
	read, standard := files.PlaceOf(cfg.in, stdin), files.PlaceOf(report.Stdio, stdout)
	for i, o := range outputs {
		if o.path == "" {
			continue
		}
		p := files.PlaceOf(o.path, stdout)
		if p.Is(read) {
			return fmt.Errorf("%s: this video is read, and never overwritten", outputName(o.path))
		}
		for _, other := range outputs[:i] {
			if other.path == "" {
				continue
			}
			if o.path == report.Stdio && other.path == report.Stdio || p.Is(files.PlaceOf(other.path, stdout)) {
				return report.Usage(fmt.Errorf("%s%s goes to %s", o.flag, other.what, outputName(o.path)))
			}
		}
		if o.path != report.Stdio && p.Is(standard) {
			return report.Named(o.path, errors.New("standard output goes to this file"))
		}
	}
	return nil
}
