// Package locate does template matching: it finds a small picture in a large one. Programs use it
// to automate screens and games, read displays and inspect parts. This program prints where a
// screenshot shows a button, if it does:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//		_ "image/jpeg"
//		_ "image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/locate"
//	)
//
//	func main() {
//		var images [2]*image.Gray // the small picture, and the large one
//		for i := range images {
//			file, err := os.Open(os.Args[1+i])
//			if err != nil {
//				log.Fatal(err)
//			}
//			img, _, err := image.Decode(file)
//			if err != nil {
//				log.Fatal(err)
//			}
//			images[i] = fast.Gray(img)
//		}
//		locator, err := locate.New(locate.Options{MinScore: 0.9})
//		if err != nil {
//			log.Fatal(err)
//		}
//		button, err := locate.NewTemplate(images[0], nil)
//		if err != nil {
//			log.Fatal(err)
//		}
//		if m, ok := locator.Find(locate.NewScene(images[1]), button); ok {
//			fmt.Println(button.Bounds(m), m.Score)
//		}
//	}
//
// A [Template] is the small picture, which may have a mask, and a [Scene] is the large one. Both
// can be used for many searches, and by several goroutines at a time. A [Locator] compares the
// template with the scene at each place where it fits. [Locator.Find] returns the best place,
// [Locator.FindAll] all good places that overlap little, [Locator.Response] the scores of all
// places, and [Locator.Score] the score of one place.
//
// # Options by use
//
//   - For buttons and icons on a screen, MinScore 0.9, and a mask if they are not rectangles.
//   - For parts and displays whose light changes, Correlation, the default.
//   - For every occurrence of a picture, FindAll.
//   - For video or a sequence of screenshots, a Scene of the part that changes.
//
// # Places
//
// A place is the position of a template's upper left pixel in a scene, in the coordinates of the
// scene's image. To search a region, make the Scene from a SubImage: places remain in the
// coordinates of the whole image. A template that is larger than the scene has no places.
//
// # Scores
//
// [Options.Similarity] selects the formula that compares a window of the scene with the template.
// Let T be the n pixels of the template that its mask includes, I the pixels of the scene at the
// same positions, D the sum of T*I, S1 and T1 the sums of I and T, and S2 and T2 the sums of their
// squares. With exact sums of integers, and every other operation rounded to float64, the score is
//
//	Correlation: (n*D - T1*S1) / sqrt((n*T2 - T1*T1) * (n*S2 - S1*S1))
//	Cosine:      D / sqrt(T2*S2)
//	Difference:  1 - (T2 + S2 - 2*D) / (65025*n)
//
// clamped to the range -1 to 1. It is 0 if the divisor is 0: the Correlation of a window or a
// template whose pixels are all equal is 0, so no search with a MinScore finds it. In color, the
// numerator and both factors under the root are sums over red, green and blue, each with its own
// mean, and the divisor of Difference is three times as large.
//
// A template cut from the scene scores exactly 1 at its place, unless it is flat. Results are the
// same on every platform and for any number of workers.
//
// Small changes of rotation, size and perspective lower the scores. Beyond about 5 degrees or 5
// percent, warp the template with package warp and search for each variant, or find the picture
// with packages orb, match and geometry.
//
// # Memory
//
// A Locator reuses the memory of its searches, a few rows of numbers for each worker. With one
// worker, its methods allocate only their results in the steady state. The candidates of FindAll,
// which are the places with a sufficient score, take 16 bytes each; if almost the whole scene
// resembles the template, almost every place is a candidate.
//
// # OpenCV
//
// matchTemplate is [Locator.Response], and with minMaxLoc it is [Locator.Find]. The similarities
// are TM_CCOEFF_NORMED, TM_CCORR_NORMED and 1 - TM_SQDIFF/(65025*n), which OpenCV rounds
// differently. FindAll has no counterpart.
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6. Without assembly, it is slower.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/locate.md
package locate

import (
	"fmt"
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/option"
)

// A Locator finds templates in scenes according to its Options. Create one with [New]. It is safe
// for concurrent use.
type Locator struct {
	made option.Made
	opts Options   // with the defaults
	jobs sync.Pool // of *job
}

// New returns a Locator. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Locator, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	l := &Locator{made: true, opts: opts}
	l.jobs.New = func() any { return newJob() }
	return l, nil
}

// check panics unless l was made by New.
func (l *Locator) check() {
	l.made.Require("locate", "Locator", "New")
}

// Options returns the options of l, with defaults filled in and negative numbers replaced by what
// they stand for. MinScore is -1 if there is no limit, and MaxMatches is 0 if there is no maximum.
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

// end drops what belongs to others from a job, and keeps it for other calls.
func (l *Locator) end(j *job) {
	j.release()
	l.jobs.Put(j)
}

// Find returns the place with the highest score, and reports whether that is at least
// Options.MinScore. Among places with the same score, it returns the leftmost one in the uppermost
// row. It panics if s is gray and t in color, or vice versa.
func (l *Locator) Find(s *Scene, t *Template) (Match, bool) {
	j := l.begin(s, t)
	defer l.end(j)
	best, ok := j.find()
	if !ok {
		return Match{}, false
	}
	return j.match(best), true
}

// FindAll returns the places that score at least Options.MinScore and overlap little with better
// ones. It goes through them by score, best first, then by row, then by column, and keeps a place
// if its overlap with each place kept so far is at most Options.Overlap of the template's area.
// FindAll stops after Options.MaxMatches places. It panics under the same conditions as Find.
func (l *Locator) FindAll(s *Scene, t *Template) []Match {
	return l.AppendFindAll(nil, s, t)
}

// AppendFindAll is like [Locator.FindAll] but appends the matches to dst and returns the extended
// slice.
func (l *Locator) AppendFindAll(dst []Match, s *Scene, t *Template) []Match {
	j := l.begin(s, t)
	defer l.end(j)
	for _, c := range j.findAll() {
		dst = append(dst, j.match(c))
	}
	return dst
}

// Response returns the scores of all places, rounded to float32, row by row. For a scene of w by h
// pixels and a template of tw by th, there are h-th+1 rows of w-tw+1 scores. It panics under the
// same conditions as Find.
func (l *Locator) Response(s *Scene, t *Template) []float32 {
	return l.AppendResponse(nil, s, t)
}

// AppendResponse is like [Locator.Response] but appends the scores to dst and returns the extended
// slice.
func (l *Locator) AppendResponse(dst []float32, s *Scene, t *Template) []float32 {
	j := l.begin(s, t)
	defer l.end(j)
	return j.respond(dst)
}

// Score returns the score of t at the place x, y. It panics if t does not lie within s there, and
// under the same conditions as Find.
func (l *Locator) Score(s *Scene, t *Template, x, y int) float64 {
	j := l.begin(s, t)
	defer l.end(j)
	p := image.Pt(x, y)
	if !p.In(image.Rectangle{s.rect.Min, s.rect.Min.Add(image.Pt(j.w, j.h))}) {
		panic(fmt.Sprintf("locate: a template of %d by %d pixels at %v exceeds the scene, %v", t.w, t.h, p, s.rect))
	}
	return j.score(x-s.rect.Min.X, y-s.rect.Min.Y)
}
