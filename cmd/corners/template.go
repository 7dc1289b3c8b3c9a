package main

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"sync/atomic"

	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/overlay"
)

// maskAlpha is the -mask for the opaque pixels of a template.
const maskAlpha = "alpha"

// What corners find takes at most.
const (
	sceneBytes     = 1 + 2*8 + 4 // for each pixel and channel: the scene, blocks of two sizes, and bounds
	templateBytes  = 40          // for each pixel and channel: its values in several orders, and masks
	candidateBytes = 40          // for each place that may be a match, in a list that grows
	placeBytes     = 300         // for each match, its drawing included
)

// templateInfo describes the search of a template, whose name is its own.
var templateInfo = method.Info{
	Things:  "matches",
	Titles:  []string{"X", "Y", "SCORE"},
	Columns: []string{"x", "y", "width", "height", "score", "dx", "dy"},
	Members: []string{"measure", "min_score", "all", "overlap", "max_matches", "color"},
}

// A templateMethod finds a template in scenes.
type templateMethod struct {
	opts     locate.Options
	all      bool
	color    bool
	mask     string // maskAlpha, or a file, or empty
	locator  *locate.Locator
	template *locate.Template
	size     image.Point // of the template
	found    atomic.Bool // in any scene
}

func (m *templateMethod) Define(flags *cli.Set) {
	flags.Named(&m.opts.Similarity, m.opts.Similarity.UnmarshalText, "measure", "compare by the measure `NAME` of those above")
	flags.FloatIn(&m.opts.MinScore, "min-score", 0.8, cli.From(0, 1), "find only places that score `S` or more; 0 takes any")
	flags.BoolVar(&m.all, "all", false, "find all places, not only the best one")
	flags.FloatIn(&m.opts.Overlap, "overlap", 0.25, cli.From(0, 1), "with -all: places overlap by up to this `SHARE`")
	flags.IntIn(&m.opts.MaxMatches, "matches", 0, cli.From(0, cli.Unlimited), "with -all: find up to `N` places; 0 finds all")
	flags.BoolVar(&m.color, "color", false, "compare red, green and blue, not gray")
	flags.StringVar(&m.mask, "mask", "", "compare where the image `MASK` is not black; alpha: where opaque")
}

func (m *templateMethod) Prepare(workers int) (err error) {
	opts := m.opts
	opts.Workers = workers
	// Of these options 0 is the default.
	if opts.MinScore == 0 {
		opts.MinScore = -1
	}
	if opts.Overlap == 0 {
		opts.Overlap = -1
	}
	m.locator, err = locate.New(opts)
	return err
}

func (m *templateMethod) Find(img, _ *image.Gray) method.Finding {
	return m.search(locate.NewScene(img))
}

// findInColor is Find for a method with the flag -color.
func (m *templateMethod) findInColor(img *image.RGBA) method.Finding {
	return m.search(locate.NewColorScene(img))
}

func (m *templateMethod) search(scene *locate.Scene) method.Finding {
	var matches []locate.Match
	if m.all {
		matches = m.locator.FindAll(scene, m.template)
	} else if best, ok := m.locator.Find(scene, m.template); ok {
		matches = append(matches, best)
	}
	rows := [][]any{{"-", "-", "-"}}
	if len(matches) > 0 {
		m.found.Store(true)
		rows = rows[:0]
	}
	for _, p := range matches {
		rows = append(rows, []any{p.X, p.Y, fmt.Sprintf("%.4f", p.Score)})
	}
	return method.Finding{
		Rows:  rows,
		Count: len(matches),
		Record: func(i int) []any {
			p := matches[i]
			return []any{p.X, p.Y, m.size.X, m.size.Y, p.Score, p.DX, p.DY}
		},
		Draw:  func(dst draw.Image) { m.draw(dst, matches) },
		Bytes: int64(len(matches)) * placeBytes,
	}
}

// draw draws the outlines of the matches, the best one last.
func (m *templateMethod) draw(dst draw.Image, matches []locate.Match) {
	rectangles := make([]image.Rectangle, len(matches))
	for i, p := range matches {
		rectangles[len(matches)-1-i] = m.template.Bounds(p)
	}
	overlay.Rectangles(dst, rectangles)
}

// Repeater implements method.Method. Nothing is measured.
func (m *templateMethod) Repeater() func(img *image.Gray) { return nil }

func (m *templateMethod) Memory() int64 {
	if m.color {
		return 3*sceneBytes + 2*4 // and the scene in RGBA, which may be turned
	}
	return sceneBytes
}

// Limit implements method.Method.
func (m *templateMethod) Limit() limits.Limit { return limits.Scene }

// Lists implements method.Method. Of the places in a rectangle whose sides are those of the template times
// 1 less the root of -overlap, no two can be matches.
func (m *templateMethod) Lists(img *image.Gray, _ bool) int64 {
	size := img.Rect.Size().Sub(m.size).Add(image.Pt(1, 1)) // in places
	switch {
	case size.X < 1 || size.Y < 1:
		return 0
	case !m.all:
		return placeBytes
	}
	share := 1 - math.Sqrt(m.opts.Overlap)
	matches := cells(size.X, float64(m.size.X)*share) * cells(size.Y, float64(m.size.Y)*share)
	if m.opts.MaxMatches > 0 {
		matches = min(matches, int64(m.opts.MaxMatches))
	}
	return int64(size.X)*int64(size.Y)*candidateBytes + matches*placeBytes
}

// cells returns how many parts n has of which each is as long as side, but for the last one.
func cells(n int, side float64) int64 {
	return int64(math.Ceil(float64(n) / max(1, math.Floor(side))))
}
