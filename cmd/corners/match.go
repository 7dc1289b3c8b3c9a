package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/fastcorners/fast/internal/homography"
	"github.com/fastcorners/fast/internal/photo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/overlay"
)

// A matchConfig is what the command line of corners match asks for.
type matchConfig struct {
	output
	orbFlags
	matchFlags
	names [2]string // of the files

	extractor *orb.Extractor
	matcher   *match.Matcher
}

// matchFlags are the flags of corners match alone.
type matchFlags struct {
	CrossCheck  bool
	Ratio       float64
	MaxDistance int
	homography  bool
	inlier      float64 // in pixels
}

func (f *matchFlags) define(flags *flag.FlagSet) {
	flags.BoolVar(&f.CrossCheck, "cross-check", true, "keep only matches that are the best for both")
	flags.Float64Var(&f.Ratio, "ratio", 0, "keep only matches nearer than `R` times the next; 0 keeps all")
	flags.IntVar(&f.MaxDistance, "max-distance", 0, "keep only matches that differ by up to `N` bits; 0 keeps all")
	flags.BoolVar(&f.homography, "homography", false, "find the homography that most matches agree with")
	flags.Float64Var(&f.inlier, "inlier", 3, "let matches that agree miss by up to `D` pixels")
}

// check returns an error that names the first flag that makes no sense.
func (f *matchFlags) check(flags *flag.FlagSet) error {
	if !(f.Ratio >= 0 && f.Ratio <= 1) { // NaN is neither
		return fmt.Errorf("invalid value %v for flag -ratio: want 0 to 1", f.Ratio)
	}
	if !(f.inlier > 0 && f.inlier <= math.MaxInt32) {
		return fmt.Errorf("invalid value %v for flag -inlier: want more than 0", f.inlier)
	}
	if isGiven(flags, "inlier") && !f.homography {
		return errors.New("flag -inlier needs flag -homography")
	}
	return checkLeast("max-distance", f.MaxDistance, 0)
}

// match finds the same keypoints in two images.
func (s *session) match(args []string) {
	cfg, err := parseMatch(args, s.stdout)
	if err != nil {
		s.failUsage(err)
		return
	}
	s.begin(cfg.output)
	inputs, images, ok := s.loadPair(cfg)
	if !ok {
		return
	}
	picture := ""
	if cfg.draw {
		// Both images, side by side, and the rims of lines.
		a, b := images[0].Size(), images[1].Size()
		both := image.Pt(a.X+b.X, max(a.Y, b.Y))
		if err := photo.CheckMemory(both, photo.Memory(both, 4+1), s.memory); err != nil {
			s.fail(fmt.Errorf("%s beside %s: %w", printable(cfg.names[0]), printable(cfg.names[1]), err))
			return
		}
		target := cfg.target(inputs)
		if err = makeDir(target.dir); err == nil {
			picture, err = target.path(inputs[0].stem() + "-" + inputs[1].stem() + "-matches")
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
	s.progress.say("matching")
	m := newMatching(cfg, images)
	if picture != "" {
		s.progress.say("drawing")
		if err := s.writePicture(picture, cfg.force, m.draw()); err != nil {
			s.fail(named(picture, err))
			return
		}
	}
	s.endProgress()
	if err = m.write(s.stdout, cfg, picture); err == nil && picture != "" {
		err = s.announce(cfg.output, []string{picture})
	}
	if err != nil {
		s.failOutput(err)
	}
	s.left = ""
}

// loadPair loads the two images of corners match. It reports what fails, all of it.
func (s *session) loadPair(cfg matchConfig) (inputs []input, images [2]photo.Photo, ok bool) {
	inputs = make([]input, len(images))
	ok = true
	for i, name := range cfg.names {
		s.progress.say("reading %s", printable(name))
		var err error
		if inputs[i], err = s.newInput(name); err == nil {
			images[i], err = s.load(inputs[i], cfg.draw, cfg.orbFlags.memory(), func(need int64) error {
				s.memory -= photo.ByteSize(need)
				return nil
			})
		}
		if err != nil {
			s.fail(named(name, err))
			ok = false
		}
	}
	return inputs, images, ok
}

// parseMatch reads the command line of corners match as parse does that of
// corners.
func parseMatch(args []string, stdout io.Writer) (matchConfig, error) {
	var cfg matchConfig
	flags := newFlagSet(cfg.output.define, cfg.orbFlags.define, cfg.matchFlags.define)
	files, err := parseFlags(flags, args)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printMatchHelp(stdout)
		}
		return matchConfig{}, err
	}
	if err := cmp.Or(cfg.output.check(flags), cfg.matchFlags.check(flags)); err != nil {
		return matchConfig{}, err
	}
	if n := len(files); n != 2 {
		return matchConfig{}, fmt.Errorf("corners match needs two images, not %d", n)
	}
	cfg.names = [2]string(files)
	if cfg.extractor, err = cfg.orbFlags.extractor(cfg.workers); err != nil {
		return matchConfig{}, err
	}
	cfg.matcher, err = match.New(match.Options{
		CrossCheck:  cfg.CrossCheck,
		Ratio:       cfg.Ratio,
		MaxDistance: cfg.MaxDistance,
		Hamming2:    cfg.PointsPerBit > 2,
		Workers:     cfg.workers,
	})
	return cfg, err
}

// A matching is what corners match found in two images, the query and the train
// image.
type matching struct {
	images    [2]photo.Photo
	keypoints [2][]orb.Keypoint
	matches   []match.Match
	fits      []bool             // which matches agree with the homography
	matrix    *homography.Matrix // nil if there is none
}

// newMatching matches two images.
func newMatching(cfg matchConfig, images [2]photo.Photo) matching {
	m := matching{images: images}
	var descs [2][]match.Descriptor
	for i, img := range images {
		m.keypoints[i], descs[i] = cfg.extractor.Extract(img.Gray(), nil)
	}
	m.matches = cfg.matcher.Match(descs[0], descs[1])
	m.fits = make([]bool, len(m.matches))
	if cfg.homography {
		var points [2][]homography.Point
		for _, pair := range m.matches {
			a, b := m.pair(pair)
			points[0] = append(points[0], homography.Point{X: float64(a.X), Y: float64(a.Y)})
			points[1] = append(points[1], homography.Point{X: float64(b.X), Y: float64(b.Y)})
		}
		if h, fits, ok := homography.Estimate(points[0], points[1], cfg.inlier); ok {
			m.matrix, m.fits = &h, fits
		}
	}
	return m
}

// pair returns the two keypoints of a match.
func (m *matching) pair(p match.Match) (query, train orb.Keypoint) {
	return m.keypoints[0][p.Query], m.keypoints[1][p.Train]
}

// inliers returns the matches that agree with the homography.
func (m *matching) inliers() []match.Match {
	var list []match.Match
	for i, fits := range m.fits {
		if fits {
			list = append(list, m.matches[i])
		}
	}
	return list
}

// draw returns the images side by side with lines for the inliers, or for all
// matches where there is no homography.
func (m *matching) draw() image.Image {
	matches := m.matches
	if m.matrix != nil {
		matches = m.inliers()
	}
	return overlay.Matches(m.images[0].Seen(), m.images[1].Seen(), m.keypoints[0], m.keypoints[1], matches)
}
