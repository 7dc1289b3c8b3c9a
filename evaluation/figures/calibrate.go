package main

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

const (
	// boardScenes is the number of scenes of a kind, and quickBoards that in quick mode.
	boardScenes, quickBoards = 25, 2
	// wrongPlace is the distance of a corner from its place, in pixels, from which on it is wrong.
	wrongPlace = 2
	// calibrationSets is the number of sets of views whose camera is known, and setViews that of their views.
	calibrationSets, setViews = 10, 12
	// wrongHalves and wrongView are from which on package calibrate's documentation tells users to doubt.
	wrongHalves, wrongView = 3, 5
)

// A boardFinder finds chessboards, of which it may be told the size.
type boardFinder struct {
	name string
	find func(img *image.Gray, columns, rows int) []calibrate.Board
}

// boardFinders returns package calibrate and its peers.
func boardFinders(p *peers.Peers, opts calibrate.FinderOptions) []boardFinder {
	f := peers.Must(calibrate.NewFinder(opts))
	list := []boardFinder{{"package calibrate", func(img *image.Gray, _, _ int) []calibrate.Board { return f.Find(img) }}}
	for _, f := range peers.BoardFinders {
		list = append(list, boardFinder{f.String(), func(img *image.Gray, columns, rows int) []calibrate.Board {
			found, ok := p.Chessboard(f, img, columns, rows)
			if !ok {
				return nil
			}
			var corners []geometry.Point
			for _, c := range found {
				corners = append(corners, geometry.Point{X: float64(c.X), Y: float64(c.Y)})
			}
			return []calibrate.Board{*boardOf(columns, rows, corners)}
		}})
	}
	return list
}

// samplePair are the names of OpenCV's photos of a chessboard by two cameras.
var samplePair = [2]string{"left", "right"}

// samplePhotos returns the photos of a camera, or none where the package is not installed.
func (s *session) samplePhotos(name string) ([]*image.Gray, error) {
	var list []*image.Gray
	numbers := boardPictures
	if s.quick {
		numbers = numbers[:6]
	}
	for _, number := range numbers {
		img, err := sampleGray(name + number + ".jpg")
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, img)
	}
	return list, nil
}

// findSample returns the views of the photos of a chessboard that a finder finds, and their indices. All
// points weigh the same, as they do in OpenCV.
func findSample(f *boardFinder, photos []*image.Gray) (views []calibrate.View, indices []int) {
	for i, img := range photos {
		if boards := f.find(img, boardColumns, boardRows); len(boards) > 0 {
			if b := &boards[0]; b.Columns == boardColumns && b.Rows == boardRows && b.Complete() {
				v := b.View(1)
				v.Deviations = nil
				views, indices = append(views, v), append(indices, i)
			}
		}
	}
	return views, indices
}

// solve calibrates with a number of coefficients. The focal length need not be certain.
func solve(model camera.Model, coefficients int, size image.Point, views []calibrate.View) (calibrate.Calibration, error) {
	return peers.Must(calibrate.New(calibrate.Options{Model: model, Distortion: coefficients, MaxFocalError: -1})).Calibrate(size, views)
}

// sampleTable returns what finders make of OpenCV's photos.
func (s *session) sampleTable(finders []boardFinder, samples [2][]*image.Gray) string {
	var rows [][]string
	for i, photos := range samples {
		for k := range finders {
			views, _ := findSample(&finders[k], photos)
			row := []string{samplePair[i], finders[k].name, fmt.Sprintf("%d of %d", len(views), len(photos))}
			for _, n := range []int{5, 8} {
				rms := "-" // if there are too few views
				if c, err := solve(camera.BrownConrady, n, photos[0].Rect.Size(), views); err == nil {
					rms = pixels(c.RMS)
				}
				row = append(row, rms)
			}
			rows = append(rows, row)
			s.step()
		}
	}
	return table(2, []string{"photos", "by", "boards", "rms, 5 coefficients", "8 coefficients"}, rows)
}

// A boardRecord is what a finder made of scenes.
type boardRecord struct {
	boards, full, inside, wrong, invented int       // inside: the corners that are in the image, not at its edge
	squares                               []float64 // of the distances of corners
}

