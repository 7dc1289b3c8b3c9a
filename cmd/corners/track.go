package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/overlay"
)

const trackIntro = `Usage: corners track [flags] A B...
       corners track [flags] VIDEO

Corners track finds corners in the first image, as corners -method shi-tomasi
does, and follows them from image to image by Lucas-Kanade optical flow. When
too few are left (-refill), it finds new ones away from them. A directory
stands for all images in it, in the order of their names; all must have the
same size.

A VIDEO is a file in the format Y4M, of which the upper 8 bits are used, or
anything else that ffmpeg decodes, if ffmpeg and ffprobe are in PATH. Standard
input (-) is Y4M:

  ffmpeg -i clip.mp4 -f yuv4mpegpipe - | corners track -

A corner is lost when it leaves the image, when there is nothing to follow or,
with -confirm, when following it back does not end where it began.

Flags, before or after the files:
`

const trackRest = `
The report is written while frames are read:

  table  a line for each frame: its number, how many corners were found and
         lost and are new, the median of the distances that they moved, in
         pixels, the time in milliseconds without reading, and the name of the
         image
  csv    a header and then a line for each corner of each frame:
         frame,track,x,y,error,status
  json   a line for each frame, an object: frame, image (unless it is a
         video), motion and points, an array of objects with the other columns
         of csv

A track has the same number in all frames. The error is the mean difference of
gray values. The status is new, found, or why a corner was lost, with the x
and y at which the search ended: outside (of the image), flat (too little
structure), lost or unconfirmed.

The responses of new corners (-quality) are compared with the largest one in
the parts of the image where no corner is followed. The luma of a video is not
stretched from its usual range, 16 to 235, so errors are smaller in
proportion.

The picture B-tracks.png, or stdin-tracks.png for standard input, shows the
last image with the corners and their paths (-trail). With -every there is one
for every Nth frame, such as stdin-tracks-000120.png. What corners -method
shi-tomasi -h says about images, memory and pictures applies here, too. A
stream that ends early is an error; complete frames have been reported.

Examples:

  corners track a.png b.png c.png
  corners track frames/ -format csv >tracks.csv
  corners track clip.mp4
  ffmpeg -i a.mp4 -f yuv4mpegpipe - | corners track -every 30 -o out -

To name a file track, write ./track.
`

// printTrackHelp writes what corners track -h says.
func printTrackHelp(w io.Writer) {
	var cfg trackConfig
	printAll(w, trackIntro, cli.New(cfg.trackFlags.define, cfg.output.define), trackRest)
}

// A trackConfig is what the command line of corners track asks for.
type trackConfig struct {
	output
	trackFlags
	flags *cli.Set
	names []string

	detector *harris.Detector
	tracker  *flow.Tracker
}

// trackFlags are the flags of corners track alone.
type trackFlags struct {
	corners  harris.Options
	flow     flow.Options
	window   int
	refill   float64
	trail    int
	interval int
}

func (f *trackFlags) define(flags *cli.Set) {
	flags.IntIn(&f.corners.MaxCorners, "corners", 500, cli.From(1, 1e6), "follow up to `N` corners at a time")
	flags.FloatIn(&f.corners.Quality, "quality", 0.01, cli.Above(0, 1), "begin with responses above `Q` times the largest")
	flags.FloatIn(&f.corners.MinDistance, "distance", 10, cli.From(1, 1e6), "begin with corners at least `D` pixels apart")
	flags.IntIn(&f.window, "window", 21, cli.From(3, 255), "compare windows of `N` by N pixels, 3 to 255")
	flags.IntIn(&f.flow.Levels, "levels", 4, cli.From(1, cli.Unlimited), "search `N` levels of different sizes; 1 is the image")
	flags.FloatIn(&f.flow.Confirm, "confirm", 0.5, cli.From(0, cli.Unlimited), "follow back, too, to within `D` pixels; 0 does not")
	flags.BoolVar(&f.flow.RemoveMean, "remove-mean", false, "allow for changes in brightness")
	flags.FloatIn(&f.refill, "refill", 0.8, cli.From(0, 1), "find new corners when fewer than this `SHARE` are left")
	flags.IntIn(&f.trail, "trail", 20, cli.From(0, 1e6), "draw where a corner was in the last `N` frames")
	flags.IntIn(&f.interval, "every", 0, cli.From(0, cli.Unlimited), "draw every `N`th frame; 0 draws only the last one")
}

// What corners track takes at most.
const (
	trackBytes    = 40  // for each pixel of a frame: the search, two pyramids, a mask and the frame before
	cornerBytes   = 300 // for each corner that is followed, with its line of the report
	positionBytes = 16  // for each position of a trail
)

