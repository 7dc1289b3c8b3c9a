package locate

import "testing"

// A Way is how places are found: with blocks of a side, or by all scores, which are made by products or
// by transforms.
type Way struct {
	Name string
	side int
	way  way
}

// Ways are those that tests compare.
var Ways = []Way{
	{"chosen", 0, unknown},
	{"directly", -1, directly},
	{"by transforms", -1, transforming},
	{"blocks of 1", 1, unknown},
	{"blocks of 2", 2, unknown},
	{"blocks of 4", 4, unknown},
	{"blocks of 5", 5, unknown},
	{"blocks of 8", 8, unknown},
	{"blocks of 16", 16, unknown},
}

// Force makes l search by a way until the test ends.
func (l *Locator) Force(t testing.TB, w Way) {
	before := l.jobs.New
	l.jobs.New = func() any {
		j := newJob()
		j.side, j.way = w.side, w.way
		return j
	}
	t.Cleanup(func() { l.jobs.New = before })
}