// add notes what was found in a scene. A board is invented if most of its corners are where none is.
func (r *boardRecord) add(s *boardScene, found []calibrate.Board) {
	r.boards += len(s.boards)
	for _, b := range s.boards {
		for _, p := range b.corners {
			if s.sees(p) {
				r.inside++
			}
		}
	}
	complete := make([]bool, len(s.boards))
	for _, b := range found {
		seen := make([]map[int]bool, len(s.boards)) // the true corners
		for i := range seen {
			seen[i] = map[int]bool{}
		}
		far := 0
		var squares []float64
		for _, p := range b.Corners {
			if math.IsNaN(p.X) {
				continue
			}
			nearest, board, corner := math.Inf(1), 0, 0
			for i := range s.boards {
				for k, q := range s.boards[i].corners {
					if d := distanceOf(p, q); d < nearest {
						nearest, board, corner = d, i, k
					}
				}
			}
			if nearest > wrongPlace {
				far++
				continue
			}
			squares = append(squares, nearest*nearest)
			seen[board][corner] = true
		}
		if 2*far > b.Count {
			r.invented++
			continue
		}
		r.wrong += far
		r.squares = append(r.squares, squares...)
		for i := range seen {
			complete[i] = complete[i] || len(seen[i]) == len(s.boards[i].corners) && b.Count == len(seen[i])
		}
	}
	for _, c := range complete {
		if c {
			r.full++
		}
	}
}

// sceneTable returns what finders make of rendered scenes.
func (s *session) sceneTable(finders []boardFinder, photos []*image.Gray) string {
	kinds, scenes := boardKinds, boardScenes
	if s.quick {
		scenes = quickBoards
	}
	header := []string{"", "by"}
	records := make([][]boardRecord, len(finders))
	for n, k := range kinds {
		header = append(header, k.name)
		rng := rand.New(rand.NewPCG(boardSeed, uint64(n)))
		for i := range finders {
			records[i] = append(records[i], boardRecord{})
		}
		for range scenes {
			scene := k.see(rng, photos)
			for i, f := range finders {
				records[i][n].add(scene, f.find(scene.image, scene.boards[0].columns, scene.boards[0].rows))
			}
			s.step()
		}
	}
	var rows [][]string
	for _, of := range []struct {
		name string
		cell func(r *boardRecord) string
	}{
		{"full boards", func(r *boardRecord) string { return fmt.Sprintf("%d of %d", r.full, r.boards) }},
		{"corners", func(r *boardRecord) string { return fmt.Sprintf("%d of %d", len(r.squares), r.inside) }},
		{"rms", func(r *boardRecord) string { return pixels(math.Sqrt(mean(r.squares))) }},
		{fmt.Sprintf("off by over %d", wrongPlace), func(r *boardRecord) string { return fmt.Sprint(r.wrong) }},
		{"invented boards", func(r *boardRecord) string { return fmt.Sprint(r.invented) }},
	} {
		for i, f := range finders {
			row := []string{of.name, f.name}
			for n := range kinds {
				row = append(row, of.cell(&records[i][n]))
			}
			rows = append(rows, row)
		}
	}
	return table(2, header, rows)
}

// withBoard matches the names of pictures of opencv-doc that have a chessboard.
var withBoard = regexp.MustCompile(`^((left|right)\d\d|chessboard)\.`)

// plainPhotos returns pictures without chessboards: the photos, and those of opencv-doc if it is
// installed.
func (s *session) plainPhotos() ([]*image.Gray, error) {
	list := slices.Clone(s.photos)
	files, err := os.ReadDir(sampleVideos)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		ext := filepath.Ext(f.Name())
		if (ext != ".jpg" && ext != ".png") || withBoard.MatchString(f.Name()) {
			continue
		}
		img, err := sampleGray(f.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, img)
	}
	if s.quick {
		list = list[:2]
	}
	return list, nil
}

// inventedTable returns how many boards are found in pictures that have none.
func (s *session) inventedTable(finders []boardFinder, few *boardFinder, photos []*image.Gray) string {
	all := append([]boardFinder{finders[0], *few}, finders[1:]...)
	all[1].name += ", MinCorners 12"
	var header, row []string
	for _, f := range all {
		n := 0
		for _, img := range photos {
			n += len(f.find(img, boardColumns, boardRows))
		}
		header, row = append(header, f.name), append(row, fmt.Sprint(n))
		s.step()
	}
	return table(0, header, [][]string{row})
}

