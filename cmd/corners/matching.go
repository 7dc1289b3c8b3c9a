package main

import (
	"cmp"
	"image"
	"slices"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/photo"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/register"
)

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
