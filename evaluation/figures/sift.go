package main

import (
	"fmt"
	"image"
	"runtime"
	"slices"
	"time"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
)

// siftRounds is how many rounds the races of package sift take.
const siftRounds = 5

// siftGoals are how many times as long OpenCV is to take for the whole call, by instruction set, and
// workersGoal how many times as long one worker is to take as two.
var siftGoals = map[string]float64{"avx512": 4, "avx2": 2.8}

const workersGoal = 1.7

// siftPhotos returns the photos, or in quick mode a part of one.
func (s *session) siftPhotos() []*image.Gray {
	if s.quick {
		return frames.Make(s.photos, 160, 120, 1)
	}
	return s.photos
}

// A siftAgreement counts keypoints of one list that another one has, with the same descriptor or
// another one.
type siftAgreement struct{ keypoints, found, same int }

// add counts two lists, both in the order of package sift.
func (a *siftAgreement) add(kps []sift.Keypoint, descs []match.Vector, others []sift.Keypoint, otherDescs []match.Vector) {
	indices := make(map[sift.Keypoint]int)
	for i, k := range others {
		indices[k] = i
	}
	a.keypoints += len(kps)
	for i, k := range kps {
		if at, ok := indices[k]; ok {
			a.found++
			if descs[i] == otherDescs[at] {
				a.same++
			}
		}
	}
}

// compareSIFT compares package sift with OpenCV.
func compareSIFT(s *session, opened *peers.Peers) (map[string][]byte, error) {
	c := &comparison{name: "sift", parts: make([]part, 1), work: perFrame, inputColumn: "photo"}
	rounds := siftRounds
	if s.quick {
		rounds = 2
	}
	photos := s.siftPhotos()
	s.steps(len(photos) * 2 * (rounds + 1))
	e := peers.Must(sift.New(sift.Options{}))
	two := peers.Must(sift.New(sift.Options{Workers: 2}))
	var agreed siftAgreement
	var workers []float64
	var rows [][]string
	var names []string // of the columns
	ratios := map[string][]float64{}
	for _, photo := range photos {
		kps, descs := e.Extract(photo, nil)
		others, otherDescs := opened.SIFT(sift.Options{}, photo, nil)
		agreed.add(kps, descs, others, otherDescs)
		times, ghz := compare(s, opened.SIFTTests(), []peers.SIFTInput{{Image: photo, Keypoints: kps}}, 1, rounds)
		size := sizeOf(photo)
		c.inputs = append(c.inputs, input{fmt.Sprintf("%d, %s", len(rows)+1, size), ""})
		c.parts[0].times, c.clocks = append(c.parts[0].times, times), append(c.clocks, ghz)

		race := measure.Race([]func(*image.Gray){
			func(img *image.Gray) { kps, descs = e.Append(kps[:0], descs[:0], img, nil) },
			func(img *image.Gray) { kps, descs = two.Append(kps[:0], descs[:0], img, nil) },
		}, []*image.Gray{photo}, 1, rounds, s.step)
		s.spreads = append(s.spreads, race.Spread...)
		workers = append(workers, race.Ratio(0, 1))

		row := []string{size, fmt.Sprint(len(kps))}
		names = nil
		for _, t := range times {
			name := t.Test + ": " + t.Name
			names = append(names, name)
			text := fmt.Sprintf("%.1f", t.Nanoseconds/1e6)
			if !t.Peer {
				text += fmt.Sprintf(" (%.1f)", t.Speedup)
				ratios[name] = append(ratios[name], t.Speedup)
			}
			row = append(row, text)
		}
		rows = append(rows, append(row, fmt.Sprintf("%.2f", workers[len(workers)-1])))
	}
	list, err := s.list(c, measure.Median(c.clocks))
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"sift.csv": list,
		"sift.md": s.page("Package sift and OpenCV side by side", measure.Median(c.clocks),
			fmt.Sprintf("Milliseconds for each photo. One thread each, in one process, taking turns: medians over %d rounds, whose spreads are in [sift.csv](sift.csv). "+
				"In parentheses: how many times as long OpenCV takes for the same work. %s.", rounds, peers.Versions()),
			"- Whole: `Extract` and OpenCV's `detectAndCompute`, with the default options and descriptors of bytes.\n"+
				"- Detect: `Detect` and `detect`.\n"+
				"- Describe: `Describe` and `detectAndCompute` of given keypoints, with the blurred images that they need.\n"+
				"- Two workers: how many times as long the whole call takes with one worker as with two. Both have the best instructions. Where another process takes "+
				"a processor, two workers gain nothing.",
			table(1, slices.Concat([]string{"photo", "keypoints"}, names, []string{"two workers"}), rows),
			"The medians of the ratios, and the goals that the package was planned with:",
			table(1, []string{"", "median", "goal", "least", "most"}, ratioRows(names, ratios, workers)),
			portableSIFT(photos),
			fmt.Sprintf("OpenCV takes the best code that it has for the processor. Its results depend on the order of its sums, and package sift has those with AVX2 everywhere. "+
				"In this process, %d of the %d keypoints are OpenCV's in all their numbers, and %d of these have the same descriptor. "+
				"A test compares all keypoints and descriptors of all photos, with several options and masks, and descriptors of given keypoints: they are equal, "+
				"bit for bit, on processors with AVX2 and with AVX-512.", agreed.found, agreed.keypoints, agreed.same),
			siftMemory(photos),
			"Matching the descriptors is [another page](vectors.md), and [how well it works](../matching.md) another one."),
	}, nil
}

