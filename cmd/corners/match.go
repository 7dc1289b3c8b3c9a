package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/homography"
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
	CrossCheck  bool    `json:"cross_check"`
	Ratio       float64 `json:"ratio"`
	MaxDistance int     `json:"max_distance"`
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
	lost := false
	flags.Visit(func(given *flag.Flag) { lost = lost || given.Name == "inlier" && !f.homography })
	if lost {
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
	inputs := make([]input, 2)
	var images [2]image.Image
	for i, name := range cfg.names {
		if inputs[i], images[i], err = openImage(name); err != nil {
			s.fail(fmt.Errorf("%s: %w", name, err))
		}
	}
	if s.status != 0 {
		return
	}
	picture := ""
	if !cfg.noPicture {
		if err := makeDir(cfg.dir); err != nil {
			s.fail(err)
			return
		}
		stem := inputs[0].stem() + "-" + inputs[1].stem() + "-matches"
		picture = namePicture(cfg.dir, stem, make(map[string]bool), inputs)
	}
	m := newMatching(cfg, images)
	if picture != "" {
		if err := writePNG(picture, m.draw()); err != nil {
			s.fail(fmt.Errorf("%s: %w", picture, reason(err)))
			return
		}
	}
	if err = m.write(s.stdout, cfg, picture); err == nil && picture != "" {
		err = s.announce(cfg.output, []string{picture})
	}
	if err != nil {
		s.failOutput(err)
	}
}

// parseMatch reads the command line of corners match as parse does that of
// corners.
func parseMatch(args []string, stdout io.Writer) (matchConfig, error) {
	var cfg matchConfig
	flags := newFlagSet(cfg.output.define, cfg.orbFlags.define, cfg.matchFlags.define)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printMatchHelp(stdout)
		}
		return matchConfig{}, err
	}
	if err := cmp.Or(cfg.output.check(), cfg.matchFlags.check(flags), checkArgs(flags.Args())); err != nil {
		return matchConfig{}, err
	}
	if n := flags.NArg(); n != 2 {
		return matchConfig{}, fmt.Errorf("corners match needs two images, not %d", n)
	}
	cfg.names = [2]string(flags.Args())
	var err error
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
	images    [2]image.Image
	keypoints [2][]orb.Keypoint
	matches   []match.Match
	fits      []bool             // which matches agree with the homography
	matrix    *homography.Matrix // nil if there is none
}

// newMatching matches two images.
func newMatching(cfg matchConfig, images [2]image.Image) matching {
	m := matching{images: images}
	var descs [2][]match.Descriptor
	for i, img := range images {
		m.keypoints[i], descs[i] = cfg.extractor.Extract(fast.Gray(img), nil)
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
	return overlay.Matches(m.images[0], m.images[1], m.keypoints[0], m.keypoints[1], matches)
}