// A viewSet is views of one camera, of boards of one size.
type viewSet struct {
	name          string
	model         camera.Model
	size          image.Point
	columns, rows int
	views         []calibrate.View
}

// setSize is the size of the boards of sets.
var setSize = image.Pt(9, 6)

// seeSet returns a set of rendered views, found by f, of one camera, and the camera.
func (s *session) seeSet(k boardKind, f *boardFinder, photos []*image.Gray, seed uint64) (viewSet, camera.Camera) {
	rng := rand.New(rand.NewPCG(boardSeed, seed))
	size := photos[0].Rect.Size()
	c := k.camera(rng, size)
	set := viewSet{name: k.name, model: k.lens.Model, size: size, columns: setSize.X, rows: setSize.Y}
	for len(set.views) < setViews {
		scene := k.place(rng, c, size, setSize)
		k.draw(rng, scene, photos)
		if boards := f.find(scene.image, setSize.X, setSize.Y); len(boards) == 1 && boards[0].Complete() && boards[0].Columns == setSize.X {
			set.views = append(set.views, boards[0].View(1))
		}
		s.step()
	}
	return set, c
}

// uncertainty returns the root mean square of the uncertainty over the image, and the largest one.
func uncertainty(list []float64) (typical, most float64) {
	var squares []float64
	for _, u := range list {
		if !math.IsNaN(u) {
			squares, most = append(squares, u*u), max(most, u)
		}
	}
	return math.Sqrt(mean(squares)), most
}

// uncertainPlaces are 16 by 12 places all over an image.
func uncertainPlaces(size image.Point) (list [][2]float64) {
	for i := range 16 * 12 {
		x, y := float64(i%16)+.5, float64(i/16)+.5
		list = append(list, [2]float64{x*float64(size.X)/16 - .5, y*float64(size.Y)/12 - .5})
	}
	return list
}

// solverTable returns the cameras that are found from the same corners, and what OpenCV says where it
// fails.
func (s *session) solverTable(p *peers.Peers, sets []viewSet) (string, error) {
	mrcal := peers.HasMrcal()
	var rows [][]string
	for _, set := range sets {
		views := peers.Float32(set.views)
		coefficients := []int{5, 8}
		if set.model == camera.KannalaBrandt {
			coefficients = []int{4}
		}
		for _, n := range coefficients {
			row := func(by string, rms, fx, fy float64, cells ...string) {
				rows = append(rows, append([]string{set.name, fmt.Sprint(n), by, fmt.Sprintf("%.9f", rms), fmt.Sprintf("%.5f", fx), fmt.Sprintf("%.5f", fy)}, cells...))
			}
			ours, err := solve(set.model, n, set.size, views)
			if err != nil {
				return "", err
			}
			places := uncertainPlaces(set.size)
			var list []float64
			for _, at := range places {
				list = append(list, ours.Uncertainty(geometry.Point{X: at[0], Y: at[1]}))
			}
			typical, most := uncertainty(list)
			row("package calibrate", ours.RMS, ours.Camera.Fx, ours.Camera.Fy, pixels(ours.StandardDeviations()[0]), pixels(typical), pixels(most))
			theirs, err := p.Calibrate(set.model, n, set.size, views)
			switch {
			case err != nil:
				rows = append(rows, []string{set.name, fmt.Sprint(n), "OpenCV", "fails: " + strings.TrimSpace(err.Error()), "", "", "", "", ""})
			case set.model == camera.KannalaBrandt:
				row("OpenCV", theirs.RMS, theirs.Camera.Fx, theirs.Camera.Fy, "", "", "")
			default:
				row("OpenCV", theirs.RMS, theirs.Camera.Fx, theirs.Camera.Fy, pixels(theirs.Deviations[0]), "", "")
			}
			if mrcal && set.model == camera.BrownConrady {
				m, err := peers.Mrcal(&peers.MrcalProblem{
					Width: set.size.X, Height: set.size.Y, Columns: set.columns, Rows: set.rows, Coefficients: n,
					Focal: ours.Camera.Fx, Views: imagePoints(views), Places: places,
				})
				if err != nil {
					return "", err
				}
				typical, most := uncertainty(m.Uncertainty)
				row("mrcal", m.RMS, m.Fields[0], m.Fields[1], "", pixels(typical), pixels(most))
			}
			s.step()
		}
	}
	return table(3, []string{"views", "coefficients", "by", "rms", "Fx", "Fy", "deviation of Fx", "uncertainty, rms", "most"}, rows), nil
}

