package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/calibration"
	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/cmd/corners/internal/video"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
)

const calibrateIntro = `Usage: corners calibrate [flags] FILE...
       corners calibrate [flags] VIDEO
       corners calibrate -draw CxR [flags]

Corners calibrate measures a camera, with its lens, from photos of a
chessboard, or of a board with markers, -charuco or Kalibr's -aprilgrid, and
says how far it can be trusted. A FILE is a file or a directory, as for
corners, and a VIDEO a file as for corners track, or - if it is Y4M.

Take 10 to 30 photos with the same zoom and focus. Hold a flat board near and
far, in the middle and in the corners of the image, and let it lean by 30 to
40 degrees to all sides: views that face the camera do not tell the focal
length.

All views must have the same size and show a board of the same size: those of
most images count. Of a video, frames count in which the board does not move,
and is not where it was in other views (-views).

Flags, before or after the files:
`

const calibrateRest = `
The report:

  table  a line for each image, or frame that counts: its name, its size, the
         corners in a row and in a column of the board, those that are seen,
         the root mean square of their errors in pixels, the influence, and
         why it does not count; then the camera, with standard deviations, and
         what there is to say of it
  csv    a header and then a line for each corner of the views:
         image (or frame),world_x,world_y,x,y,error_x,error_y
  json   an object: file and picture (when they are written), square, or
         aprilgrid, size and gap, or charuco, square, marker, family and
         legacy, the flags distortion, fix and huber, width, height, model,
         camera and deviations (objects with the fields of the table), rms,
         sigma, converged, beyond, bend, uncertainty, halves, hint, and
         images, an array of objects, also with the pose of the board: the
         unit quaternion q and the translation t

The uncertainty is the standard deviation of where a thing far away is seen.
The influence is by how many standard deviations the camera would change
without a view. If the cameras of half of the views each differ by more than 3
times what is predicted, the model does not suit the lens, or a view is wrong;
this does not hold for -distortion 8.

The camera goes into the file camera.yaml, or that of -o, as OpenCV writes it,
or ROS (-ros), or into a .json file, with the numbers of the table: match, tag
and undistort read all of these (-camera). The picture camera-views.png shows
the corners of all views, their errors 20 times as long, and the uncertainty:
light green up to 0.1 pixel, green up to 0.3, yellow up to 1, orange up to 3,
red beyond. Nothing is written for csv and json without -o. A camera that
exists is replaced only with -f.

If the standard deviation of the focal length is more than 1 %, the exit
status is 1, and the camera is written only with -uncertain. What corners
-method fast -h says about images and memory applies here, too.

With -draw, corners calibrate draws a chessboard with C by R inner corners, or
a ChArUco board with C by R squares, into a .svg file whose unit is the
millimeter, or a .png file with -cell pixels for each square, or for each cell
of a marker; -o names the file. Print it without scaling, and glue it to
something flat. One side of a chessboard should be even and the other one odd.
Boards of Kalibr are drawn by corners tag.

Examples:

  corners calibrate photos/
  corners calibrate -board 9x6 -square 0.025 -o left.yaml left*.jpg
  corners calibrate -model kannala-brandt -o fisheye.json clip.mp4
  corners calibrate -aprilgrid 6x6 -size 0.088 -format json photos/
  corners calibrate -charuco 8x6 -square 0.03 photos/
  corners calibrate -draw 9x6 -square 25 -o board.svg
  corners calibrate -draw charuco:8x6 -square 30 -o charuco.svg
  corners tag -draw tag36h11:0 -sheet 6x6 -kalibr -size 88 -o aprilgrid.svg

To name a file calibrate, write ./calibrate.
`

// printCalibrateHelp writes what corners calibrate -h says.
func printCalibrateHelp(w io.Writer) {
	printAll(w, calibrateIntro, new(calibrateConfig).define(), calibrateRest)
}

// A calibrateConfig is what the command line of corners calibrate asks for.
type calibrateConfig struct {
	reporting
	calibration.Flags
	paper     calibration.Paper // or nil if images are read
	flags     *cli.Set
	args      []string
	path      string // of the camera, or of the directory for it
	ros       bool
	noPicture bool
	force     bool
	uncertain bool
	workers   int
	jobs      int
	views     int

	target     calibration.Target
	calibrator *calibrate.Calibrator
}