// ratioRows returns the rows of the medians of ratios, of those columns that have some, and of two
// workers.
func ratioRows(names []string, ratios map[string][]float64, workers []float64) [][]string {
	var rows [][]string
	add := func(name string, list []float64, goal float64) {
		text := "-"
		if goal > 0 {
			text = fmt.Sprint(goal)
		}
		rows = append(rows, []string{
			name, fmt.Sprintf("%.2f", measure.Median(list)), text,
			fmt.Sprintf("%.2f", slices.Min(list)), fmt.Sprintf("%.2f", slices.Max(list)),
		})
	}
	for _, name := range names {
		if list := ratios[name]; len(list) > 0 {
			goal := 0.0
			for set, g := range siftGoals {
				if name == peers.WholeSIFT+": "+set {
					goal = g
				}
			}
			add(name, list, goal)
		}
	}
	add("two workers", workers, workersGoal)
	return rows
}

// portableSIFT tells how long the whole call takes without assembly, for the smallest photo.
func portableSIFT(photos []*image.Gray) string {
	photo := slices.MinFunc(photos, func(a, b *image.Gray) int { return area(a) - area(b) })
	e := peers.Must(sift.New(sift.Options{}))
	extract := func() float64 {
		start := time.Now()
		e.Extract(photo, nil)
		return time.Since(start).Seconds()
	}
	fast := min(extract(), extract(), extract())
	defer cpu.Limit(0)()
	slow := extract()
	return fmt.Sprintf("Without assembly, and with SSE2, where the fused multiply-add of float32 is missing, the photo of %s takes %.2f s, %.0f times as long as with "+
		"the best instructions. This was measured once.", sizeOf(photo), slow, slow/fast)
}

// siftMemory tells how much memory an Extractor takes, for the largest photo.
func siftMemory(photos []*image.Gray) string {
	photo := slices.MaxFunc(photos, func(a, b *image.Gray) int { return area(a) - area(b) })
	var before, after runtime.MemStats
	e := peers.Must(sift.New(sift.Options{}))
	runtime.ReadMemStats(&before)
	e.Detect(photo, nil)
	runtime.ReadMemStats(&after)
	bytes := float64(after.TotalAlloc - before.TotalAlloc)
	return fmt.Sprintf("For the photo of %s, a new Extractor allocates %.0f MB, %.0f bytes for each pixel. It keeps most of that for the next one.", sizeOf(photo), bytes/1e6, bytes/float64(area(photo)))
}

// area returns the number of pixels of an image, and sizeOf its sides.
func area(img *image.Gray) int { return img.Rect.Dx() * img.Rect.Dy() }

func sizeOf(img *image.Gray) string { return fmt.Sprintf("%dx%d", img.Rect.Dx(), img.Rect.Dy()) }
