package main

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

const (
	maxFeatures = 300 // the number of features that are followed
	apart       = 20  // their least distance from each other, in pixels

	// A track is right if it leads back to where it began, to this many pixels.
	farBack = 0.3

	// A point can be triangulated when the rays of two cameras meet at this angle, in radians.
	wideAngle = 0.035

	// A frame becomes a keyframe when features have moved by this many pixels, or when fewer than
	// this share of them is found. A frame that shows next to none is a bad one.
	keyframeShift    = 40
	keyframeFound    = 0.8
	keyframeFoundMin = 0.15

	// A camera that turns by more pixels from one frame to the next blurs them: a keyframe can
	// wait then, as long as this share of the features is found.
	blurringTurn  = 12
	blurringFound = 0.4
)

// A feature is a corner that is followed from frame to frame. Its point in the world is NaN until
// it has been seen from two places.
type feature struct {
	keyframe flow.Point // where the last keyframe shows it
	last     flow.Point // where it was seen last
	strength float32
	world    pose.Vector
	seen     []sighting
}

// A sighting is the place of a feature in a keyframe, of which it has the number.
type sighting struct {
	keyframe int
	at       geometry.Point
}

var unknown = pose.Vector{math.NaN(), math.NaN(), math.NaN()}

// still is the pose of a camera that has not moved.
var still = pose.Identity()

func (f *feature) known() bool { return f.world == f.world }

// These methods make a feature a point.Strong, so that package fast can choose among features.
func (f *feature) Pt() image.Point          { return f.keyframe.Pt() }
func (f *feature) Position() (x, y float32) { return f.keyframe.Position() }
func (f *feature) Strength() float32        { return f.strength }

// An odometry finds the way of a camera. The world has the axes of the first camera, and the step
// from the first keyframe to the second one is the unit of length.
type odometry struct {
	camera    camera.Camera
	detector  *fast.Detector
	tracker   *flow.Tracker
	estimator *pose.Estimator
	refiner   *pose.Refiner

	pose  pose.Pose // of the last frame, from the world to the camera, or a guess if it was not found
	step  pose.Pose // from one frame to the next
	found bool      // whether pose was found

	keyframes []pose.Pose
	image     *image.Gray   // of the last keyframe
	pyramid   *flow.Pyramid // of image
	features  []*feature    // that are followed
	landmarks []*feature    // that are known, also those lost a short time ago

	// Of the frame, one for each feature.
	tracks  []flow.Track
	a, b    []geometry.Point // the places in the keyframe and in the frame; NaN if not found
	inliers []bool

	// Memory that is used again.
	spare           *flow.Pyramid
	points, guesses []flow.Point
	excess          []geometry.Point
	back            []flow.Track
	world           []pose.Vector
	corners         []fast.Corner
}

func newOdometry(c camera.Camera) (*odometry, error) {
	o := &odometry{camera: c, pyramid: new(flow.Pyramid), spare: new(flow.Pyramid)}
	var err error
	if o.detector, err = fast.New(fast.Options{Threshold: 12, ArcLength: 9, NonmaxSuppression: true}); err != nil {
		return nil, err
	}
	if o.tracker, err = flow.New(flow.Options{Window: image.Pt(11, 11), Iterations: 15, Epsilon: 0.02, KeepInside: true}); err != nil {
		return nil, err
	}
	if o.estimator, err = pose.New(pose.Options{InlierThreshold: 1}); err != nil {
		return nil, err
	}
	if o.refiner, err = pose.NewRefiner(pose.RefinerOptions{HuberThreshold: 0.25, Iterations: 3}); err != nil {
		return nil, err
	}
	return o, nil
}

// Push takes the next frame, whose pixels must not change any more. It returns the pose of the
// camera, from the world to its frame, and whether it was found. If not, it is a guess.
func (o *odometry) Push(img *image.Gray) (pose.Pose, bool) {
	frame := o.tracker.PyramidInto(o.spare, img)
	if len(o.keyframes) == 0 {
		o.pose, o.step = still, still
		o.addKeyframe(img, frame)
		return o.pose, true
	}
	o.follow(frame)
	ok := false
	if len(o.keyframes) == 1 {
		ok = o.start()
	} else {
		ok = o.locate()
	}
	if ok && (len(o.keyframes) == 1 || o.keyframeDue()) {
		o.confirm(frame)
		o.undeform()
		o.addKeyframe(img, frame)
	}
	return o.pose, ok
}

// follow finds the features in a frame: from the last keyframe, not from the last frame. So
// errors do not add up from frame to frame, and what one frame does not show, since it is dark or
// blurred, is found again in a later one. A known point is looked for where the frame shows it if
// the camera moves on as before.
func (o *odometry) follow(frame *flow.Pyramid) {
	o.points, o.guesses = o.points[:0], o.guesses[:0]
	guess := o.step.Mul(o.pose)
	for _, f := range o.features {
		o.points = append(o.points, f.keyframe)
		at, ok := o.camera.Project(guess.Apply(f.world))
		if ok {
			o.guesses = append(o.guesses, flow.Point{X: float32(at.X), Y: float32(at.Y)})
		} else {
			o.guesses = append(o.guesses, f.last)
		}
	}
	o.tracks = o.tracker.AppendTrack(o.tracks[:0], o.pyramid, frame, o.points, o.guesses)
	o.a, o.b = geometry.AppendTracks(o.a[:0], o.b[:0], o.points, o.tracks)
	o.inliers = slices.Grow(o.inliers[:0], len(o.tracks))[:len(o.tracks)]
}