// define returns the flags.
func (cfg *calibrateConfig) define() *cli.Set {
	return cli.New(cfg.reporting.define, cfg.Flags.Define, func(flags *cli.Set) {
		flags.StringVar(&cfg.path, "o", ".", "write the camera into `PATH`, a directory or a .yaml or .json file")
		flags.BoolVar(&cfg.ros, "ros", false, "write the camera as ROS does, not as OpenCV")
		flags.BoolVar(&cfg.noPicture, "no-picture", false, "draw nothing")
		flags.BoolVar(&cfg.force, "f", false, "overwrite any file, not only pictures drawn by corners")
		flags.BoolVar(&cfg.uncertain, "uncertain", false, "write the camera even if its focal length is uncertain")
		flags.IntIn(&cfg.workers, "workers", 1, cli.From(-1, cli.Unlimited), "share an image among `N` goroutines; -1: all CPUs")
		flags.IntIn(&cfg.jobs, "jobs", 0, cli.From(0, cli.Unlimited), "process `N` images at once; 0: one for each CPU")
		flags.IntIn(&cfg.views, "views", 40, cli.From(1, 200), "take up to `N` views from a video, the most different ones")
	})
}

// runCalibrate finds a camera, or draws a board.
func runCalibrate(p *program, args []string) error {
	cfg := new(calibrateConfig)
	if err := cfg.parse(args, p.console.Stdout); err != nil {
		return report.Usage(err)
	}
	p.begin(cfg.reporting)
	if cfg.paper != nil {
		p.console.Say("drawing")
		return saveDrawing(p, cfg.paper, cfg.path, cfg.force)
	}
	p.console.Say("looking for images")
	isVideo := len(cfg.args) == 1 && p.reader.IsVideo(cfg.args[0])
	if err := cfg.checkVideo(isVideo); err != nil {
		return report.Usage(err)
	}
	search := searchBoards
	if isVideo {
		search = searchFrames
	}
	out := cameraOutput{cfg: cfg}
	images, err := search(p, cfg, &out)
	if err != nil || len(images) == 0 {
		return err
	}
	p.console.Say("calibrating")
	type solution struct {
		*calibration.Result
		err error
	}
	solved, err := lifetime.Await(p.life.Early, func() solution {
		res, err := calibration.Solve(cfg.calibrator, images)
		return solution{res, err}
	})
	if err != nil {
		return err
	}
	if solved.Solved() {
		if err := cfg.CheckSize(solved.Size); err != nil {
			return err
		}
	}
	p.console.EndProgress()
	if solved.err != nil && !cfg.uncertain {
		out.camera = nil
	}
	if err := cfg.write(p, solved.Result, &out, isVideo); err != nil {
		return err
	}
	p.console.Left = ""
	if solved.Solved() {
		if err := out.save(p, solved.Result); err != nil {
			return err
		}
	}
	return cfg.explain(solved.err)
}

// parse reads the command line of corners calibrate as parseDetect does that of corners.
func (cfg *calibrateConfig) parse(args []string, stdout io.Writer) (err error) {
	cfg.flags = cfg.define()
	cfg.args, err = cfg.flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		printCalibrateHelp(stdout)
	}
	if err == nil {
		cfg.paper, err = cfg.Paper(cfg.flags, cfg.args)
	}
	if err != nil || cfg.paper != nil {
		return err
	}
	extension := strings.ToLower(filepath.Ext(cfg.path))
	switch {
	case len(cfg.args) == 0:
		return errors.New("corners calibrate needs an image or more, a video, or flag -draw")
	case cfg.path == "" || !files.IsDir(cfg.path) && (files.IsImageName(cfg.path) || extension == ".svg" || extension == ".xml"):
		return fmt.Errorf("invalid value %q for flag -o: want a directory, or a name that ends in .yaml, .yml or .json", cfg.path)
	case cfg.ros && extension == ".json":
		return errors.New("flag -ros is for .yaml files, and not for .json")
	}
	if cfg.target, err = cfg.Target(cfg.flags, cfg.workers); err != nil {
		return err
	}
	cfg.calibrator, err = cfg.Calibrator(cfg.flags, cfg.workers)
	return err
}

