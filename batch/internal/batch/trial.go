package batch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// lastTrial is how often a process may die while a group works on one image alone.
const lastTrial = 2

// deathReason returns the reason of the dead letter of an image with which processes have died.
func deathReason(times int) string {
	return fmt.Sprintf("the process died %d times while it worked on this image alone", times)
}

// isSuspect reports whether a dead letter with this reason is to be tried once more by the next run:
// perhaps whatever ended the processes had nothing to do with the image.
func isSuspect(reason string) bool { return reason == deathReason(lastTrial) }

// What a record has in place of a name. No file has either name.
const (
	allImages = "\x00" // those of the group are worked on
	noImage   = ""     // none is, or the trial has ended
)

// A trial is one attempt to work on a group. From when it begins to decode until it ends, there
// is a record of it: a file with the name of the image that is worked on, or with allImages. A
// record that is found is of a process that has died, or that works on the group at the same
// time. Then the group's images are worked on one after the other, and one that processes have
// died with is left out. Each trial has a record of its own name.
type trial struct {
	fs      filesystem.Interface
	path    string         // of its record
	before  []string       // the paths of the records of other trials
	deaths  map[string]int // of processes, by what their records had
	suspect bool           // whether lastTrial processes have died with each image in the run before

	mu   sync.Mutex
	has  string // what the record has, if there is one
	here bool   // whether there is one
	over bool   // whether the trial has ended
}

// trials are those of this process.
var trials = struct {
	sync.Mutex
	live  map[string]*trial // by the paths of their records
	ended bool              // whether there must be no more
}{live: make(map[string]*trial)}

// errEnded is the error of a trial that EndTrials has ended.
var errEnded = errors.New("batch: the process is interrupted")

// EndTrials ends the work of this process on images, and removes its records. A program should call
// it before it exits early because of a signal. Otherwise, these records tell later runs that an
// image may have killed the process.
func EndTrials(ctx context.Context) error {
	trials.Lock()
	trials.ended = true
	live := slices.Collect(maps.Values(trials.live))
	trials.Unlock()
	var err error
	for _, t := range live {
		err = errors.Join(err, t.end(ctx, false))
	}
	return err
}

// beginTrial begins a trial of a group in a directory that has the given files. A run is what the
// name of its record begins with.
func beginTrial(ctx context.Context, fs filesystem.Interface, dir, run string, files []Source) (*trial, error) {
	t := &trial{fs: fs, path: join(dir, trialPrefix+run+"-"+rand.Text()), deaths: make(map[string]int)}
	for _, f := range files {
		name := f.Name[strings.LastIndexAny(f.Name, `/\`)+1:]
		path := join(dir, name)
		if !strings.HasPrefix(name, trialPrefix) || isLive(path) {
			continue
		}
		with, err := readFile(ctx, fs, path)
		switch {
		case notFound(err):
			continue // it has ended meanwhile
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, reason(err))
		}
		if string(with) != noImage {
			t.deaths[string(with)]++
		}
		t.before = append(t.before, path)
	}
	trials.Lock()
	defer trials.Unlock()
	if trials.ended {
		return nil, errEnded
	}
	trials.live[t.path] = t
	return t, nil
}

// isLive reports whether a record is of this process, which may do the same bundle twice.
func isLive(path string) bool {
	trials.Lock()
	defer trials.Unlock()
	return trials.live[path] != nil
}

// careful reports whether images are to be worked on one after the other.
func (t *trial) careful() bool { return len(t.deaths) > 0 || t.suspect }

// alone reports whether an image gets all memory for itself.
func (t *trial) alone(name string) bool { return t.deaths[name] > 0 || t.suspect }

// decodes records that an image is decoded from now on.
func (t *trial) decodes(ctx context.Context, name string) error {
	if !t.careful() {
		name = allImages
	}
	return t.set(ctx, name)
}

// rest records that no image is decoded until another one is.
func (t *trial) rest(ctx context.Context) error { return t.set(ctx, noImage) }

// set sees to it that there is a record with a name.
func (t *trial) set(ctx context.Context, name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return errEnded
	}
	if t.here && t.has == name {
		return nil
	}
	if err := t.record(ctx, name); err != nil {
		return err
	}
	t.has, t.here = name, true
	return nil
}

// record replaces the record of the trial.
func (t *trial) record(ctx context.Context, name string) error {
	err := filesystem.Write(ctx, t.fs, t.path, []byte(name)) // it need not be on the disk
	if notFound(err) {                                       // another run has removed the directory at the wrong moment
		err = filesystem.Write(ctx, t.fs, t.path, []byte(name))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, reason(err))
	}
	return nil
}

// lost returns the dead letter of an image that is to be left out, if it is.
func (t *trial) lost(name string) *DeadLetter {
	n, most := t.deaths[name], lastTrial
	if t.suspect {
		n, most = n+lastTrial, lastTrial+1
	}
	if n < most {
		return nil
	}
	return &DeadLetter{escape(name), deathReason(n)}
}

// end removes the record of the trial, for no process has died, be there an error or not. When
// the group is done, those of trials before are removed, too.
func (t *trial) end(ctx context.Context, done bool) error {
	trials.Lock()
	delete(trials.live, t.path)
	trials.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	var err error
	if t.here {
		err = remove(ctx, t.fs, t.path)
		if errors.Is(err, errors.ErrUnsupported) {
			err = t.record(ctx, noImage)
		}
		t.here = err != nil
	}
	if done {
		for _, path := range t.before {
			if e := remove(ctx, t.fs, path); !errors.Is(e, errors.ErrUnsupported) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}
