package main

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"math/rand/v2"

	"github.com/fastcorners/fast/evaluation/internal/views"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/sift"
)

// A solver finds the homography between two images. It reports false if it refuses.
type solver struct {
	name  string
	solve func(a, b *image.Gray) (geometry.Transform, bool)
}

// siftRatio is the ratio test of all matches of SIFT, which is the default of package register.
const siftRatio = .8

// solvers returns package register with different keypoints and, where it is installed, OpenCV's
// SIFT with findHomography.
func solvers() ([]solver, error) {
	var list []solver
	wide := sift.Wide()
	for _, of := range []struct {
		name string
		opts *sift.Options
	}{{"ORB", nil}, {"SIFT", &sift.Options{}}, {"sift.Wide", &wide}} {
		r := peers.Must(register.New(register.Options{SIFT: of.opts}))
		list = append(list, solver{of.name, func(a, b *image.Gray) (geometry.Transform, bool) {
			found, err := r.Register(a, b)
			return found.Transform, err == nil
		}})
	}
	opencv, err := peers.Open()
	if errors.Is(err, peers.ErrMissing) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	m := peers.Must(match.New[match.Vector](match.Options{Ratio: siftRatio, CrossCheck: true}))
	return append(list, solver{"OpenCV's SIFT", func(a, b *image.Gray) (geometry.Transform, bool) {
		from, query := opencv.SIFT(sift.Options{}, a, nil)
		to, train := opencv.SIFT(sift.Options{}, b, nil)
		p, q, _ := geometry.Pairs(from, to, m.Match(query, train))
		if len(p) < 4 {
			return geometry.Transform{}, false
		}
		return opencv.Estimate(geometry.Homography, peers.RANSAC, inlierThreshold, p, q)
	}}), nil
}

// A difficulty is pairs of images with the homographies between them.
type difficulty struct {
	name  string
	pairs []imagePair
}

type imagePair struct {
	a, b  *image.Gray
	truth geometry.Transform
}

// difficulties returns pairs of photos and views that not all keypoints are matched in.
func difficulties(photos []*image.Gray) ([]difficulty, error) {
	darker := func(value float64, rng *rand.Rand) float64 { return .5*value + 10*rng.NormFloat64() }
	var list []difficulty
	for _, v := range []view{
		{"tilt by 50°", views.Tilt(50), 1, nil},
		{"tilt by 60°", views.Tilt(60), 1, nil},
		{"tilt by 65°", views.Tilt(65), 1, nil},
		{"tilt by 70°", views.Tilt(70), 1, nil},
		{"scale 0.3", views.Scaling(.3), .3, nil},
		{"scale 0.2", views.Scaling(.2), .2, nil},
		{"rotation by 30°, tilt by 50°, half as light, noise", views.Rotation(30).Mul(views.Tilt(50)), 1, darker},
	} {
		d := difficulty{name: v.name}
		for _, photo := range photos {
			img, plane := v.of(photo)
			d.pairs = append(d.pairs, imagePair{photo, img, plane})
		}
		list = append(list, d)
	}
	// The homography is that of H1to3p.xml beside the pictures.
	a, err := sampleGray("graf1.png")
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	b, err := sampleGray("graf3.png")
	if err != nil {
		return nil, err
	}
	graffiti := geometry.Transform{
		7.6285898e-01, -2.9922929e-01, 2.2567123e+02,
		3.3443473e-01, 1.0143901e+00, -7.6999973e+01,
		3.4663091e-04, -1.4364524e-05, 1,
	}
	return append(list, difficulty{"graf1.png and graf3.png of opencv-doc", []imagePair{{a, b, graffiti}}}), nil
}

// Errors of homographies in pixels: below which one is a solution, and from which on it is wrong.
const solvedBelow, wrongSolution = 5, 10

// A score counts what a solver makes of pairs.
type score struct{ solved, wrong int }

// add counts a pair.
func (n *score) add(s solver, p imagePair) {
	found, ok := s.solve(p.a, p.b)
	if !ok {
		return
	}
	switch miss := p.miss(found); {
	case miss < solvedBelow:
		n.solved++
	case !(miss < wrongSolution):
		n.wrong++
	}
}

// miss returns the median distance between where a transform maps points of the first image and
// where they are in the second one, over those of 16 by 16 points that are in sight.
func (p imagePair) miss(found geometry.Transform) float64 {
	const n = 16
	size, in := p.a.Rect.Size(), p.b.Rect.Size()
	var list []float64
	for i := range n * n {
		from := geometry.Point{X: (float64(i%n) + .5) / n * float64(size.X), Y: (float64(i/n) + .5) / n * float64(size.Y)}
		belongs := p.truth.Apply(from)
		if belongs.X >= 0 && belongs.Y >= 0 && belongs.X <= float64(in.X-1) && belongs.Y <= float64(in.Y-1) {
			at := found.Apply(from)
			list = append(list, math.Hypot(at.X-belongs.X, at.Y-belongs.Y))
		}
	}
	return quantile(list, .5)
}

// solvedTable returns a table of how many pairs are solved.
func (s *session) solvedTable() (string, error) {
	list, err := solvers()
	if err != nil {
		return "", err
	}
	photos := s.photos
	if s.quick {
		photos = photos[:1]
	}
	all, err := difficulties(photos)
	if err != nil {
		return "", err
	}
	header := []string{"second image", "pairs"}
	for _, solver := range list {
		header = append(header, solver.name+": solved", "wrong")
	}
	s.steps(len(all))
	var rows [][]string
	for _, d := range all {
		row := []string{d.name, fmt.Sprint(len(d.pairs))}
		for _, solver := range list {
			var n score
			for _, p := range d.pairs {
				n.add(solver, p)
			}
			row = append(row, fmt.Sprint(n.solved), fmt.Sprint(n.wrong))
		}
		rows = append(rows, row)
		s.step()
	}
	return table(1, header, rows), nil
}