// checkVideo returns an error that names the first flag that makes no sense for a video, or without one.
func (cfg *calibrateConfig) checkVideo(isVideo bool) error {
	switch {
	case isVideo && cfg.flags.IsGiven("jobs"):
		return errors.New("flag -jobs is for images, and not for the frames of a video")
	case !isVideo && cfg.flags.IsGiven("views"):
		return errors.New("flag -views is for a video")
	}
	return nil
}

// fits returns an error if images of a size cannot be searched.
func (cfg *calibrateConfig) fits(size image.Point) error {
	return limits.Tag.Check("corners calibrate", size)
}

// searchBoards searches images for the target, several at once.
func searchBoards(p *program, cfg *calibrateConfig, out *cameraOutput) ([]calibration.Image, error) {
	inputs := p.reader.Images(cfg.args)
	if len(inputs) == 0 {
		return nil, nil
	}
	if err := out.open(p, inputs); err != nil {
		return nil, err
	}
	memory := files.NewPool(p.life.Early, p.reader.Memory())
	for _, in := range inputs {
		memory.Hold(in.Held())
	}
	type searched struct {
		i     int
		image calibration.Image
		notes []string
		err   error
	}
	search := func(i int) (res searched) {
		in := &inputs[i]
		res = searched{i: i, image: calibration.Image{Name: in.Name}}
		if res.err = p.reader.ReadOnce(in, memory.Hold); res.err != nil {
			res.err = report.Named(in.Name, res.err)
			return res
		}
		held := int64(0)
		img, err := p.reader.Load(*in, files.Purpose{
			Bytes: cfg.target.Memory(), Fits: cfg.fits,
			Reserve: func(need int64) error {
				err := memory.Acquire(i, need-int64(in.Held()))
				if err == nil {
					held = need - int64(in.Held())
				}
				return err
			},
			Note: func(text string) { res.notes = append(res.notes, text) },
		})
		if held > 0 {
			defer memory.Release(held)
		}
		if res.err = err; err == nil {
			res.image.Search(cfg.target, img.Gray())
		}
		return res
	}
	var images []calibration.Image
	lifetime.InOrder(p.life.Early, p.life.Late, len(inputs), cmp.Or(cfg.jobs, runtime.GOMAXPROCS(0)), search, func(s searched) {
		memory.Reported(s.i, inputs[s.i].Held())
		inputs[s.i].Drop()
		p.console.Say("%d/%d  searching %s", s.i+1, len(inputs), report.Printable(s.image.Name))
		if s.err != nil {
			p.console.Fail(s.err)
			return
		}
		for _, note := range s.notes {
			p.console.Note(s.image.Name, "%s", note)
		}
		images = append(images, s.image)
	})
	return images, p.life.Early.Err()
}

// searchFrames chooses views among the frames of a video.
func searchFrames(p *program, cfg *calibrateConfig, out *cameraOutput) ([]calibration.Image, error) {
	name := cfg.args[0]
	source, err := openVideo(p, name, video.Use{Command: "corners calibrate -"}, func(size image.Point) (cli.ByteSize, error) {
		return cli.Memory(size, cfg.target.Memory()), cfg.fits(size)
	})
	if err != nil {
		return nil, err
	}
	defer source.close()
	if err := out.open(p, source.inputs()); err != nil {
		return nil, err
	}
	selection := calibration.Selection{Limit: cfg.views}
	frames := 0
	for ; ; frames++ {
		f, err := source.await(p.life.Early)
		if err == io.EOF {
			break
		}
		if p.life.Early.Err() != nil {
			return nil, p.life.Early.Err()
		}
		// What came before a frame that cannot be read counts.
		if err != nil {
			p.console.Fail(err)
			break
		}
		img := calibration.Image{Frame: frames}
		img.Search(cfg.target, f.Gray())
		selection.Add(img)
		p.console.SayFrame(frames, source.source.Frames)
	}
	images := selection.Taken()
	p.console.Note(name, "of %s, %d show the board, %d of them at rest, and %d count", report.Count(frames, "frame", "frames"), selection.Found, selection.Still, len(images))
	if len(images) == 0 && !p.console.Failed() {
		return nil, report.Named(name, errors.New("no frame in which the board is at rest"))
	}
	return images, nil
}

