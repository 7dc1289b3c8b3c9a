package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	_ "github.com/fastcorners/fast/internal/netpbm" // PGM
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/pose"
)

// A poseScene says what a camera sees before and after it moves, and how many of the pairs of
// points are right.
type poseScene struct {
	name      string
	pairs     int
	right     float64 // share
	noise     float64 // in pixels, in both images
	threshold float64 // in pixels; 0: 2
	focal     float64 // in pixels; 0: 600
	step      float64 // how far the camera moves; 0: 1
	to        *pose.Vector
	still     bool    // it only turns
	flat      float64 // the share of points on a plane
}

// A poseTrial is what is known of the two images of a scene.
type poseTrial struct {
	threshold float64
	camera    camera.Camera
	truth     pose.Pose // from the first camera to the second one
	world     []pose.Vector
	a, b      []geometry.Point
	// exact are pairs without noise, for depths of all kinds.
	exactA, exactB []geometry.Point
}

// direction returns a random unit vector.
func direction(rng *rand.Rand) pose.Vector {
	x, y, z := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
	s := 1 / math.Sqrt(x*x+y*y+z*z)
	return pose.Vector{x * s, y * s, z * s}
}

// motion returns a random motion: a turn by up to 0.3 radians, or less for a narrow lens, and a
// step.
func (c *poseScene) motion(rng *rand.Rand) pose.Pose {
	axis := direction(rng)
	sin, cos := math.Sincos(.15 * rng.Float64() * min(1, 600/c.focal))
	t := direction(rng)
	if c.to != nil {
		t = *c.to
	}
	length := c.step / math.Sqrt(t[0]*t[0]+t[1]*t[1]+t[2]*t[2])
	if c.still {
		length = 0
	}
	return pose.FromQuaternion(cos, sin*axis[0], sin*axis[1], sin*axis[2], pose.Vector{length * t[0], length * t[1], length * t[2]})
}

// point returns a point that both images show, and where. It is on the plane, or 4 to 12 away.
func (t *poseTrial) point(rng *rand.Rand, flat bool) (x pose.Vector, a, b geometry.Point) {
	for {
		a = somewhere(rng)
		u, v, _ := t.camera.Ray(a)
		z := 4 + 8*rng.Float64()
		if flat {
			z = 7 / (1 + .3*u - .2*v)
		}
		x = pose.Vector{u * z, v * z, z}
		var ok bool
		b, ok = t.camera.Project(t.truth.Apply(x))
		if ok && b.X >= 0 && b.Y >= 0 && b.X <= float64(sceneSize.X) && b.Y <= float64(sceneSize.Y) {
			return x, a, b
		}
	}
}

// exactPairs is the number of pairs by which a fundamental matrix is judged.
const exactPairs = 100

// make returns the pairs of a trial.
func (c poseScene) make(rng *rand.Rand) poseTrial {
	for p, standard := range map[*float64]float64{&c.threshold: 2, &c.focal: 600, &c.step: 1} {
		if *p == 0 {
			*p = standard
		}
	}
	w, h := float64(sceneSize.X), float64(sceneSize.Y)
	t := poseTrial{threshold: c.threshold, camera: camera.Camera{Fx: c.focal, Fy: c.focal, Cx: w / 2, Cy: h / 2}}
	t.truth = c.motion(rng)
	noisy := func(p geometry.Point) geometry.Point {
		return geometry.Point{X: p.X + c.noise*rng.NormFloat64(), Y: p.Y + c.noise*rng.NormFloat64()}
	}
	t.world = make([]pose.Vector, c.pairs)
	t.a, t.b = make([]geometry.Point, c.pairs), make([]geometry.Point, c.pairs)
	for i, at := range rng.Perm(c.pairs) {
		x, a, b := t.point(rng, rng.Float64() < c.flat)
		if int(float64(i+1)*c.right+1e-9) > int(float64(i)*c.right+1e-9) {
			a, b = noisy(a), noisy(b)
		} else {
			b = somewhere(rng)
		}
		t.world[at], t.a[at], t.b[at] = x, a, b
	}
	for range exactPairs {
		_, a, b := t.point(rng, false)
		t.exactA, t.exactB = append(t.exactA, a), append(t.exactB, b)
	}
	return t
}

// relativeScenes returns the scenes for motions.
func relativeScenes() []poseScene {
	return []poseScene{
		{pairs: 20, right: .9, noise: 1},
		{pairs: 20, right: .6, noise: .5},
		{pairs: 100, right: .9, noise: 1},
		{pairs: 100, right: .5, noise: 1},
		{pairs: 500, right: .9, noise: 1},
		{pairs: 500, right: .5, noise: 1},
		{pairs: 500, right: .3, noise: 1},
		{pairs: 500, right: .2, noise: .5},
		{pairs: 2000, right: .5, noise: 1},
		{pairs: 500, right: .6, noise: .3},
		{pairs: 500, right: .6, noise: 2, threshold: 4, name: "threshold 4"},
		{pairs: 500, right: .6, noise: .5, to: &pose.Vector{.05, -.03, -1}, name: "forward"},
		{pairs: 500, right: .6, noise: .5, to: &pose.Vector{1, .04, -.03}, name: "sideways"},
		{pairs: 500, right: .6, noise: .5, step: .1, name: "step 0.1"},
		{pairs: 500, right: .6, noise: .5, focal: 300, name: "focal length 300"},
		{pairs: 500, right: .6, noise: .5, focal: 1500, name: "focal length 1500"},
		{pairs: 500, right: .6, noise: .5, flat: 1, name: "one plane"},
		{pairs: 500, right: .6, noise: .5, flat: .9, name: "nine tenths on a plane"},
	}
}

