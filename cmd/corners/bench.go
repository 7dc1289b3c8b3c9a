package main

import (
	"flag"
	"fmt"
	"image"
	"io"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/clockrate"
	"github.com/fastcorners/fast/internal/program/frames"
)

const benchIntro = `Usage: corners bench [-method NAME] [flags] [FILE...]

Corners bench measures how fast a method is with each kernel that this
processor can run: the kernels of method fast, or the instruction sets that
the other methods use. One goroutine does the work, with the flags of the
method and without a mask. A FILE is an image or a directory, as for corners.
Each image is used as it is and, unless there are very many, flipped in three
ways. Without a FILE, corners bench uses parts of the program's own photo.

The kernels take turns. Each turn goes through all images, and the median of a
kernel's turns counts. Many images are best, such as the frames of a video: a
few images are repeated so often that the processor learns their branches, and
kernels with many branches (scalar and those named after a block of pixels)
look faster than they are.

Flags, before or after the files:
`

const benchReport = `
The report:

  table  a line for each kernel: its name, the time per pixel in nanoseconds,
         the millions of pixels per second, the pixels per cycle of the core,
         the speed relative to the first kernel, and a bar for the speed
  csv    a header and then a line for each kernel: method, kernel, frames,
         pixels (of all frames), rounds, ns_per_pixel, megapixels_per_second,
         pixels_per_cycle, speedup
  json   an array with an object for each kernel, which has the same members

With -share it is a block of Markdown to paste into an issue: the processor,
the versions, and all methods with their defaults, which takes a few minutes,
or the one that -method names.

The clock rate of the core is estimated by a chain of multiplications, on
amd64 only. On other processors there are no pixels per cycle.

Examples:

  corners bench
  corners bench -method orb -features 1000 frames/
  corners bench -share

To name a file bench, write ./bench.
`

// printBenchHelp writes what corners bench -h says.
func printBenchHelp(w io.Writer, m method.Info) {
	of := fmt.Sprintf("\nFlags of method %s:\n", m.Name)
	printAll(w, benchIntro, cli.New(new(benchConfig).define), of, cli.New(m.New().Define), benchReport)
}

// benchRounds is the number of turns of each method.Contender. The median of their times is
// reported.
const benchRounds = 9

// A benchConfig is what the command line of corners bench asks for.
type benchConfig struct {
	reporting
	methodName string
	method     method.Method // that all contenders have
	contenders []method.Contender
	time       time.Duration
	share      bool     // print what can be pasted into an issue
	named      bool     // the method was on the command line
	args       []string // files and directories
}

// define defines the flags of corners bench alone.
func (c *benchConfig) define(flags *cli.Set) {
	c.reporting.define(flags)
	flags.StringVar(&c.methodName, "method", method.All[0].Name, "measure the method `NAME`")
	flags.DurationVar(&c.time, "time", 3*time.Second, "measure for about `D`, or longer if the images need it")
	flags.BoolVar(&c.share, "share", false, "print a block for an issue, of all methods unless one is given")
}

