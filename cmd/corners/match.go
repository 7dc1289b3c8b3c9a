package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/photo"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/register"
)

const matchIntro = `Usage: corners match [-method NAME] [flags] A B

Corners match finds keypoints in the images A and B, and for each keypoint of
A the one of B with the nearest descriptor. With -model it finds, by RANSAC,
the transform from A to B, or the motion of the camera, that most matches
agree with.

  orb   the default: binary descriptors, compared by the number of bits that
        differ
  sift  for views that are far apart, or of different sizes; takes about 20
        times as long: vectors as descriptors, compared by their Euclidean
        distance

  homography   any projective map: for images of a plane, and for images from
               one place
  affine       rotation, scale, shear, mirror and shift
  similarity   rotation, scale and shift
  rigid        rotation and shift
  translation  shift
  essential    rotation and translation of a calibrated camera (-camera)
  fundamental  the line of B that each point of A is on, for any two cameras

The inliers of a transform are the matches that it maps to within a distance
(-inlier), in both directions. There must be at least 8, 7, 6, 6 or 5 of them
plus 2% of the matches, in as many places, and they must not be on one line.

The inliers of the last two kinds are within the distance of points that agree
exactly, and there must be more of them than among random points. For
fundamental, they must not be on one plane, which a homography explains. For
essential, -camera has the focal lengths and the principal point in pixels,
and up to five of OpenCV's coefficients of distortion:
fx,fy,cx,cy,k1,k2,p1,p2,k3, the same for both images. Or it is the name of a
file of corners calibrate, OpenCV, ROS or Kalibr for images of their size.

Flags, before or after the images:
`

const matchRest = `
The report:

  table  a line for each image: its name, its size and the number of
         keypoints; then the numbers of matches and inliers, and the matrix,
         which maps columns x, y, 1 of A to multiples of columns of B, or is
         fundamental, or has in four columns the rotation and the translation
         from the frame of the camera of A to that of B: x to the right, y
         down and z forward
  csv    a header and then a line for each match: query_x,query_y (in A),
         train_x,train_y (in B),distance,inlier
  json   an object with query and train (A and B: image, width, height,
         keypoints), method, the flags (cross-check as cross_check), picture
         (if one was drawn), model (kind, threshold, inliers, matrix, reason
         if there is none) and matches, an array of objects with query and
         train (index, x, y), distance and inlier. An index is the position of
         the keypoint in the list that corners -method NAME prints. A
         fundamental model also has planar, and off_plane, the number of
         inliers that no homography explains; an essential one has pose and
         other (rotation, quaternion w, x, y, z, and translation, of length 1
         or 0), turn, planar, ambiguous, and parallax, the number of inliers
         that no rotation explains.

Both are planar if nine tenths of the inliers are on one plane, so that little
determines a fundamental matrix. An essential one may be a turn: a rotation
explains the matches, and there is no translation. It is ambiguous if a second
motion, other, explains nearly as much, which is common if all points are on a
plane.

Without -model there are no inliers and no model, and the column inlier is
empty. The distance is the number of bits that differ, or of pairs of bits if
-points-per-bit is not 2. For SIFT, it and -max-distance are squared: the sum
of the squared differences of 128 numbers from 0 to 255. -ratio applies to
distances that are not squared.

The picture A-B-matches.png has both images side by side, with lines between
the keypoints of inliers or, if there is no model, of all matches. With an
essential or a fundamental matrix, it shows up to 8 of the inliers as dots
and, in the same color in the other image, the line on which the matrix puts
each of them. What corners -method orb -h says about images, memory and
pictures applies here, too.

Examples:

  corners match left.jpg right.jpg
  corners match left.jpg right.jpg -cross-check=false -ratio 0.8 -o both.png
  corners match -features 2000 -model homography -format json a.png b.png
  corners match -model essential -camera 600,600,320,240 a.png b.png
  corners match -method sift -features 8000 -contrast 0.01 -root a.jpg b.jpg

To name a file match, write ./match.
`

// printMatchHelp writes what corners match -h says.
func printMatchHelp(w io.Writer, m method.Info) {
	cfg := matchConfig{Info: m}
	cfg.printHelp(w, matchIntro, cfg.defineEpipolar, matchRest)
}

// printHelp writes the help of a command that matches two images by a method, with flags of its own.
func (cfg *matchConfig) printHelp(w io.Writer, intro string, own func(*cli.Set), rest string) {
	of := fmt.Sprintf("\nFlags of method %s, for keypoints, as for corners -method %s:\n", cfg.Name, cfg.Name)
	printAll(w, intro, cli.New(cfg.define, own), of, cli.New(cfg.defineMethod(cfg.New())), rest)
}