// imagePoints returns the pixels of views.
func imagePoints(views []calibrate.View) (all [][][2]float64) {
	for _, v := range views {
		var list [][2]float64
		for _, q := range v.Image {
			list = append(list, [2]float64{q.X, q.Y})
		}
		all = append(all, list)
	}
	return all
}

// pairTable returns the poses of the second camera of OpenCV's photos in the frame of the first one.
func pairTable(p *peers.Peers, f *boardFinder, samples [2][]*image.Gray) (string, error) {
	size := samples[0][0].Rect.Size()
	var cameras [2]calibrate.Calibration
	var seen [2]map[int]calibrate.View
	for i, photos := range samples {
		views, indices := findSample(f, photos)
		views = peers.Float32(views)
		seen[i] = map[int]calibrate.View{}
		for k, v := range views {
			seen[i][indices[k]] = v
		}
		c, err := solve(camera.BrownConrady, 5, size, views)
		if err != nil {
			return "", err
		}
		cameras[i] = c
	}
	var pairs [][2]calibrate.View
	for k := range samples[0] {
		a, aok := seen[0][k]
		b, bok := seen[1][k]
		if aok && bok {
			pairs = append(pairs, [2]calibrate.View{a, b})
		}
	}
	ours, err := peers.Must(calibrate.New(calibrate.Options{})).Pair(cameras[0], cameras[1], pairs)
	if err != nil {
		return "", err
	}
	theirs, rms, err := p.Pair(cameras[0].Camera, cameras[1].Camera, size, pairs)
	if err != nil {
		return "", err
	}
	row := func(by string, rms float64, at pose.Pose) []string {
		return []string{by, fmt.Sprintf("%.9f", rms), fmt.Sprintf("%.6f, %.6f, %.6f", at.T[0], at.T[1], at.T[2])}
	}
	return table(1, []string{"by", "rms", "shift, squares"}, [][]string{row("package calibrate", ours.RMS, ours.Pose), row("OpenCV", rms, theirs)}), nil
}

// root returns the root mean square of a list.
func root(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(list)))
}

// A knownSet is a set of views of a camera that is known.
type knownSet struct {
	viewSet
	camera camera.Camera
}

// seeSets returns sets of each lens.
func (s *session) seeSets(f *boardFinder, photos []*image.Gray) (all [][]knownSet) {
	kinds, sets := []boardKind{pinholeBoards, barrelBoards, fisheyeBoards}, calibrationSets
	if s.quick {
		sets = 1
	}
	for n, k := range kinds {
		var list []knownSet
		for i := range sets {
			set, c := s.seeSet(k, f, photos, uint64(100*(n+1)+i))
			list = append(list, knownSet{set, c})
		}
		all = append(all, list)
	}
	return all
}

// truthTable returns how far cameras are from the true ones, and what is said about that.
func truthTable(all [][]knownSet) (string, error) {
	header := []string{"lens", "sets", "rms", "Fx off by, rms", "said", "projections off by, rms", "said"}
	var rows [][]string
	for _, sets := range all {
		var rms, focal, focalSaid, off, said []float64
		for _, set := range sets {
			c, err := solve(set.model, 0, set.size, set.views)
			if err != nil {
				return "", err
			}
			rms = append(rms, c.RMS)
			focal, focalSaid = append(focal, c.Camera.Fx-set.camera.Fx), append(focalSaid, c.StandardDeviations()[0])
			off = append(off, calibrate.Difference(c.Camera, set.camera, set.size))
			said = append(said, c.Suggest(set.columns, set.rows).Before)
		}
		rows = append(rows, []string{sets[0].name, fmt.Sprint(len(sets)), pixels(root(rms)), pixels(root(focal)), pixels(root(focalSaid)), pixels(root(off)), pixels(root(said))})
	}
	return table(1, header, rows), nil
}

