package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"io"
	"slices"
	"strings"

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

const stabilizeIntro = `Usage: corners stabilize [flags] IN OUT

Corners stabilize removes the shaking from a video:

  corners stabilize in.mp4 out.mp4

It reads and writes Y4M with samples of 8 to 16 bits; - means standard input
or standard output. Samples are resampled with all bits; corners are followed
on the upper 8 bits of luma. Everything else needs ffmpeg and ffprobe in PATH:
a file that does not begin as Y4M is decoded, and OUT is encoded according to
its extension, if it has one other than .y4m.

It follows corners from frame to frame and back, finds the motion that most of
them agree with, smooths the path of the camera, and moves each frame to where
it would have been on the smooth path. A frame that shows something else
begins a new path.

The motion (-model) is affine where that fits clearly better than a
similarity, as with rolling shutters, and otherwise a similarity: rotation,
scale and shift. The other kinds are the same as for corners match -model:
rigid is for cameras that keep their distance, translation for cameras that do
not turn either; homography needs many corners.

What does not move with the scene, such as a logo or a ticker, would hold the
picture still: leave it out with -ignore.

Flags, before or after the files:
`

const stabilizeRest = `
OUT has the size, the chroma and all parameters of IN. Interlaced video is
refused: deinterlace it before, for example with ffmpeg -vf yadif. Frames are
enlarged (-zoom), and corrections limited, so that no edges are seen. With
-max-zoom the zoom glides between both, as large as the path needs it. With
-borders there is no limit, and the pixels at the edges are repeated.

With ffmpeg, OUT has the rate, the sample aspect, the range, matrix, primaries
and transfer of the colors, and the bits of IN, and its sound, subtitles,
chapters and title. They are copied; what the format of OUT cannot hold is
encoded again or left out, and a message says so. Pixels that Y4M does not
have, such as RGB, are converted, and frames whose rate varies get the mean
rate, with a message, too. A video with a display rotation is rotated. Alpha,
covers, data, and HDR information about the display are lost. The encoder is
the one that ffmpeg takes for the format, with -crf 18; -encode gives
arguments instead, separated by spaces. -v shows all arguments. Some encoders
take only even sides: -encode "-crf 18 -vf crop=320:240" cuts off the rest.

With Y4M and pipes, the last ffmpeg takes from the original what Y4M does not
have:

  ffmpeg -i in.mp4 -strict -1 -f yuv4mpegpipe - | corners stabilize - - |
  ffmpeg -color_range tv -colorspace bt709 -color_trc bt709 \
      -color_primaries bt709 -i - -i in.mp4 -map 0:v -map 1:a? \
      -c:a copy -crf 18 out.mp4

Take the names of the colors from the output of ffprobe in.mp4.

Results come -radius frames after their frames, which wait in memory. With
-online they come at once, but shaking is not removed as well.

The report (-report) has a line for each frame, in csv after a header:

  frame     the number, from 0
  status    followed; cut: a path begins; blank: there is too little to
            follow; glitch: the frame does not belong to those around, which
            agree
  points    the number of corners that were followed, forward and back
  inliers   the number of them that agree with the motion
  dx, dy    how far the middle of the picture moved, in pixels
  rotation  around the middle, in degrees, from the x axis toward the y axis
  scale     of lengths
  limited   whether the zoom left too little room for the whole correction
  departure the distance of the middle from the smooth path because of that,
            in pixels; also in frames before and after

The picture (-path) shows the position of the middle of the picture and its
rotation, before and after, and the limits: within the bands around the lines
before, no edge of the frame comes into view, given the rotation after. Red
marks are limited frames. The shake reported at the end is the mean change of
the motion from frame to frame.

Corners stabilize reads, follows, resamples and writes at the same time. A
stream that ends early is an error, and so is a signal; all frames read by
then are written, and if there are none, there is no OUT. A second signal ends
it at once, without OUT, unless it comes within a second of the first:
timeout, among others, sends two.

No output may be the file of IN or of another output, by whatever name. Where
an output is a symbolic link, the file that it leads to is replaced.

Examples:

  corners stabilize -encode "-c:v libx265 -crf 20" shaky.mov smooth.mp4
  corners stabilize shaky.y4m smooth.y4m
  corners stabilize -radius 60 -zoom 1.2 -report r.csv -path p.svg a.y4m b.y4m
  corners stabilize -zoom 1 -max-zoom 1.3 shaky.y4m smooth.y4m
  corners stabilize -ignore 0,0,1280,90 -ignore 1100,600,140,80 tv.mp4 out.mp4
  corners stabilize -online -workers 1 - - <a.y4m >b.y4m

To name a file stabilize, write ./stabilize.
`

