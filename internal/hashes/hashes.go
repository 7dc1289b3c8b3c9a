// Package hashes makes results of all packages and their hashes, to compare platforms: each
// instruction set, processor, operating system and version of Go must give the same.
package hashes

import (
	"fmt"
	"image"
	"io"
	"slices"
	"time"

	"github.com/fastcorners/fast"
)

// A Group is a kind of results.
type Group struct {
	Name    string
	Results int
	Hash    string
}

// Settings are what must not matter.
type Settings struct {
	// Kernel is that of package fast. With one other than Auto, there are only corners that
	// block kernels find, too.
	Kernel fast.Kernel
	// Workers is the number of goroutines.
	Workers int
}

// groups are the kinds of results. Each function adds those of image number n.
var groups = []struct {
	name string
	add  func(s *sum, img *image.Gray, n int, settings Settings)
}{
	{blocks, blockCorners},
	{"fast: corners and scores", corners},
	{"fast: corners after suppression", suppressed},
	{"fast: corners that Strongest, Spread, PerCell and InMask choose", chosen},
	{"vpi: corners and scores", circles},
	{"harris: responses", responses},
	{"harris: corners", goodFeatures},
	{"harris: refined corners", refined},
	{"lococo: responses", boxResponses},
	{"lococo: corners", boxCorners},
	{"integral: sums", integrals},
	{"orb: keypoints", keypoints},
	{"orb: descriptors", descriptors},
	{"sift: keypoints", siftKeypoints},
	{"sift: descriptors", siftDescriptors},
	{"match: nearest", nearest},
	{"match: two nearest, and within a radius", neighbors},
	{"match: nearest near a place", near},
	{"match: descriptors of other lengths", flat},
	{"match: vectors", squaredDistances},
	{"camera: bearings, projections and maps", cameras},
	{"geometry: transforms and inliers", transforms},
	{"geometry: rigid transforms and inliers", rigid},
	{"pose: motions, poses, fundamental matrices and inliers", poses},
	{"pose: poses of few points and of flat targets, and motions before planes", placements},
	{"flow: tracks", tracks},
	{"warp: pixels", warped},
	{"warp: pixels of 16 bits", warpedDeep},
	{"warp: pixels of resized images", resized},
	{"stabilize: motions and corrections", stabilized},
	{"locate: responses", similarities},
	{"locate: matches", located},
	{"tag: markers", markers},
	{"calibrate: boards", boards},
	{"calibrate: cameras", calibrations},
}

// blocks is the group that block kernels have, too.
const blocks = "fast: FAST-10 corners"

// slow are the groups of which a small scale has every third image only, since they take long where a
// processor is emulated.
var slow = []string{"sift: keypoints", "sift: descriptors", "locate: matches"}

// Compute returns the groups, in the same order each time, of images made of the photos.
func Compute(photos []*image.Gray, scale Scale, settings Settings) []Group {
	list := images(photos, scale)
	var done []Group
	for _, g := range groups {
		if settings.Kernel != fast.Auto && g.name != blocks {
			continue
		}
		s, step := newSum(), 1
		if scale == Small && slices.Contains(slow, g.name) {
			step = 3
		}
		for n := 0; n < len(list); n += step {
			g.add(s, list[n], n, settings)
		}
		done = append(done, Group{g.name, s.results, s.hex()})
	}
	return done
}

// Print writes the groups as lines: the name, how many results there are, and the hash, with tabs
// between them.
func Print(w io.Writer, list ...Group) {
	for _, g := range list {
		fmt.Fprintf(w, "%s\t%d\t%s\n", g.Name, g.Results, g.Hash)
	}
}

// Stamp returns the name of a platform, with the date and the commit of the program.
func Stamp(platform, commit string) string {
	return fmt.Sprintf("%s, %s, commit %s", platform, time.Now().UTC().Format(time.DateOnly), commit)
}