// A fault makes a view of a board wrong. c is the camera and at the pose of the board.
type fault struct {
	name  string
	spoil func(c *calibrate.Calibration, at pose.Pose, v calibrate.View) calibrate.View
}

var faults = []fault{
	{"none", func(_ *calibrate.Calibration, _ pose.Pose, v calibrate.View) calibrate.View { return v }},
	{"a board bent by a tenth of a square", func(c *calibrate.Calibration, at pose.Pose, v calibrate.View) calibrate.View {
		image := slices.Clone(v.Image)
		for i, x := range v.World {
			u := 2*x[0]/float64(setSize.X-1) - 1
			flat, _ := c.Camera.Project(at.Apply(x))
			bent, _ := c.Camera.Project(at.Apply(pose.Vector{x[0], x[1], .1 * (1 - u*u)}))
			image[i].X += bent.X - flat.X
			image[i].Y += bent.Y - flat.Y
		}
		return calibrate.View{World: v.World, Image: image}
	}},
	{"squares 1 % wider than high", func(_ *calibrate.Calibration, _ pose.Pose, v calibrate.View) calibrate.View {
		world := slices.Clone(v.World)
		for i := range world {
			world[i][0] /= 1.01
		}
		return calibrate.View{World: world, Image: v.Image}
	}},
	{"a row of corners off by one", func(_ *calibrate.Calibration, _ pose.Pose, v calibrate.View) calibrate.View {
		world := slices.Clone(v.World)
		for i := range world {
			if world[i][1] == 2 {
				world[i][0]++
			}
		}
		return calibrate.View{World: world, Image: v.Image}
	}},
}

// faultTable returns whether it is told that one view is wrong.
func faultTable(all [][]knownSet) (string, error) {
	header := []string{"the fifth view", "lens", "rms", "Halves: difference", "predicted", "told", "Influence of the view", "most of the others", "told"}
	var rows [][]string
	for _, f := range faults {
		for _, sets := range all {
			var rms, halves, predicted, influence, others []float64
			told, named := 0, 0
			for _, set := range sets {
				const bad = 4
				good, err := solve(set.model, 0, set.size, set.views)
				if err != nil {
					return "", err
				}
				views := slices.Clone(set.views)
				views[bad] = f.spoil(&good, good.Poses[bad], views[bad])
				c, err := solve(set.model, 0, set.size, views)
				if err != nil {
					return "", err
				}
				h, err := peers.Must(calibrate.New(calibrate.Options{Model: set.model})).Halves(set.size, views)
				if err != nil {
					return "", err
				}
				list := c.Influence()
				rms, halves, predicted = append(rms, c.RMS), append(halves, h.Difference), append(predicted, h.Predicted)
				influence = append(influence, list[bad])
				rest := slices.Max(slices.Concat(list[:bad], list[bad+1:]))
				others = append(others, rest)
				if h.Difference > wrongHalves*h.Predicted {
					told++
				}
				if list[bad] > wrongView && list[bad] > rest {
					named++
				}
			}
			of := fmt.Sprintf(" of %d", len(sets))
			rows = append(rows, []string{
				f.name, sets[0].name, pixels(root(rms)), pixels(measure.Median(halves)), pixels(measure.Median(predicted)), fmt.Sprint(told) + of,
				fmt.Sprintf("%.1f", measure.Median(influence)), fmt.Sprintf("%.1f", measure.Median(others)), fmt.Sprint(named) + of,
			})
		}
	}
	return table(2, header, rows), nil
}

// seeBoards returns images of pinholes of one size, with boards.
func (s *session) seeBoards(size spec) []peers.BoardImage {
	photos := s.frames(size)
	rng := rand.New(rand.NewPCG(boardSeed, uint64(1000+size.W)))
	k := pinholeBoards
	var list []peers.BoardImage
	for range photos {
		scene := k.see(rng, photos)
		list = append(list, peers.BoardImage{Image: scene.image, Columns: scene.boards[0].columns, Rows: scene.boards[0].rows})
		s.step()
	}
	return list
}