// A matchConfig is what the command line of corners match asks for.
type matchConfig struct {
	output
	method.Info
	flags      *cli.Set
	method     method.Matcher
	methodName string
	opts       match.Options
	model      string  // one of matchModels
	inlier     float64 // in pixels
	camera     method.Camera
	names      []string                            // of the two files
	features   string                              // the default of -features for ORB, or empty for that of the method
	fits       func(i int, size image.Point) error // returns an error if image i cannot have a size

	method.Pairing
	registrar *register.Registrar // nil for no transform
	estimator *pose.Estimator     // nil for no epipolar geometry
}

// define defines the flags of corners match, for the method if there is one, besides those for
// keypoints.
func (cfg *matchConfig) define(flags *cli.Set) {
	cfg.output.define(flags)
	flags.StringVar(&cfg.methodName, "method", method.Matching[0].Name, "match keypoints of the method `NAME`: orb or sift")
	flags.BoolVar(&cfg.opts.CrossCheck, "cross-check", true, "keep only matches that are best in both directions")
	flags.FloatIn(&cfg.opts.Ratio, "ratio", cfg.Ratio, cli.From(0, 1), "keep matches nearer than `R` times the next; 0: all")
	flags.IntIn(&cfg.opts.MaxDistance, "max-distance", 0, cli.From(0, cli.Unlimited), cfg.MaxDistance)
	cfg.model = noModel
	flags.Var(cli.OneOf(&cfg.model, models), "model", "find a model of this `KIND` for most matches")
	flags.FloatIn(&cfg.inlier, "inlier", 3, cli.Above(0, cli.Unlimited), "count matches as inliers up to a distance of `D` pixels")
}

// defineEpipolar defines what corners match alone has: more models, and their camera.
func (cfg *matchConfig) defineEpipolar(flags *cli.Set) {
	flags.Lookup("model").Value = cli.OneOf(&cfg.model, matchModels)
	flags.Var(&cfg.camera, "camera", "for essential: `CAMERA` is fx,fy,cx,cy[,k1,...], or a file")
}

