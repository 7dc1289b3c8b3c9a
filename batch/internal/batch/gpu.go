//go:build gpu

package batch

import (
	"errors"

	"github.com/fastcorners/fast/gpu"
	"github.com/fastcorners/fast/match"
)

const hasGPU = true

var errNoGPU error

// openGPU returns a matcher on the GPU of this process, which all of them share. It fails if
// there is none that can be used.
func openGPU(opts match.Options) (collectionMatcher, error) {
	device, err := gpu.Default()
	if err != nil {
		return nil, err
	}
	finder, err := gpu.Best(opts)
	return &gpuMatcher{finder, device}, err
}

// A gpuMatcher is the matcher of a GPU.
type gpuMatcher struct {
	gpu.Finder // for single pairs
	device     *gpu.Device
}

func (m *gpuMatcher) all(sets [][]match.Descriptor, emit func(query, train int, matches []match.Match)) (err error) {
	matcher, err := m.device.New(m.Options())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, matcher.Close()) }()
	var uploaded []*gpu.Set
	defer func() {
		for _, s := range uploaded {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, set := range sets {
		s, err := m.device.Upload(set)
		if errors.Is(err, gpu.ErrOutOfMemory) {
			return m.each(sets, emit)
		}
		if err != nil {
			return err
		}
		uploaded = append(uploaded, s)
	}
	return matcher.Pairs(uploaded, gpu.AllPairs(len(sets)), func(p gpu.Pair, matches []match.Match) error {
		emit(p.Query, p.Train, matches)
		return nil
	})
}

// each is all for sets that are too large to be on the device together.
func (m *gpuMatcher) each(sets [][]match.Descriptor, emit func(query, train int, matches []match.Match)) error {
	var found []match.Match
	for p := range gpu.AllPairs(len(sets)) {
		found = m.Append(found[:0], sets[p.Query], sets[p.Train])
		emit(p.Query, p.Train, found)
	}
	return nil
}