// printStabilizeHelp writes what corners stabilize -h says.
func printStabilizeHelp(w io.Writer) {
	printAll(w, stabilizeIntro, cli.New(new(stabilizeFlags).define), stabilizeRest)
}

// A stabilizeConfig is what the command line of corners stabilize asks for.
type stabilizeConfig struct {
	stabilizeFlags
	in, out string

	warper *warp.Warper
}

// stabilizeFlags are the flags of corners stabilize.
type stabilizeFlags struct {
	opts   stabilize.Options
	ignore regions
	memory cli.ByteSize
	format string // of the report
	report string // its path, or empty
	path   string // that of the picture of the path of the camera, or empty
	force  bool
	encode string // arguments for ffmpeg
	says   bool   // show how ffmpeg is run, and what it says
}

func (f *stabilizeFlags) define(flags *cli.Set) {
	f.format = report.FormatCSV
	f.opts.Kind = geometry.Affine
	flags.Named(&f.opts.Kind, f.opts.Kind.UnmarshalText, "model", "model the motion by this `KIND` of transform", models[1:]...)
	flags.IntIn(&f.opts.Points, "points", 500, cli.From(20, 1e5), "follow up to `N` corners")
	flags.IntIn(&f.opts.Interval, "interval", 10, cli.From(1, 1000), "find corners again every `N` frames")
	flags.Var(&f.ignore, "ignore", "follow nothing in the region `X,Y,W,H`; may be repeated")
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
	defineMemory(flags, &f.memory)
}

// parseStabilize reads the command line of corners stabilize as parseDetect does that of corners.
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
		return cfg, fmt.Errorf("corners stabilize needs a video to read and one to write, not %s", report.Count(len(names), "name", "names"))
	case cfg.encode != "" && !video.IsEncoded(names[1]):
		return cfg, errors.New("flag -encode is for a video that ffmpeg encodes, not for Y4M")
	case flags.IsGiven("format") && cfg.report == "":
		return cfg, errors.New("flag -format needs flag -report")
	case cfg.opts.MaxZoom != 0 && cfg.opts.MaxZoom < cfg.opts.Zoom:
		return cfg, fmt.Errorf("invalid value %v for flag -max-zoom: want %v (-zoom) to 10", cfg.opts.MaxZoom, cfg.opts.Zoom)
	}
	cfg.in, cfg.out = names[0], names[1]
	cfg.warper, err = warp.New(warp.Options{Border: border.Replicate, Workers: cfg.opts.Workers})
	return cfg, err
}

// A regions is the flag of regions of a picture.
type regions []cli.Region

func (r *regions) String() string {
	var all []string
	for _, one := range *r {
		all = append(all, one.String())
	}
	return strings.Join(all, " ")
}

func (r *regions) Set(text string) error {
	var one cli.Region
	err := one.Set(text)
	if err == nil {
		*r = append(*r, one)
	}
	return err
}

// mask returns a mask for frames of a size that is 0 in the regions, or nil if there are none. It fails
// if a region is not within the frames.
func (r regions) mask(size image.Point) (*image.Gray, error) {
	if len(r) == 0 {
		return nil, nil
	}
	mask := image.NewGray(image.Rectangle{Max: size})
	draw.Draw(mask, mask.Rect, image.White, image.Point{}, draw.Src)
	for _, one := range r {
		if !one.In(mask.Rect) {
			return nil, fmt.Errorf("the region %v is not within its %d x %d pixels", &one, size.X, size.Y)
		}
		draw.Draw(mask, one.Rectangle, image.Black, image.Point{}, draw.Src)
	}
	return mask, nil
}

const (
	// stabilizeBytes is the number of bytes for each pixel that following takes at most: the search,
	// and three copies of the luma with their pyramids.
	stabilizeBytes = 40
	// maskBytes is that of a mask, and of what package stabilize makes of it.
	maskBytes = 3
)

