package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/photo"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/register"
)

// A matchConfig is what the command line of corners match asks for.
type matchConfig struct {
	output
	methodInfo
	flags      *cli.Set
	method     matchMethod
	methodName string
	opts       match.Options
	model      string  // one of matchModels
	inlier     float64 // in pixels
	camera     cameraValue
	names      []string // of the two files

	pairing
	registrar *register.Registrar // nil for no transform
	estimator *pose.Estimator     // nil for no epipolar geometry
}

// A matchMethod is a method whose keypoints can be matched.
type matchMethod interface {
	method
	// pairing returns how keypoints are matched, after prepare.
	pairing(opts match.Options) (pairing, error)
	// listsWith is lists with further bytes for each keypoint.
	listsWith(bytes float64, img *image.Gray, worst bool) int64
}

// matchMethods lists the methods that are of type matchMethod. The first one is the default.
var matchMethods = []methodInfo{orbInfo, siftInfo}

// define defines the flags of corners match, for the method if there is one, besides those for
// keypoints.
func (cfg *matchConfig) define(flags *cli.Set) {
	cfg.output.define(flags)
	flags.StringVar(&cfg.methodName, "method", matchMethods[0].name, "match keypoints of the method `NAME`: orb or sift")
	flags.BoolVar(&cfg.opts.CrossCheck, "cross-check", true, "keep only matches that are best in both directions")
	flags.FloatIn(&cfg.opts.Ratio, "ratio", cfg.ratio, cli.From(0, 1), "keep matches nearer than `R` times the next; 0: all")
	flags.IntIn(&cfg.opts.MaxDistance, "max-distance", 0, cli.From(0, cli.Unlimited), cfg.maxDistance)
	cfg.model = noModel
	flags.Var(cli.OneOf(&cfg.model, models), "model", "find a model of this `KIND` for most matches")
	flags.FloatIn(&cfg.inlier, "inlier", 3, cli.Above(0, cli.Unlimited), "count matches as inliers up to a distance of `D` pixels")
}

// defineEpipolar defines what corners match alone has: more models, and their camera.
func (cfg *matchConfig) defineEpipolar(flags *cli.Set) {
	flags.Lookup("model").Value = cli.OneOf(&cfg.model, matchModels)
	flags.Var(&cfg.camera, "camera", "for essential: `CAMERA` is fx,fy,cx,cy[,k1,...], or a file")
}

// noModel is the model for no transform.
const noModel = "none"

// matchBytes is the number of bytes that a match takes at most, its fitting and drawing
// included.
const matchBytes = 200

// models are what -model may be, and matchModels those of corners match.
var (
	models      = []string{noModel, geometry.Homography.String(), geometry.Affine.String(), geometry.Similarity.String(), geometry.Rigid.String(), geometry.Translation.String()}
	matchModels = slices.Concat(models, []string{modelEssential, modelFundamental})
)

// matchMembers are the members of JSON for flags of matching.
var matchMembers = []string{"cross_check", "ratio", "max_distance"}