// confirm follows the features of a frame that becomes a keyframe back again. Those that do not
// arrive where they were are lost.
func (o *odometry) confirm(frame *flow.Pyramid) {
	o.guesses = o.guesses[:0]
	for _, t := range o.tracks {
		o.guesses = append(o.guesses, t.Point())
	}
	o.back = o.tracker.AppendTrack(o.back[:0], frame, o.pyramid, o.guesses, o.points)
	for i, t := range o.back {
		p := o.points[i]
		if !t.Found() || math.Hypot(float64(t.X-p.X), float64(t.Y-p.Y)) > farBack {
			o.tracks[i].Status = flow.Lost
		}
	}
}

// start finds the pose of the second keyframe. It reports false until the frame shows enough
// parallax: before, nothing tells how far away points are.
func (o *odometry) start() bool {
	motion, err := o.estimator.Relative(o.camera, o.camera, o.a, o.b, nil, o.inliers)
	if err != nil || motion.Inliers < len(o.features)/2 {
		// The first keyframe is out of sight. The next frame takes its place.
		o.keyframes, o.features = nil, nil
		return false
	}
	wide := 0
	for i, f := range o.features {
		if !o.inliers[i] {
			o.tracks[i].Status = flow.Lost
			continue
		}
		f.last = o.tracks[i].Point()
		x, ok := motion.Pose.Triangulate(o.camera, o.camera, o.a[i], o.b[i])
		if ok && angle(x, pose.Vector{}, motion.Pose.Center()) > wideAngle {
			wide++
		}
	}
	if motion.Turn || motion.Ambiguous || wide < motion.Inliers*2/5 {
		return false // Where two motions explain the points of a plane, a later frame may decide.
	}
	o.pose, o.found = motion.Pose, false
	return true
}

// locate finds the pose of the camera from the points of the world that the frame shows. While
// the camera turns on the spot, no new points become known, but those known before suffice.
func (o *odometry) locate() bool {
	o.world = o.world[:0]
	for _, f := range o.features {
		o.world = append(o.world, f.world)
	}
	// Unknown points and places that were not found are NaN, and do not count.
	fit, err := o.estimator.Absolute(o.camera, o.world, o.b, nil, o.inliers)
	if err != nil {
		o.pose, o.found = o.step.Mul(o.pose), false
		return false
	}
	if o.found {
		o.step = fit.Pose.Mul(o.pose.Inverse())
	}
	o.pose, o.found = fit.Pose, true
	for i, f := range o.features {
		if f.known() && !o.inliers[i] {
			o.tracks[i].Status = flow.Lost
		} else if o.tracks[i].Found() {
			f.last = o.tracks[i].Point()
		}
	}
	return true
}

// keyframeDue reports whether the frame should become a keyframe.
func (o *odometry) keyframeDue() bool {
	found, shift := 0, 0.0
	for i, t := range o.tracks {
		if t.Found() {
			found++
			shift += math.Hypot(o.b[i].X-o.a[i].X, o.b[i].Y-o.a[i].Y)
		}
	}
	share := float64(found) / float64(len(o.tracks))
	if turn := math.Hypot(o.camera.Fx*o.step.R[2], o.camera.Fy*o.step.R[5]); turn > blurringTurn && share > blurringFound {
		return false
	}
	return share > keyframeFoundMin && (share < keyframeFound || shift/float64(found) > keyframeShift)
}

// addKeyframe makes the frame a keyframe and refines its pose.
func (o *odometry) addKeyframe(img *image.Gray, frame *flow.Pyramid) {
	o.image, o.pyramid, o.spare = img, frame, o.pyramid
	o.keyframes = append(o.keyframes, o.pose)
	number := len(o.keyframes) - 1

	// Features that the frame shows are followed from here on, the others no more. Known or not,
	// they are preferred to the new ones.
	kept := o.features[:0]
	for i, f := range o.features {
		if !o.tracks[i].Found() {
			continue
		}
		f.keyframe, f.last = o.tracks[i].Point(), o.tracks[i].Point()
		f.strength = math.MaxFloat32
		f.seen = append(f.seen, sighting{number, o.b[i]})
		if !f.known() {
			o.triangulate(f)
		}
		kept = append(kept, f)
	}
	o.features = kept
	o.refine()
	o.pose = o.keyframes[number]

	o.corners = o.detector.Append(o.corners[:0], img)
	for _, c := range o.corners {
		at := flow.Point{X: float32(c.X), Y: float32(c.Y)}
		o.features = append(o.features, &feature{
			keyframe: at, last: at, strength: c.Strength(), world: unknown,
			seen: []sighting{{number, geometry.Point{X: float64(c.X), Y: float64(c.Y)}}},
		})
	}
	o.features = fast.Strongest(fast.Apart(o.features, apart), maxFeatures)
}

// triangulate makes the point of a feature known if its first and its last sighting show enough
// parallax.
func (o *odometry) triangulate(f *feature) {
	first, last := f.seen[0], f.seen[len(f.seen)-1]
	a, b := o.keyframes[first.keyframe], o.keyframes[last.keyframe]
	views := []pose.View{{Camera: o.camera, Pose: a}, {Camera: o.camera, Pose: b}}
	x, ok := pose.Triangulate(views, []geometry.Point{first.at, last.at})
	if ok && angle(x, a.Center(), b.Center()) > wideAngle {
		f.world = x
		o.landmarks = append(o.landmarks, f)
	}
}

// angle returns the angle at which x sees the cameras at a and b, in radians.
func angle(x, a, b pose.Vector) float64 {
	p, q := a.Sub(x), b.Sub(x)
	return math.Acos(max(-1, min(1, p.Dot(q)/(p.Norm()*q.Norm()))))
}