// raceBoards adds the times of finders to c.
func (s *session) raceBoards(c *comparison, p *peers.Peers) {
	for _, size := range []spec{{640, 480, 8, 9}, {1920, 1080, 3, 5}} {
		size = s.shorten(size)
		var none []peers.BoardImage
		for _, photo := range s.frames(size) {
			none = append(none, peers.BoardImage{Image: photo, Columns: boardColumns, Rows: boardRows})
		}
		for i, list := range [][]peers.BoardImage{s.seeBoards(size), none} {
			times, ghz := compare(s, []peers.Test[peers.BoardImage]{p.BoardTest()}, list, len(list), size.Rounds)
			what := [2]string{"a board", "no board"}[i]
			c.inputs = append(c.inputs, input{fmt.Sprintf("%v, %s", size, what), fmt.Sprintf("%v, %s", size, what)})
			c.parts[0].times = append(c.parts[0].times, times)
			c.clocks = append(c.clocks, ghz)
		}
	}
}

// raceSolvers returns the times of calibrations with true corners and noise of 0.1 pixels.
func (s *session) raceSolvers(p *peers.Peers, size image.Point) string {
	header := []string{"test", nameColumn}
	var rows [][]string
	for column, n := range []int{13, 25} {
		rng := rand.New(rand.NewPCG(boardSeed, uint64(2000+n)))
		k := barrelBoards
		c := k.camera(rng, size)
		var views []calibrate.View
		for range n {
			v := k.place(rng, c, size, setSize).view()
			for i := range v.Image {
				v.Image[i].X += .1 * rng.NormFloat64()
				v.Image[i].Y += .1 * rng.NormFloat64()
			}
			views = append(views, v)
		}
		rounds := tagRounds
		if s.quick {
			rounds = 2
		}
		times, _ := compare(s, p.CalibrationTests(size), [][]calibrate.View{views}, 1, rounds)
		header = append(header, fmt.Sprintf("%d views", n))
		for i, t := range times {
			if column == 0 {
				name := t.Name
				if t.Peer {
					name += " *"
				}
				rows = append(rows, []string{t.Test, name})
			}
			rows[i] = append(rows[i], cell(t, 1e6))
		}
	}
	return table(2, header, rows)
}

// raceWorkers returns the times of a Finder with several workers.
func (s *session) raceWorkers() string {
	size := s.shorten(spec{1920, 1080, 25, 5})
	list := s.seeBoards(size)
	var contenders []func(peers.BoardImage)
	header := []string{"workers"}
	for _, n := range []int{1, 2, 8} {
		if n > runtime.NumCPU() {
			break
		}
		f := peers.Must(calibrate.NewFinder(calibrate.FinderOptions{Workers: n}))
		var boards []calibrate.Board
		contenders = append(contenders, func(b peers.BoardImage) { boards = f.AppendFind(boards[:0], b.Image) })
		header = append(header, fmt.Sprint(n))
	}
	r := measure.Race(contenders, list, len(list), size.Rounds, s.step)
	s.spreads = append(s.spreads, r.Spread...)
	row := []string{fmt.Sprintf("%v, a board", size)}
	for i := range contenders {
		row = append(row, cell(peers.Time{Nanoseconds: r.Nanoseconds[i], Spread: r.Spread[i], Speedup: r.Ratio(0, i)}, 1e6))
	}
	return table(1, header, [][]string{row})
}

