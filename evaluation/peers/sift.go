package peers

import (
	"cmp"
	"image"
	"slices"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
)

// SIFTPackages are the packages with kernels that the tests of package sift use.
var SIFTPackages = []string{"sift"}

// extractSIFT has OpenCV find keypoints, or take those given, and describe them if it is to.
func (p *Peers) extractSIFT(opts *sift.Options, describe bool, img, mask *image.Gray, given []sift.Keypoint) int {
	return found("SIFT", p.calls.sift(opts, describe, img, mask, given))
}

// SIFT returns the keypoints and descriptors of OpenCV's SIFT, in the order that package sift has
// them in. Of the options, those that OpenCV has count. The mask may be nil.
func (p *Peers) SIFT(opts sift.Options, img, mask *image.Gray) ([]sift.Keypoint, []match.Vector) {
	kps, descs := p.calls.vectors(p.extractSIFT(&opts, true, img, mask, nil))
	order := make([]int, len(kps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &kps[i], &kps[j]
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), cmp.Compare(b.Size, a.Size), cmp.Compare(a.Angle, b.Angle))
	})
	sorted, sortedDescs := make([]sift.Keypoint, len(kps)), make([]match.Vector, len(kps))
	for i, from := range order {
		sorted[i], sortedDescs[i] = kps[from], descs[from]
	}
	return sorted, sortedDescs
}

// DescribeSIFT returns the descriptors of OpenCV's SIFT for keypoints of img.
func (p *Peers) DescribeSIFT(opts sift.Options, kps []sift.Keypoint, img *image.Gray) []match.Vector {
	if len(kps) == 0 {
		return nil
	}
	_, descs := p.calls.vectors(p.extractSIFT(&opts, true, img, nil, kps))
	return descs
}

// A SIFTInput is an image and its keypoints.
type SIFTInput struct {
	Image     *image.Gray
	Keypoints []sift.Keypoint
}

// The tests of package sift: to find and describe keypoints, to find them, and to describe those
// given.
const (
	WholeSIFT      = "whole"
	DetectSIFT     = "detect"
	DescribingSIFT = "describe"
)

// SIFTTests returns the tests of package sift. Portable Go is left out: it takes seconds.
func (p *Peers) SIFTTests() []Test[SIFTInput] {
	var opts sift.Options
	var kps []sift.Keypoint
	var descs []match.Vector
	e := Must(sift.New(opts))
	tests := []struct {
		name         string
		ours, theirs func(in SIFTInput)
	}{
		{
			WholeSIFT,
			func(in SIFTInput) { kps, descs = e.Append(kps[:0], descs[:0], in.Image, nil) },
			func(in SIFTInput) { p.extractSIFT(&opts, true, in.Image, nil, nil) },
		},
		{
			DetectSIFT,
			func(in SIFTInput) { e.Detect(in.Image, nil) },
			func(in SIFTInput) { p.extractSIFT(&opts, false, in.Image, nil, nil) },
		},
		{
			DescribingSIFT,
			func(in SIFTInput) { descs = e.AppendDescribe(descs[:0], in.Keypoints, in.Image) },
			func(in SIFTInput) { p.extractSIFT(&opts, true, in.Image, nil, in.Keypoints) },
		},
	}
	var list []Test[SIFTInput]
	for _, t := range tests {
		ours := contenders(SIFTPackages, func() func(SIFTInput) { return t.ours })
		ours = slices.DeleteFunc(ours, func(c contender[SIFTInput]) bool { return c.name == cpu.Portable })
		list = append(list, Test[SIFTInput]{t.name, append(ours, contender[SIFTInput]{"opencv", true, t.theirs})})
	}
	return list
}
