// Package locate does template matching: it finds a small picture in a big one. Programs drive
// screens and games with it, read displays and inspect parts.
//
//	l, err := locate.New(locate.Options{})
//	button, err := locate.NewTemplate(icon, nil)
//	scene := locate.NewScene(screen)
//	if m, ok := l.Find(scene, button); ok {
//		click(button.Bounds(m))
//	}
//
// A [Template] is the small picture, which may have a mask, and a [Scene] the big one. Both can be
// used for many searches, and by several goroutines at a time. A [Locator] compares the template with
// the scene at each place where it lies within. [Locator.Find] returns the best place,
// [Locator.FindAll] all good ones that overlap little, and [Locator.Response] the scores of all
// places. [Locator.Score] is that of one place.
//
// # Options by use
//
//   - For buttons and icons on a screen, MinScore 0.9; with a mask for those that are not rectangles.
//   - For parts and displays whose light changes, Correlation, the default.
//   - For all of many equal things, FindAll.
//   - For a video or a sequence of screenshots, a Scene of the part that changes.
//
// # Places
//
// A place is the upper left pixel of a template in a scene, in the coordinates of the scene's
// image. To search in a region, make the Scene of a SubImage: places remain those of the whole. A
// template that is larger than the scene has no place.
//
// # Scores
//
// [Options].Similarity says how a window of the scene is compared with the template. Let T be the
// n pixels of the template that its mask has, I those of the scene below them, D the sum of T*I,
// S1 and T1 the sums of I and T, and S2 and T2 those of their squares. Then the score is, each
// operation on sums of integers exact and each other one rounded to float64:
//
//	Correlation: (n*D - T1*S1) / sqrt((n*T2 - T1*T1) * (n*S2 - S1*S1))
//	Cosine:      D / sqrt(T2*S2)
//	Difference:  1 - (T2 + S2 - 2*D) / (65025*n)
//
// brought into -1 to 1, and 0 where it were divided by 0: the Correlation of a window or a
// template whose pixels are all equal is 0, so that no search with a MinScore finds them. In color
// the numerator and both factors below the root are sums over red, green and blue, which have
// means of their own, and Difference divides by three times as much. These are TM_CCOEFF_NORMED,
// TM_CCORR_NORMED and 1 - TM_SQDIFF/(65025*n) of OpenCV's matchTemplate, which rounds them
// otherwise.
//
// A template that is cut out of the scene scores exactly 1 there, unless it is flat. Results
// are the same on every platform and for any number of workers.
//
// Small turns, changes of size and of perspective lower scores: beyond about 5 degrees or 5
// percent warp the template by package warp and search each variant, or find the picture by
// packages orb, match and geometry.
//
// # Memory
//
// A Locator keeps the memory of its searches, some rows of numbers for each worker. With one worker
// no method allocates in the steady state, but for what it returns. The candidates of FindAll, the
// places that score enough, take 16 bytes each; where almost the whole scene is like the template,
// these are as many as places.
//
// # Speed
//
// In images of 1920x1080 and templates of 8x8 to 300x200, Find is faster than OpenCV 4.6's matchTemplate with
// minMaxLoc with AVX2 and AVX-512, and slower without assembly; see the [measurements].
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/locate.md
package locate

import (
	"fmt"
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/option"
)

// A Locator finds templates in scenes as its Options say. It is made by [New] and is safe for
// concurrent use.
type Locator struct {
	opts Options   // with the defaults
	jobs sync.Pool // of *job
}

// New returns a Locator. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Locator, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	l := &Locator{opts: opts}
	l.jobs.New = func() any { return newJob() }
	return l, nil
}

// check panics unless l was made by New.
func (l *Locator) check() {
	option.RequireMade(l.jobs.New != nil, "locate", "Locator", "New")
}

// Options returns the options of l, with numbers in place of the defaults and of the negative
// numbers that stand for others. MinScore is -1 if there is no limit, and MaxMatches is 0 for all.
func (l *Locator) Options() Options {
	l.check()
	return l.opts
}

// begin returns a job for a template in a scene. It panics if they do not fit together.
func (l *Locator) begin(s *Scene, t *Template) *job {
	l.check()
	s.check()
	t.check()
	if s.channels != t.channels {
		panic("locate: one of scene and template is gray, the other one in color")
	}
	j := l.jobs.Get().(*job)
	j.set(&l.opts, s, t)
	return j
}

// Find returns the place with the largest score, and whether it scores at least
// Options.MinScore. Of places with the same score it is the one in the uppermost row, and there the
// leftmost one. It panics if s is gray and t in color, or the other way round.
func (l *Locator) Find(s *Scene, t *Template) (Match, bool) {
	j := l.begin(s, t)
	defer j.release(l)
	best, ok := j.find()
	if !ok {
		return Match{}, false
	}
	return j.match(best), true
}

// FindAll returns the places that score at least Options.MinScore and overlap little with better
// ones: by score, the best first, then by rows, then by columns, a place is kept if it overlaps with
// each one that is kept by at most Options.Overlap of the template's area. FindAll stops at
// Options.MaxMatches. It panics as Find does.
func (l *Locator) FindAll(s *Scene, t *Template) []Match {
	return l.AppendFindAll(nil, s, t)
}

// AppendFindAll is [Locator.FindAll], but appends the matches to dst and returns the extended
// slice.
func (l *Locator) AppendFindAll(dst []Match, s *Scene, t *Template) []Match {
	j := l.begin(s, t)
	defer j.release(l)
	for _, c := range j.findAll() {
		dst = append(dst, j.match(c))
	}
	return dst
}

// Response returns the scores of all places, rounded to float32, by rows of w-tw+1 for a scene of w
// by h pixels and a template of tw by th, and h-th+1 such rows. It panics as Find does.
func (l *Locator) Response(s *Scene, t *Template) []float32 {
	return l.AppendResponse(nil, s, t)
}

// AppendResponse is [Locator.Response], but appends the scores to dst and returns the extended
// slice.
func (l *Locator) AppendResponse(dst []float32, s *Scene, t *Template) []float32 {
	j := l.begin(s, t)
	defer j.release(l)
	return j.respond(dst)
}

// Score returns the score of t at the place x, y. It panics if t does not lie within s there, or
// as Find does.
func (l *Locator) Score(s *Scene, t *Template, x, y int) float64 {
	j := l.begin(s, t)
	defer j.release(l)
	p := image.Pt(x, y)
	if !p.In(image.Rectangle{s.bounds.Min, s.bounds.Min.Add(image.Pt(j.w, j.h))}) {
		panic(fmt.Sprintf("locate: a template of %d by %d pixels at %v exceeds the scene, %v", t.w, t.h, p, s.bounds))
	}
	return j.score(x-s.bounds.Min.X, y-s.bounds.Min.Y)
}
