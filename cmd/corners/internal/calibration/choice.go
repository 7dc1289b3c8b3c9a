package calibration

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// An Image is one that has been searched for the target.
type Image struct {
	Name  string // of the file, or empty for a frame
	Frame int    // its number in a video
	Size  image.Point
	Seen
	Note string // why it is no view, or what is to be said of the view

	// Of a view:
	Used           bool
	RMS, Influence float64
	Pose           pose.Pose
	Errors         []geometry.Point
}

// Search searches the pixels of the image for a target.
func (i *Image) Search(t Target, img *image.Gray) {
	i.Size = img.Rect.Size()
	var err error
	if i.Seen, err = t.Find(img); err != nil {
		i.Note = err.Error()
	}
}

// Choose returns the images that are views of one target by one camera: those of the size that most of
// them have, with a target of the size that most of those show. It notes why others are none.
func Choose(images []Image) []*Image {
	var found []*Image
	for i := range images {
		if len(images[i].World) > 0 {
			found = append(found, &images[i])
		}
	}
	found = keepMost(found, func(i *Image) image.Point { return i.Size }, func(most image.Point) string {
		return fmt.Sprintf("not of %d x %d pixels", most.X, most.Y)
	})
	found = keepMost(found, func(i *Image) image.Point { return image.Pt(i.Columns, i.Rows) }, func(most image.Point) string {
		return fmt.Sprintf("not a board of %dx%d", most.X, most.Y)
	})
	for _, i := range found {
		i.Used = true
	}
	return found
}

// keepMost returns the images with the value that most of them have, the first one of those that equally
// many have. The others get a note.
func keepMost(images []*Image, value func(*Image) image.Point, note func(most image.Point) string) []*Image {
	counts := make(map[image.Point]int)
	for _, i := range images {
		counts[value(i)]++
	}
	var most image.Point
	for _, i := range images {
		if v := value(i); counts[v] > counts[most] {
			most = v
		}
	}
	return slices.DeleteFunc(images, func(i *Image) bool {
		v := value(i)
		if v != most {
			i.Note = note(most)
		}
		return v != most
	})
}

// What the frames of a video must be to become views, as shares of their width.
const (
	still    = 0.005 // up to which the points may have moved, in the mean, since the frame before
	distinct = 0.03  // above which they must be elsewhere than in other views
)

// A Selection chooses views among the frames of a video.
type Selection struct {
	// Limit is the largest number of views, at least 1. If there are more, the most different ones
	// stay.
	Limit int
	// Found and Still are the numbers of frames that show the target, and of those of them in which it
	// does not move.
	Found, Still int

	last  Seen // that of the frame before
	taken []Image
}

// Add takes the next frame if it is to be a view.
func (s *Selection) Add(i Image) {
	before := s.last
	s.last = i.Seen
	if len(i.World) == 0 {
		return
	}
	s.Found++
	width := float64(i.Size.X)
	if distance(&before, &i.Seen) > still*width {
		return
	}
	s.Still++
	for k := range s.taken {
		if distance(&s.taken[k].Seen, &i.Seen) <= distinct*width {
			return
		}
	}
	if s.taken = append(s.taken, i); len(s.taken) > s.Limit {
		s.drop()
	}
}

// drop drops the later one of the two views that are most alike.
func (s *Selection) drop() {
	last, least := len(s.taken)-1, math.Inf(1)
	for k := range s.taken {
		for i := range k {
			if d := distance(&s.taken[i].Seen, &s.taken[k].Seen); d < least {
				last, least = k, d
			}
		}
	}
	s.taken = slices.Delete(s.taken, last, last+1)
}

// Taken returns the frames that are to be views.
func (s *Selection) Taken() []Image { return s.taken }

// distance returns the mean distance between the points that both have, in pixels. It is infinite if that
// is less than half of the points of one, or if the targets have other sizes.
func distance(a, b *Seen) float64 {
	if a.Columns != b.Columns || a.Rows != b.Rows {
		return math.Inf(1)
	}
	places := make(map[pose.Vector]geometry.Point, len(a.World))
	for i, p := range a.World {
		places[p] = a.Image[i]
	}
	n, sum := 0, 0.0
	for i, p := range b.World {
		if q, ok := places[p]; ok {
			n++
			sum += math.Hypot(q.X-b.Image[i].X, q.Y-b.Image[i].Y)
		}
	}
	if n == 0 || 2*n < max(len(a.World), len(b.World)) {
		return math.Inf(1)
	}
	return sum / float64(n)
}