// noMotionScenes returns scenes without a translation, or without a motion.
func noMotionScenes() []poseScene {
	return []poseScene{
		{pairs: 500, right: .6, noise: .5, still: true, name: "a turn"},
		{pairs: 500, name: "wrong pairs"},
	}
}

// absoluteScenes returns the scenes for poses.
func absoluteScenes() []poseScene {
	return []poseScene{
		{pairs: 20, right: .9, noise: 1, threshold: 3},
		{pairs: 20, right: .6, noise: 1, threshold: 3},
		{pairs: 100, right: .5, noise: 1, threshold: 3},
		{pairs: 500, right: .9, noise: 1, threshold: 3},
		{pairs: 500, right: .5, noise: 1, threshold: 3},
		{pairs: 500, right: .2, noise: 1, threshold: 3},
		{pairs: 500, right: .1, noise: 1, threshold: 3},
		{pairs: 2000, right: .5, noise: 1, threshold: 3},
		{pairs: 500, right: .6, noise: 1, threshold: 3, flat: 1, name: "one plane"},
		{pairs: 500, right: .6, noise: .3, threshold: 3},
		{pairs: 500, right: .6, noise: 2, threshold: 6, name: "threshold 6"},
		{pairs: 500, threshold: 3, name: "wrong pairs"},
	}
}

// fundamentalScenes returns the scenes for fundamental matrices.
func fundamentalScenes() []poseScene {
	return []poseScene{
		{pairs: 20, right: .9, noise: .5},
		{pairs: 100, right: .9, noise: .5},
		{pairs: 100, right: .5, noise: .5},
		{pairs: 500, right: .9, noise: 1},
		{pairs: 500, right: .5, noise: .5},
		{pairs: 500, right: .3, noise: .5},
		{pairs: 2000, right: .5, noise: .5},
		{pairs: 500, right: .6, noise: .5, to: &pose.Vector{.05, -.03, -1}, name: "forward"},
		{pairs: 500, right: .6, noise: .5, flat: .9, name: "nine tenths on a plane"},
	}
}

// noLinesScenes returns scenes that many fundamental matrices explain, or none.
func noLinesScenes() []poseScene {
	return append([]poseScene{{pairs: 500, right: .6, noise: .5, flat: 1, name: "one plane"}}, noMotionScenes()...)
}

// sampleGray returns a picture of Debian's package opencv-doc.
func sampleGray(name string) (*image.Gray, error) {
	data, err := os.ReadFile(filepath.Join(sampleVideos, name))
	if err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return fast.Gray(img), nil
}

// castleFrames is the number of frames of a castle in visp-images-data.
const castleFrames = 40

// castleTrials returns trials of all pairs of the first frames of a castle that are as far from each
// other as gaps says, with matches of ORB keypoints. There is a list for each gap. The camera and
// its poses are in files beside the frames. It returns nothing where the package is not installed.
func castleTrials(frames int, gaps []int) ([][]poseTrial, error) {
	dir := filepath.Join(vispVideos, "mbt-depth", "Castle-simu")
	c := camera.Camera{Fx: 700, Fy: 700, Cx: 320, Cy: 240} // of Config/chateau.xml
	e, m := peers.Must(orb.New(orb.Options{Features: 1000})), peers.Must(match.New[match.Descriptor](match.Options{CrossCheck: true}))
	var poses []pose.Pose
	var keypoints [][]orb.Keypoint
	var descriptors [][]match.Descriptor
	for i := range frames {
		data, err := os.ReadFile(filepath.Join(dir, "Images", fmt.Sprintf("Image_%04d.pgm", i+1)))
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		img, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		k, d := e.Extract(fast.Gray(img), nil)
		keypoints, descriptors = append(keypoints, k), append(descriptors, d)
		if data, err = os.ReadFile(filepath.Join(dir, "CameraPose", fmt.Sprintf("Camera_%03d.txt", i+1))); err != nil {
			return nil, err
		}
		var p pose.Pose // a matrix of three rows by four columns
		text := bytes.NewReader(data)
		for row := range 3 {
			if _, err := fmt.Fscan(text, &p.R[3*row], &p.R[3*row+1], &p.R[3*row+2], &p.T[row]); err != nil {
				return nil, err
			}
		}
		poses = append(poses, p)
	}
	var trials [][]poseTrial
	for _, gap := range gaps {
		var list []poseTrial
		for i := range frames - gap {
			t := poseTrial{threshold: 2, camera: c, truth: poses[i+gap].Mul(poses[i].Inverse())}
			t.a, t.b, _ = geometry.Pairs(keypoints[i], keypoints[i+gap], m.Match(descriptors[i], descriptors[i+gap]))
			list = append(list, t)
		}
		trials = append(trials, list)
	}
	return trials, nil
}