// runBench measures how fast the implementations of a method, or of all of them, are.
func runBench(p *program, args []string) error {
	configs, err := parseBenches(args, p.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	cfg := configs[0]
	p.begin(cfg.reporting)
	var photos []*image.Gray
	var most cli.ByteSize // that measuring with a photo takes besides
	for _, in := range p.reader.Images(cfg.args) {
		p.console.Say("reading %s", report.Printable(in.Name))
		img, err := p.reader.Load(in, files.Purpose{Fits: func(size image.Point) error {
			for _, c := range configs {
				if err := c.method.Limit().Check("method "+c.methodName, size); err != nil {
					return err
				}
			}
			return nil
		}})
		if err != nil {
			p.console.Fail(err)
			continue
		}
		gray := img.Gray()
		size := cli.ByteSize(len(gray.Pix))
		need := cli.ByteSize(0)
		for i := range configs {
			need += configs[i].need(gray)
		}
		need = max(most, need)
		if err := p.reader.Check(img.Size(), size+need); err != nil {
			p.console.Fail(report.Named(in.Name, err))
			continue
		}
		p.reader.Reserve(size) // for as long as the session lasts
		photos, most = append(photos, gray), need
	}
	var speeds []speed
	if len(photos) > 0 {
		images := benchFrames(photos, len(cfg.args) == 0, p.reader.Memory()-most)
		for _, c := range configs {
			r := race{life: p.life, console: p.console, contenders: c.contenders, images: images}
			rounds := r.run(c.time / time.Duration(benchRounds*len(c.contenders)))
			p.console.Left = ""
			speeds = append(speeds, r.speeds(c.methodName, rounds)...)
			if rounds < benchRounds {
				p.console.Left = fmt.Sprintf("%d of %d rounds are done", rounds, benchRounds)
				break
			}
		}
	}
	p.console.EndProgress()
	if cfg.share {
		return writeShare(p.console.Stdout, speeds)
	}
	return writeSpeeds(p.console.Stdout, cfg.format, speeds)
}

// parseBenches reads the command line of corners bench, and returns what it asks for: a method, or
// several for -share.
func parseBenches(args []string, stdout io.Writer) ([]benchConfig, error) {
	cfg, err := parseBench(args, stdout)
	if err != nil || !cfg.share || cfg.named {
		return []benchConfig{cfg}, err
	}
	var list []benchConfig
	for _, m := range method.All {
		cfg, err := parseBench(append([]string{"-method", m.Name}, args...), stdout)
		if err != nil {
			return nil, err
		}
		list = append(list, cfg)
	}
	return list, nil
}

// parseBench reads the command line of corners bench for one method as parseDetect does that of
// corners.
func parseBench(args []string, stdout io.Writer) (cfg benchConfig, err error) {
	selected, err := method.Select(method.All, args, cfg.define)
	if err != nil {
		return benchConfig{}, err
	}
	if selected.Help {
		printBenchHelp(stdout, selected.Info)
		return benchConfig{}, flag.ErrHelp
	}
	if cfg.args, err = cli.New(cfg.define, selected.New().Define).Parse(args); err != nil {
		return benchConfig{}, err
	}
	if cfg.time < 0 {
		return benchConfig{}, fmt.Errorf("invalid value %v for flag -time: want 0s or more", cfg.time)
	}
	if cfg.named = selected.Named; cfg.share && cfg.format != report.FormatTable {
		return benchConfig{}, fmt.Errorf("flag -share is not for format %s", cfg.format)
	}
	fresh := func() method.Method {
		m := selected.New()
		cli.New(new(benchConfig).define, m.Define).Parse(args) // which has been parsed without an error
		return m
	}
	cfg.method = fresh()
	if err := cfg.method.Prepare(1); err != nil {
		return benchConfig{}, err
	}
	cfg.contenders, err = selected.Contenders(fresh)
	return cfg, err
}

// need returns the number of bytes that all contenders take at most to search an image: one
// at a time, but each keeps its lists.
func (c *benchConfig) need(img *image.Gray) cli.ByteSize {
	lists := int64(len(c.contenders)) * c.method.Lists(img, false)
	return cli.Memory(img.Rect.Size(), c.method.Memory()) + cli.ByteSize(lists)
}

// benchFrames returns the images to measure with: parts of the program's own
// photo in eight orientations, or the user's images, as they are and flipped in
// three ways. If these would be many, or take more memory than there is, there are only the
// photos.
func benchFrames(photos []*image.Gray, own bool, memory cli.ByteSize) []*image.Gray {
	const side, parts = 256, 32
	pixels := 4 * frames.Pixels(photos)
	if own {
		pixels = side * side * parts
	}
	if pixels > 1<<26 || cli.ByteSize(pixels) > memory {
		return photos
	}
	if own {
		return frames.Make(photos, side, side, parts)
	}
	var list []*image.Gray
	for _, photo := range photos {
		size := photo.Rect.Size()
		list = append(list, frames.Make([]*image.Gray{photo}, size.X, size.Y, 4)...)
	}
	return list
}

// A speed is the result for a method.Contender.
type speed struct {
	Method     string
	Kernel     string
	Frames     int
	Pixels     int // of all frames
	Rounds     int
	NsPerPixel float64 // nanoseconds per pixel
	Megapixels float64 // millions of pixels per second
	PerCycle   float64 // pixels per cycle of the core, or 0 where its clock rate is not known
	Speedup    float64 // relative to the first method.Contender
}

// A race measures contenders.
type race struct {
	life       *lifetime.Lifetime
	console    *report.Console
	contenders []method.Contender
	images     []*image.Gray
	times      [][]float64 // of each method.Contender, in nanoseconds per pixel
	perCycle   [][]float64 // pixels
}

// run measures all contenders in turns of the given length, since the speed of a machine may
// change meanwhile. It returns the number of complete rounds, which are fewer than there should
// be when the session ends early.
func (r *race) run(length time.Duration) (rounds int) {
	pixels := float64(frames.Pixels(r.images))
	r.times, r.perCycle = make([][]float64, len(r.contenders)), make([][]float64, len(r.contenders))
	for ; rounds < benchRounds; rounds++ {
		for i, c := range r.contenders {
			r.console.Say("round %d of %d: %s", rounds+1, benchRounds, c.Name)
			ns, err := lifetime.Await(r.life.Late, func() float64 { return r.turn(c, length) / pixels })
			if err != nil {
				break
			}
			r.times[i] = append(r.times[i], ns)
			r.perCycle[i] = append(r.perCycle[i], 1/(ns*clockrate.GHz()))
		}
		if r.life.Early.Err() != nil {
			break
		}
	}
	return rounds
}

// turn returns the number of nanoseconds that the method.Contender takes for all images. It goes
// through them repeatedly for the given time. If the session ends, the number means nothing.
func (r *race) turn(c method.Contender, length time.Duration) float64 {
	passes := 0
	start := time.Now()
	for passes == 0 || time.Since(start) < length {
		for _, img := range r.images {
			if r.life.Early.Err() != nil {
				return 1
			}
			c.Run(img)
		}
		passes++
	}
	return float64(time.Since(start).Nanoseconds()) / float64(passes)
}

// speeds returns the medians of complete rounds.
func (r *race) speeds(method string, rounds int) []speed {
	if rounds == 0 {
		return nil
	}
	first := median(r.times[0][:rounds])
	var speeds []speed
	for i, c := range r.contenders {
		ns := median(r.times[i][:rounds])
		v := speed{
			Method:     method,
			Kernel:     c.Name,
			Frames:     len(r.images),
			Pixels:     frames.Pixels(r.images),
			Rounds:     rounds,
			NsPerPixel: ns,
			Megapixels: 1e3 / ns,
			Speedup:    first / ns,
		}
		if clockrate.Known {
			v.PerCycle = median(r.perCycle[i][:rounds])
		}
		speeds = append(speeds, v)
	}
	return speeds
}

// median sorts the list and returns its middle element. It sorts by insertion, since package
// slices would make the program 4 KB larger.
func median(list []float64) float64 {
	for i := range list {
		for ; i > 0 && list[i] < list[i-1]; i-- {
			list[i], list[i-1] = list[i-1], list[i]
		}
	}
	return list[len(list)/2]
}