// compareCalibrations compares package calibrate with OpenCV and mrcal.
func compareCalibrations(s *session, p *peers.Peers) (map[string][]byte, error) {
	s.steps(-1)
	size := spec{W: 640, H: 480, Frames: 24}
	photos := s.frames(size)
	usual, small := boardFinders(p, calibrate.FinderOptions{}), boardFinders(p, calibrate.FinderOptions{MinCorners: 12})
	ours := &usual[0]
	c := &comparison{
		name:        "calibrate",
		title:       "Package calibrate, OpenCV and mrcal side by side",
		work:        work{1e6, "ns_per_frame", "%.0f", "frames per second", 1e9, "%.1f"},
		inputColumn: "frames",
		parts:       []part{{}},
		chartTitle:  "Chessboards found",
		chartNote:   "Rendered boards before photos, and photos, in one process, taking turns, one thread each.",
	}
	s.raceBoards(c, p)
	c.more = append(c.more,
		"## Times of calibrations", fmt.Sprintf("Milliseconds. Corners of boards of %d by %d squares, of %v pixels, with noise of 0.1 pixels.", setSize.X+1, setSize.Y+1, size), s.raceSolvers(p, photos[0].Rect.Size()),
		"## Workers", "Milliseconds for a frame by so many workers with the best instruction set, and in parentheses how many times as long one takes.", s.raceWorkers())

	var samples [2][]*image.Gray
	for i, name := range samplePair {
		list, err := s.samplePhotos(name)
		if err != nil {
			return nil, err
		}
		samples[i] = list
	}
	var sets []viewSet
	if samples[0] != nil {
		c.more = append(c.more, "## OpenCV's photos", "The boards of left01.jpg to left14.jpg and right01.jpg to right14.jpg of Debian's package opencv-doc that are found, and the root mean square error in pixels after package calibrate's calibration with them.", s.sampleTable(usual, samples))
		for i, photos := range samples {
			views, _ := findSample(ours, photos)
			sets = append(sets, viewSet{samplePair[i], camera.BrownConrady, photos[0].Rect.Size(), boardColumns, boardRows, views})
		}
	}
	plain, err := s.plainPhotos()
	if err != nil {
		return nil, err
	}
	all := s.seeSets(ours, photos)
	for _, list := range all {
		sets = append(sets, list[0].viewSet)
	}
	solved, err := s.solverTable(p, sets)
	if err != nil {
		return nil, err
	}
	truth, err := truthTable(all)
	if err != nil {
		return nil, err
	}
	doubts, err := faultTable(all)
	if err != nil {
		return nil, err
	}
	c.more = append(c.more,
		"## Rendered boards", fmt.Sprintf("Scenes of %v pixels before photos, %d of each kind, with boards of 4 by 3 to 11 by 8 corners and squares of at least %d pixels. MinCorners is 12. OpenCV finds one board. "+
			"Full boards have all corners, each within %d pixels of its place; rms is that of the distances from the truth of all corners that are. "+
			"Corners are counted up to %d pixels from the edges of the image; some nearer ones are found, too. An invented board has most corners where none is.", size, boardScenes, leastSquare, wrongPlace, boardMargin),
		s.sceneTable(small, photos),
		"## No boards", fmt.Sprintf("How many boards are found in %d pictures that have none. OpenCV looks for %d by %d corners.", len(plain), boardColumns, boardRows), s.inventedTable(usual, &small[0], plain),
		"## The same corners", "Cameras from the corners that package calibrate finds, rounded to float32. OpenCV divides by too small a number for its deviations, which are √2 times as large. The minimum with 8 coefficients is in a flat valley, where all may stop too early. mrcal neither regularizes nor rejects corners; "+
			"its uncertainty and that of package calibrate are those of projections at infinity in the worst direction, in pixels, over 16 by 12 places.", solved)
	if !peers.HasMrcal() {
		c.more = append(c.more, "mrcal is not installed.")
	}
	if samples[0] != nil {
		text, err := pairTable(p, ours, samples)
		if err != nil {
			return nil, err
		}
		c.more = append(c.more, "The right camera in the frame of the left one, both fixed:", text)
	}
	c.more = append(c.more,
		"## Known cameras", fmt.Sprintf("Sets of %d rendered views of boards of %d by %d squares. Projections are compared all over the image, by Difference.", setViews, setSize.X+1, setSize.Y+1), truth,
		"## A wrong view", fmt.Sprintf("The same sets with one view that is wrong. Told: Halves differ by over %d times what is predicted; the Influence of the view is over %d and the largest.", wrongHalves, wrongView), doubts)
	versions := "It finds boards of any size, and OpenCV is told the size."
	if peers.HasMrcal() {
		versions += " mrcal is " + peers.VersionOfMrcal() + "."
	}
	c.about = aboutComparison("Milliseconds per frame", peers.CalibratePackages, versions+" `OpenCV` is findChessboardCorners and cornerSubPix with windows of 11 by 11 pixels, 40 iterations and an epsilon of 0.001; "+
		"its sample calibration.cpp adds CALIB_CB_FAST_CHECK, with windows of 23 by 23, 30 iterations and 0.0001; SB is findChessboardCornersSB with CALIB_CB_ACCURACY and CALIB_CB_EXHAUSTIVE.")
	return s.files(c)
}