// yamlNumbers returns the data of a matrix in one of OpenCV's YAML files.
func yamlNumbers(file, name string) ([]float64, error) {
	found := regexp.MustCompile(regexp.QuoteMeta(name) + `:[^\[]*\[([^\]]*)\]`).FindStringSubmatch(file)
	if found == nil {
		return nil, errors.New("no " + name)
	}
	var list []float64
	for field := range strings.SplitSeq(found[1], ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// rodrigues returns the pose of a rotation by a vector, whose length is the angle, and a translation.
func rodrigues(v []float64) pose.Pose {
	angle := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	sin, cos := math.Sincos(angle / 2)
	s := sin / angle
	return pose.FromQuaternion(cos, s*v[0], s*v[1], s*v[2], pose.Vector{v[3], v[4], v[5]})
}

// A boardView is a picture of a chessboard.
type boardView struct {
	pose    pose.Pose        // from the board to the camera
	corners []geometry.Point // without distortion
}

// boardPictures are the numbers of the pictures of a chessboard in opencv-doc. It has rows and
// columns of inner corners, and squares of that size.
var boardPictures = []string{"01", "02", "03", "04", "05", "06", "07", "08", "09", "11", "12", "13", "14"}

const boardColumns, boardRows, boardSquare = 9, 6, .025

// boardTrials returns trials of all pairs of the first pictures of a chessboard, whose poses the
// calibration in opencv-doc tells. It returns none where the package is not installed.
func boardTrials(p *peers.Peers, pictures []string) ([]poseTrial, error) {
	data, err := os.ReadFile(filepath.Join(sampleVideos, "left_intrinsics.yml"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	left, err := camera.ReadInfo(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	straight := camera.Camera{Fx: left.Fx, Fy: left.Fy, Cx: left.Cx, Cy: left.Cy}
	poses, err := yamlNumbers(string(data), "extrinsic_parameters")
	if err != nil {
		return nil, err
	}
	var views []boardView
	for i, name := range pictures {
		img, err := sampleGray("left" + name + ".jpg")
		if err != nil {
			return nil, err
		}
		v := boardView{pose: rodrigues(poses[6*i:])}
		corners, ok := p.Chessboard(peers.Chessboard, img, boardColumns, boardRows)
		if !ok {
			continue
		}
		sum := 0.0
		for j, c := range corners {
			seen := geometry.Point{X: float64(c.X), Y: float64(c.Y)}
			x, y, _ := left.Ray(seen)
			v.corners = append(v.corners, geometry.Point{X: x*straight.Fx + straight.Cx, Y: y*straight.Fy + straight.Cy})
			place, _ := left.Project(v.pose.Apply(pose.Vector{float64(j%boardColumns) * boardSquare, float64(j/boardColumns) * boardSquare}))
			sum += math.Hypot(place.X-seen.X, place.Y-seen.Y) / float64(len(corners))
		}
		if sum > 2 {
			return nil, fmt.Errorf("the corners of left%s.jpg are %.1f pixels from where its calibration has them", name, sum)
		}
		views = append(views, v)
	}
	var trials []poseTrial
	for i, a := range views {
		for _, b := range views[:i] {
			trials = append(trials, poseTrial{
				threshold: 2, camera: straight, a: a.corners, b: b.corners,
				truth: b.pose.Mul(a.pose.Inverse()),
			})
		}
	}
	return trials, nil
}

// stereoTrials returns trials of aloeL.jpg and aloeR.jpg of opencv-doc, with matches of ORB
// keypoints in numbers. The pictures are rectified: epipolar lines are rows. It returns none where
// the package is not installed.
func stereoTrials(numbers ...int) ([]poseTrial, error) {
	var pictures [2]*image.Gray
	for i, name := range []string{"aloeL.jpg", "aloeR.jpg"} {
		img, err := sampleGray(name)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		pictures[i] = img
	}
	size := pictures[0].Rect.Size()
	m := peers.Must(match.New[match.Descriptor](match.Options{CrossCheck: true}))
	var trials []poseTrial
	for _, n := range numbers {
		e := peers.Must(orb.New(orb.Options{Features: n}))
		from, query := e.Extract(pictures[0], nil)
		to, train := e.Extract(pictures[1], nil)
		t := poseTrial{threshold: 2}
		t.a, t.b, _ = geometry.Pairs(from, to, m.Match(query, train))
		for i := range exactPairs {
			p := geometry.Point{X: (float64(i%10) + .5) / 10 * float64(size.X), Y: (float64(i/10) + .5) / 10 * float64(size.Y)}
			t.exactA = append(t.exactA, p)
			t.exactB = append(t.exactB, geometry.Point{X: p.X - 60, Y: p.Y})
		}
		trials = append(trials, t)
	}
	return trials, nil
}
