package locate

import "testing"

// A Way is how places are found: by bounds with blocks of a side, or by all scores, which are made by
// products or by transforms.
type Way struct {
	Name string
	side int
	way  way
}

// Ways are those that tests compare.
var Ways = []Way{
	{"chosen", 0, anyWay},
	{"by products", 0, byProducts},
	{"by transforms", 0, byTransforms},
	{"blocks of 1", 1, anyWay},
	{"blocks of 2", 2, anyWay},
	{"blocks of 4", 4, anyWay},
	{"blocks of 5", 5, anyWay},
	{"blocks of 8", 8, anyWay},
	{"blocks of 16", 16, anyWay},
}

// Force makes l search by a way until the test ends.
func (l *Locator) Force(t testing.TB, w Way) {
	before := l.jobs.New
	l.jobs.New = func() any {
		j := newJob()
		j.bounds.side, j.way = w.side, w.way
		return j
	}
	t.Cleanup(func() { l.jobs.New = before })
}