// runTrack follows corners from image to image.
func runTrack(p *program, args []string) error {
	cfg, err := parseTrack(args, p.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	p.begin(cfg.reporting)
	lists := cli.ByteSize(cfg.corners.MaxCorners) * cli.ByteSize(cornerBytes+positionBytes*cfg.trail)
	if lists > p.reader.Memory() {
		return fmt.Errorf("flags -corners and -trail: %v of memory are needed, more than %v (-memory)", lists, p.reader.Memory())
	}
	p.reader.Reserve(lists)
	source, err := openFrames(p, cfg)
	if err != nil {
		return err
	}
	defer source.close()
	target := files.NewTarget(cfg.path, cfg.force, source.inputs(), p.console.Stream())
	if cfg.draw {
		if err := p.drafts.MakeDir(target.Dir(), "pictures of tracks"); err != nil {
			return err
		}
		if target.IsOne() { // which must not turn out to be in use when all is done
			if _, err := target.Path(""); err != nil {
				return err
			}
		}
	}
	var pictures []string
	draw := func(f *following, frame frame) error {
		path, err := target.Path(frame.stem)
		if err != nil {
			return err
		}
		picture := overlay.Canvas(frame.seen)
		overlay.Tracks(picture, f.trails())
		if err := p.drafts.Save(p.life.Early, path, picture, cfg.force); err != nil {
			return err
		}
		pictures = append(pictures, path)
		return nil
	}

	follower := newFollowing(&cfg)
	lines := newTrackReport(p.life.Late, p.console.Stdout, cfg.format)
	var last frame
	drawn := false // the last frame
	for {
		p.console.Say("frame %d", follower.frames)
		next, ended := source.next()
		if ended != nil {
			// What came before a frame that cannot be read counts.
			if ended != io.EOF {
				p.console.Fail(ended)
			}
			break
		}
		last, drawn = next, false
		if err := lines.add(next, follower.step(next.gray)); err != nil {
			return err
		}
		p.console.Left = fmt.Sprintf("the report ends with frame %d", follower.frames-1)
		if n := cfg.interval; cfg.draw && n > 0 && (follower.frames-1)%n == 0 {
			last.stem += fmt.Sprintf("-%06d", follower.frames-1)
			if err := draw(follower, last); err != nil {
				return err
			}
			drawn = true
		}
		if err := p.life.Early.Err(); err != nil {
			return err
		}
	}
	p.console.Left = ""
	if cfg.draw && !drawn && follower.frames > 0 {
		if err := draw(follower, last); err != nil {
			return err
		}
	}
	p.console.EndProgress()
	if len(pictures) == 0 {
		return nil
	}
	return p.console.SayWritten(cfg.format, pictures)
}

// parseTrack reads the command line of corners track as parseDetect does that of corners.
func parseTrack(args []string, stdout io.Writer) (cfg trackConfig, err error) {
	cfg.flags = cli.New(cfg.output.define, cfg.trackFlags.define)
	if cfg.names, err = cfg.output.parse(cfg.flags, args, stdout, printTrackHelp); err != nil {
		return trackConfig{}, err
	}
	if len(cfg.names) == 0 {
		return trackConfig{}, errors.New("corners track needs images, or a video")
	}
	if cfg.interval > 0 && files.IsPNG(cfg.path) && !files.IsDir(cfg.path) {
		return trackConfig{}, errors.New("flag -every draws several pictures: -o must be a directory")
	}
	f := &cfg.trackFlags
	f.corners.Workers, f.flow.Workers = cfg.workers, cfg.workers
	f.flow.Window = image.Pt(f.window, f.window)
	if cfg.detector, err = harris.New(f.corners); err == nil {
		cfg.tracker, err = flow.New(f.flow)
	}
	return cfg, err
}

// A trackReport writes what frames have brought, each as soon as it is done.
type trackReport struct {
	ctx    context.Context // ends lists early
	w      io.Writer
	format string
	csv    report.CSV
	begun  bool
}

func newTrackReport(ctx context.Context, w io.Writer, format string) *trackReport {
	return &trackReport{ctx: ctx, w: w, format: format, csv: report.NewCSV(w)}
}

// add writes a frame.
func (r *trackReport) add(f frame, res trackedFrame) error {
	first := !r.begun
	r.begun = true
	switch r.format {
	case report.FormatCSV:
		return r.addCSV(first, res)
	case report.FormatJSON:
		return r.addJSON(f, res)
	}
	if first {
		fmt.Fprintf(r.w, "%-8s%-8s%-8s%-8s%-10s%-10s%s\n", "FRAME", "FOUND", "LOST", "NEW", "MOTION", "MS", "IMAGE")
	}
	_, err := fmt.Fprintf(r.w, "%-8d%-8d%-8d%-8d%-10.2f%-10.3f%s\n", res.number, res.found, len(res.points)-res.begun-res.found, res.begun,
		res.motion, res.time.Seconds()*1e3, printableName(f.name))
	return err
}

// printableName is printable for a name that may be empty.
func printableName(name string) string {
	if name == "" {
		return ""
	}
	return report.Printable(name)
}

func (r *trackReport) addCSV(first bool, res trackedFrame) error {
	if first {
		r.csv.Add("frame", "track", "x", "y", "error", "status")
	}
	for _, p := range res.points {
		r.csv.Add(report.Texts([]any{res.number, p.id, p.point.X, p.point.Y, p.err, p.status})...)
		if err := r.ctx.Err(); err != nil {
			r.csv.Flush()
			return err
		}
	}
	return r.csv.Flush()
}

func (r *trackReport) addJSON(f frame, res trackedFrame) error {
	return report.WriteObject(r.ctx, r.w, func(o *report.Object) {
		o.Add("frame", res.number)
		if f.name != "" {
			o.Add("image", f.name)
		}
		o.Add("motion", res.motion)
		o.List("points", len(res.points), func(i int, o *report.Object) {
			p := res.points[i]
			o.Add("track", p.id)
			o.Add("x", p.point.X)
			o.Add("y", p.point.Y)
			o.Add("error", p.err)
			o.Add("status", p.status)
		})
	})
}