// match finds the same keypoints in two images.
func (s *session) match(args []string) error {
	cfg, err := parseMatch(args, s.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	inputs, images, err := s.beginPair(cfg)
	if err != nil {
		return err
	}
	for i, name := range cfg.names {
		if err := cfg.camera.checkSize(name, images[i].Size()); err != nil {
			return err
		}
	}
	picture := ""
	if cfg.draw {
		// The picture has both images side by side, and there is a mask for the rims of lines.
		a, b := images[0].Size(), images[1].Size()
		both := image.Pt(a.X+b.X, max(a.Y, b.Y))
		if err := cli.CheckMemory(both, cli.Memory(both, 4+1), s.reader.Memory()); err != nil {
			return fmt.Errorf("%s beside %s: %w", report.Printable(cfg.names[0]), report.Printable(cfg.names[1]), err)
		}
		if picture, err = s.namePair(cfg, inputs, "matches"); err != nil {
			return err
		}
	}
	s.console.Say("matching")
	m := newMatching(cfg, images)
	if picture != "" {
		s.console.Say("drawing")
		if err := s.drafts.Save(s.life.Early, picture, m.draw(), cfg.force); err != nil {
			return err
		}
	}
	s.console.EndProgress()
	s.console.Left = ""
	if err := m.write(s.life.Late, s.console.Stdout, cfg, picture); err != nil || picture == "" {
		return err
	}
	return s.console.SayWritten(cfg.format, []string{picture})
}

// namePair returns the path of a picture of both inputs, whose name ends with what it shows.
func (s *session) namePair(cfg matchConfig, inputs []files.Input, shows string) (string, error) {
	target := files.NewTarget(cfg.path, cfg.force, inputs, s.console.Stream())
	if err := s.drafts.MakeDir(target.Dir()); err != nil {
		return "", err
	}
	return target.Path(inputs[0].Stem() + "-" + inputs[1].Stem() + "-" + shows)
}

// parseMatch reads the command line of corners match as parseFind does that of
// corners.
func parseMatch(args []string, stdout io.Writer) (cfg matchConfig, err error) {
	err = cfg.parse("corners match", args, stdout, printMatchHelp, cfg.defineEpipolar)
	return cfg, err
}

// parse reads the command line of a command that matches two images and has a help and flags of
// its own.
func (cfg *matchConfig) parse(command string, args []string, stdout io.Writer, help func(io.Writer, methodInfo), own func(*cli.Set)) error {
	define := func(flags *cli.Set) {
		cfg.define(flags)
		own(flags)
	}
	selected, err := selectMethod(matchMethods, args, define)
	if err != nil {
		return err
	}
	if selected.help {
		help(stdout, selected.methodInfo)
		return flag.ErrHelp
	}
	cfg.methodInfo = selected.methodInfo
	cfg.method = cfg.new().(matchMethod)
	cfg.flags = cli.New(define, cfg.method.define)
	if cfg.names, err = cfg.flags.Parse(args); err != nil {
		return err
	}
	if err := cfg.output.check(cfg.flags); err != nil {
		return err
	}
	switch {
	case cfg.model == noModel && cfg.flags.IsGiven("inlier"):
		return errors.New("flag -inlier needs flag -model")
	case cfg.model == modelEssential && !cfg.flags.IsGiven("camera"):
		return errors.New("flag -model essential needs flag -camera: fx,fy,cx,cy in pixels, or a file")
	case cfg.model != modelEssential && cfg.flags.IsGiven("camera"):
		return errors.New("flag -camera is only for -model essential")
	}
	if n := len(cfg.names); n != 2 {
		return fmt.Errorf("%s needs two images, not %d", command, n)
	}
	if err := cfg.method.prepare(cfg.workers); err != nil {
		return err
	}
	cfg.opts.Workers = cfg.workers
	if cfg.pairing, err = cfg.method.pairing(cfg.opts); err != nil {
		return err
	}
	switch cfg.model {
	case noModel:
		return nil
	case modelEssential, modelFundamental:
		cfg.estimator, err = pose.New(pose.Options{InlierThreshold: cfg.inlier})
		return err
	}
	opts := cfg.pairing.options
	opts.Geometry.InlierThreshold = cfg.inlier
	if err := opts.Geometry.Kind.UnmarshalText([]byte(cfg.model)); err != nil {
		return err
	}
	cfg.registrar, err = register.New(opts)
	return err
}

// beginPair begins corners match or corners register, and loads the two images. If both fail, it
// reports the first error and returns the second.
func (s *session) beginPair(cfg matchConfig) (inputs []files.Input, images [2]photo.Photo, err error) {
	s.begin(cfg.reporting)
	for i, name := range cfg.names {
		s.console.Say("reading %s", report.Printable(name))
		var need cli.ByteSize
		in, failed := s.reader.Input(name)
		if failed == nil {
			images[i], failed = s.reader.Load(in, cfg.draw, cfg.method.memory(), func(bytes int64) error {
				need = cli.ByteSize(bytes)
				s.reader.Reserve(need)
				return nil
			})
		}
		if failed == nil {
			bytes := 0.0
			if i == 0 { // Each of its keypoints may have a match.
				bytes = matchBytes
			}
			more := cli.ByteSize(cfg.method.listsWith(bytes, images[i].Gray(), false))
			if err := cli.CheckMemory(images[i].Size(), need+more, s.reader.Memory()+need); err != nil {
				failed = report.Named(name, err)
			} else {
				s.reader.Reserve(more)
			}
		}
		if failed != nil {
			s.console.Fail(err)
			err = failed
		}
		inputs = append(inputs, in)
	}
	return inputs, images, err
}