// write writes the report.
func (cfg *calibrateConfig) write(p *program, res *calibration.Result, out *cameraOutput, isVideo bool) error {
	column, name := "image", func(i *calibration.Image) string { return i.Name }
	if isVideo {
		column, name = "frame", func(i *calibration.Image) string { return fmt.Sprint(i.Frame) }
	}
	switch cfg.format {
	case report.FormatCSV:
		return res.WriteCSV(p.life.Late, p.console.Stdout, column, name)
	case report.FormatJSON:
		return report.WriteObject(p.life.Late, p.console.Stdout, func(o *report.Object) {
			if out.camera != nil && res.Solved() {
				o.Add("file", out.path)
			}
			if out.picture != "" && res.Solved() {
				o.Add("picture", out.picture)
			}
			o.AddFlags(cfg.flags, cfg.Members())
			res.Fill(o)
		})
	}
	return res.WriteTable(p.console.Stdout, strings.ToUpper(column), func(i *calibration.Image) string { return report.Printable(name(i)) })
}

// explain returns the error of a calibration with what there is to do.
func (cfg *calibrateConfig) explain(err error) error {
	if err == nil {
		return nil
	}
	_, text, _ := strings.Cut(err.Error(), ": ") // without the package
	switch {
	case errors.Is(err, calibrate.ErrViews):
		text = "none of the images shows a board that can be used"
	case errors.Is(err, calibrate.ErrFocal) && !cfg.uncertain:
		text += "; the camera is written only with -uncertain"
	}
	return fmt.Errorf("calibration: %s", text)
}

// A cameraOutput is where the camera and the picture go.
type cameraOutput struct {
	cfg     *calibrateConfig
	path    string      // of the camera
	camera  *files.Sink // or nil if it is not written
	picture string      // the path, or empty
}

// open finds the places, unless nothing is to be written. It fails if files must not be replaced.
func (o *cameraOutput) open(p *program, read []files.Input) (err error) {
	cfg := o.cfg
	if cfg.format != report.FormatTable && !cfg.flags.IsGiven("o") {
		return nil
	}
	o.path = cfg.path
	switch extension := strings.ToLower(filepath.Ext(o.path)); {
	case !files.IsDir(o.path) && (extension == ".yaml" || extension == ".yml" || extension == ".json"):
	default:
		o.path = filepath.Join(o.path, "camera.yaml")
	}
	dir := filepath.Dir(o.path)
	if err := p.drafts.MakeDir(dir, "the camera"); err != nil {
		return err
	}
	if files.PlaceOf(o.path, nil).Is(files.PlaceOf(report.Stdio, p.console.Stream())) {
		return report.Named(o.path, errors.New("standard output goes to this file"))
	}
	outputs := files.Outputs{Drafts: p.drafts, Stdout: p.console.Stdout, Force: cfg.force}
	if o.camera, err = outputs.Create(o.path); err != nil || cfg.noPicture {
		return err
	}
	o.picture, err = files.NewTarget(dir, cfg.force, read, p.console.Stream()).Path(o.stem() + "-views")
	return err
}

// stem returns the name of the camera.
func (o *cameraOutput) stem() string {
	base := filepath.Base(o.path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// save writes the camera and the picture.
func (o *cameraOutput) save(p *program, res *calibration.Result) error {
	if o.camera != nil {
		info := res.Info(o.stem())
		write := camera.Info.WriteOpenCV
		switch {
		case o.cfg.ros:
			write = camera.Info.WriteROS
		case strings.EqualFold(filepath.Ext(o.path), ".json"):
			write = camera.Info.WriteJSON
		}
		if err := write(info, o.camera); err != nil {
			return err
		}
		if err := o.camera.Finish(); err != nil {
			return err
		}
		if err := p.console.SayWritten(o.cfg.format, []string{o.path}); err != nil {
			return err
		}
	}
	if o.picture == "" {
		return nil
	}
	if err := p.drafts.Save(p.life.Early, o.picture, res.Picture(), o.cfg.force); err != nil {
		return err
	}
	return p.console.SayWritten(o.cfg.format, []string{o.picture})
}