// runStabilize removes the shaking from a video.
func runStabilize(p *program, args []string) error {
	cfg, err := parseStabilize(args, p.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	if err := compareOutputs(cfg.in, cfg.outputs(), p.reader.Stdin(), p.console.Stream()); err != nil {
		return err
	}
	p.begin(reporting{memory: cfg.memory, format: report.FormatTable})
	if cfg.says {
		p.ffmpeg.Show = p.console.Stderr
	}
	in, err := p.ffmpeg.Open(p.reader, cfg.in, video.Use{Even: true, Command: "corners stabilize - OUT", Writing: "corners stabilize IN - | ..."})
	if err != nil {
		return report.Named(cfg.in, report.Reason(err))
	}
	defer in.Close()
	header := in.Header()
	size := image.Pt(header.Width, header.Height)
	frames := cli.ByteSize(video.FramesHeld(&cfg.opts) * header.FrameSize())
	perPixel := int64(stabilizeBytes)
	if len(cfg.ignore) > 0 {
		perPixel += maskBytes
	}
	if err := p.reader.Check(size, cli.Memory(size, perPixel)+frames); err != nil {
		return report.Named(cfg.in, fmt.Errorf("%w, of which the frames of flag -radius take %v", err, frames))
	}
	if cfg.opts.Mask, err = cfg.ignore.mask(size); err != nil {
		return report.Named(cfg.in, err)
	}
	stabilizer, err := stabilize.New(cfg.opts)
	if err != nil {
		return err
	}
	out := files.Outputs{Drafts: p.drafts, Stdout: p.console.Stdout, Force: cfg.force}
	encoded, err := p.ffmpeg.Create(&out, cfg.out, in, cfg.encode)
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
	var unlisted error     // of the report, which does not end the video
	p.life.Drains.Store(true)
	pipeline := video.Pipeline{Stabilizer: stabilizer, Warper: cfg.warper}
	broken, err := pipeline.Run(p.life.Early, in.Reader, func(f *y4m.Frame, r *stabilize.Result) error {
		if writer == nil {
			var err error
			if writer, err = y4m.NewWriter(encoded, header); err != nil {
				return err
			}
		}
		if err := writer.Write(f); err != nil {
			return err
		}
		if list != nil && unlisted == nil {
			unlisted = lines.add(r)
		}
		log.add(r)
		p.console.SayFrame(r.Frame, in.Frames)
		p.console.Left = report.Count(log.frames, "frame is", "frames are") + " written"
		return nil
	})
	if err == nil && writer == nil {
		if broken != nil || p.life.Interrupted() {
			return cfg.inputError(broken)
		}
		_, err = y4m.NewWriter(encoded, header) // a video without frames
	}
	if err == nil {
		err = encoded.Finish()
	}
	if err != nil {
		return err
	}
	// The video is complete, whatever becomes of the rest.
	if unlisted == nil && list != nil {
		unlisted = list.Finish()
	}
	var undrawn error
	if picture != nil {
		if undrawn = log.draw(picture); undrawn == nil {
			undrawn = picture.Finish()
		}
	}
	if !p.life.Interrupted() {
		p.console.Left = ""
	}
	p.console.EndProgress()
	var w io.Writer = p.console.Stdout
	if slices.Contains([]string{cfg.out, cfg.report, cfg.path}, report.Stdio) {
		w = p.console.Stderr
	}
	fmt.Fprintln(w, log.summary())
	p.console.Fail(unlisted)
	p.console.Fail(undrawn)
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

// A videoOutput is where a command writes what it makes of a video, by a flag or an argument.
type videoOutput struct{ flag, what, path string }

// outputs returns all of them.
func (cfg *stabilizeConfig) outputs() []videoOutput {
	return []videoOutput{{"OUT: ", "the video", cfg.out}, {"flag -report: ", "the report", cfg.report}, {"flag -path: ", "the picture", cfg.path}}
}

// compareOutputs returns an error if an output is the video that is read or another output. It opens
// nothing.
func compareOutputs(in string, outputs []videoOutput, stdin io.Reader, stdout io.Writer) error {
	read, standard := files.PlaceOf(in, stdin), files.PlaceOf(report.Stdio, stdout)
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