// defineMethod returns a function that defines the flags of the method.
func (cfg *matchConfig) defineMethod(m method.Method) func(flags *cli.Set) {
	return func(flags *cli.Set) {
		m.Define(flags)
		if cfg.features != "" && cfg.Name == method.Matching[0].Name {
			features := flags.Lookup("features")
			features.DefValue = cfg.features
			features.Value.Set(cfg.features)
		}
	}
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

// runMatch finds the same keypoints in two images.
func runMatch(p *program, args []string) error {
	cfg, err := parseMatch(args, p.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	inputs, images, err := beginPair(p, cfg)
	if err != nil {
		return err
	}
	picture := ""
	if cfg.draw {
		// The picture has both images side by side, and there is a mask for the rims of lines.
		a, b := images[0].Size(), images[1].Size()
		both := image.Pt(a.X+b.X, max(a.Y, b.Y))
		if err := p.reader.Check(both, cli.Memory(both, 4+1)); err != nil {
			return fmt.Errorf("%s beside %s: %w", report.Printable(cfg.names[0]), report.Printable(cfg.names[1]), err)
		}
		if picture, err = namePair(p, cfg, inputs, "matches"); err != nil {
			return err
		}
	}
	p.console.Say("matching")
	m := newMatching(cfg, images)
	if picture != "" {
		p.console.Say("drawing")
		if err := p.drafts.Save(p.life.Early, picture, m.draw(), cfg.force); err != nil {
			return err
		}
	}
	p.console.EndProgress()
	p.console.Left = ""
	if err := m.write(p.life.Late, p.console.Stdout, cfg, picture); err != nil || picture == "" {
		return err
	}
	return p.console.SayWritten(cfg.format, []string{picture})
}

// parseMatch reads the command line of corners match as parseDetect does that of
// corners.
func parseMatch(args []string, stdout io.Writer) (cfg matchConfig, err error) {
	err = cfg.parse("corners match", args, stdout, printMatchHelp, cfg.defineEpipolar)
	camera := cfg.camera
	cfg.fits = func(_ int, size image.Point) error { return camera.CheckSize(size) }
	return cfg, err
}

// parse reads the command line of a command that matches two images and has a help and flags of
// its own.
func (cfg *matchConfig) parse(command string, args []string, stdout io.Writer, help func(io.Writer, method.Info), own func(*cli.Set)) error {
	define := func(flags *cli.Set) {
		cfg.define(flags)
		own(flags)
	}
	selected, err := method.Select(method.Matching, args, define)
	if err != nil {
		return err
	}
	if selected.Help {
		help(stdout, selected.Info)
		return flag.ErrHelp
	}
	cfg.Info = selected.Info
	cfg.method = cfg.New().(method.Matcher)
	cfg.flags = cli.New(define, cfg.defineMethod(cfg.method))
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
	if err := cfg.method.Prepare(cfg.workers); err != nil {
		return err
	}
	cfg.opts.Workers = cfg.workers
	if cfg.Pairing, err = cfg.method.Pairing(cfg.opts); err != nil {
		return err
	}
	switch cfg.model {
	case noModel:
		return nil
	case modelEssential, modelFundamental:
		cfg.estimator, err = pose.New(pose.Options{InlierThreshold: cfg.inlier})
		return err
	}
	opts := cfg.Options
	opts.Geometry.InlierThreshold = cfg.inlier
	if err := opts.Geometry.Kind.UnmarshalText([]byte(cfg.model)); err != nil {
		return err
	}
	cfg.registrar, err = register.New(opts)
	return err
}

// beginPair begins corners match or corners register, and loads the two images. If both fail, it
// reports the first error and returns the second.
func beginPair(p *program, cfg matchConfig) (inputs []files.Input, images [2]photo.Photo, err error) {
	p.begin(cfg.reporting)
	work := cli.ByteSize(0) // the memory in which keypoints are found, of one image after the other
	for i, name := range cfg.names {
		p.console.Say("reading %s", report.Printable(name))
		in, failed := p.reader.Input(name)
		if failed == nil {
			images[i], work, failed = loadOfPair(p, cfg, i, in, work)
		}
		if failed != nil {
			p.console.Fail(err)
			err = failed
		}
		inputs = append(inputs, in)
	}
	p.reader.Reserve(work)
	return inputs, images, err
}

// loadOfPair loads image i of a pair, and reserves the memory that it takes for as long as the program
// runs. It returns the memory in which keypoints are found, which is at least that for those of images
// before.
func loadOfPair(p *program, cfg matchConfig, i int, in files.Input, before cli.ByteSize) (img photo.Photo, work cli.ByteSize, err error) {
	var kept cli.ByteSize
	img, err = p.reader.Load(in, files.Purpose{
		Draw: cfg.draw, Bytes: cfg.method.Memory(),
		Fits: func(size image.Point) error {
			work = cli.Memory(size, cfg.method.Memory())
			return cmp.Or(cfg.method.Limit().Check("method "+cfg.Name, size), cfg.fits(i, size))
		},
		Reserve: func(bytes int64) error {
			kept = cli.ByteSize(bytes) - work
			return nil
		},
	})
	work = max(work, before)
	if err != nil {
		return img, work, err
	}
	bytes := 0.0
	if i == 0 { // Each of its keypoints may have a match.
		bytes = matchBytes
	}
	kept += cli.ByteSize(cfg.method.ListsWith(bytes, img.Gray(), false))
	if err := p.reader.Check(img.Size(), kept+work); err != nil {
		return img, work, report.Named(in.Name, err)
	}
	p.reader.Reserve(kept)
	return img, work, nil
}

// namePair returns the path of a picture of both inputs, whose name ends with what it shows.
func namePair(p *program, cfg matchConfig, inputs []files.Input, shows string) (string, error) {
	target := files.NewTarget(cfg.path, cfg.force, inputs, p.console.Stream())
	stem := inputs[0].Stem() + "-" + inputs[1].Stem() + "-" + shows
	if err := p.drafts.MakeDir(target.Dir(), report.Printable(target.Name(stem))); err != nil {
		return "", err
	}
	return target.Path(stem)
}

// A matching is the result of corners match for two images, the query and the train
// image.
type matching struct {
	register.Result // without a transform if none was asked for
	epipolar        // if it was asked for
	images          [2]photo.Photo
	failed          error // why there is no model, though one was asked for
}

// newMatching matches two images.
func newMatching(cfg matchConfig, images [2]photo.Photo) matching {
	m := matching{images: images}
	query, train := images[0].Gray(), images[1].Gray()
	if cfg.registrar != nil {
		m.Result, m.failed = cfg.registrar.Register(query, train)
		return m
	}
	m.Result = cfg.Pair(query, train)
	if cfg.estimator != nil {
		m.failed = m.findEpipolar(cfg)
	}
	return m
}

// inOrder returns the matches in the order of their keypoints, and whether each of them agrees
// with the model.
func (m *matching) inOrder() (matches []match.Match, fits []bool) {
	matches = slices.SortedFunc(slices.Values(m.Matches), func(a, b match.Match) int { return cmp.Compare(a.Query, b.Query) })
	fits = make([]bool, len(matches))
	for i, inliers := 0, m.Matches[:m.Inliers]; len(inliers) > 0; i++ {
		if fits[i] = matches[i] == inliers[0]; fits[i] {
			inliers = inliers[1:]
		}
	}
	return matches, fits
}

// pair returns the two keypoints of a match.
func (m *matching) pair(p match.Match) (query, train point.Keypoint) {
	return m.A[p.Query], m.B[p.Train]
}

// draw returns the images side by side with epipolar lines, or with lines for the inliers, or
// for all matches where there is no model.
func (m *matching) draw() image.Image {
	if m.essential != ([9]float64{}) {
		return m.drawEpipolar()
	}
	matches := m.Matches
	if m.Inliers > 0 {
		matches = matches[:m.Inliers]
	}
	picture, shift := overlay.SideBySide(m.images[0].Upright(), m.images[1].Upright())
	overlay.Matches(picture, m.A, m.B, shift, matches)
	return picture
}
