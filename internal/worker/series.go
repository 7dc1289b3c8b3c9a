package worker

import (
	"sync/atomic"
	"time"
)

const (
	// ColdShares is for how many workers the first call after a pause must be enough to get any, if
	// a share takes some 100 microseconds. To start helpers takes the caller some 10, they begin 35
	// or more later, and to divide the work costs up to a sixth of it.
	ColdShares = 8
	// seriesPause is the longest pause between calls that follow each other.
	seriesPause = 500 * time.Microsecond
	// seriesLength is after what time calls that follow each other get helpers in any case. That long
	// a system may leave helpers on the caller's processor, though others are idle.
	seriesLength = 4 * time.Millisecond
	// shortSeries is how long a series is at most after which the next ones go without helpers if
	// those were of no use. A longer one loses less by them, and gains more.
	shortSeries = 1500 * time.Microsecond
	// maxInterval is how many series at most go without helpers before they are tried again. Each
	// time that they were of no use it is one, 3, 7 and 15.
	maxInterval = 15
)

// AlwaysAwake makes Limit independent of time, for tests of what workers share.
var AlwaysAwake bool

// Limit returns how many workers should do what is enough for a number of shares: at least one, and
// at most the number that is asked for. After a pause it is one unless the number of shares is at
// least cold. When they have been done, Done must be called, as Run, Each and EachNumber do.
func Limit(asked int, shares, cold int64) int {
	n := int(max(min(int64(asked), shares), 1))
	if n > 1 && !AlwaysAwake && !calls.join(now(), shares >= cold) {
		return 1
	}
	return n
}

// Done says that a call has ended for which Limit may have been asked.
func Done() {
	if calls.begin.Load() != 0 {
		calls.leave(now())
	}
}

// epoch is when the times of a series begin.
var epoch = time.Now()

func now() time.Duration { return time.Since(epoch) }

// A series is calls that follow each other, and what is known from the ones before. Goroutines may
// disagree on it for a moment. This does not change what they compute.
type series struct {
	begin, end atomic.Int64
	helped     atomic.Int32 // whether calls get helpers: undecided, yes or no
	useful     atomic.Bool  // whether one of them has worked while the caller did
	interval   atomic.Int32 // how many series were to get none after the last that had some
	rest       atomic.Int32 // how many of them are left
}

const (
	undecided = iota
	yes
	no
)

// calls is the series of all calls.
var calls series

// join begins a call, which may be large. It reports whether it gets helpers.
func (s *series) join(now time.Duration, large bool) bool {
	if end := time.Duration(s.end.Load()); now-end > seriesPause {
		short := end-time.Duration(s.begin.Load()) < shortSeries
		helped := s.helped.Swap(undecided) == yes
		if s.useful.Swap(false) {
			s.interval.Store(0)
			s.rest.Store(0)
		} else if helped && short {
			s.interval.Store(min(2*s.interval.Load()+1, maxInterval))
			s.rest.Store(s.interval.Load())
		}
		s.begin.Store(int64(now))
		s.end.Store(int64(now))
	}
	if s.helped.Load() == undecided && large {
		s.decide()
	}
	return s.helped.Load() == yes || now-time.Duration(s.begin.Load()) >= seriesLength
}

// decide decides whether the series gets helpers from its beginning on.
func (s *series) decide() {
	if s.rest.Load() > 0 {
		s.rest.Add(-1)
		s.helped.Store(no)
		return
	}
	s.helped.Store(yes)
}

// leave ends a call.
func (s *series) leave(now time.Duration) { s.end.Store(int64(now)) }
