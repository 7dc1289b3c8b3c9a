package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// trialsName is the directory in the output for the records of trials.
const trialsName = "trials"

// lastTrial is how often a process may die while a group works on one image alone.
const lastTrial = 2

// What a record has in place of a name. No file has either name.
const (
	allImages = "\x00" // those of the group are worked on
	noImage   = ""     // the trial has ended
)

// A trial is one attempt to work on a group. As long as it lasts, there is a record of it: a
// file with the name of the image that is worked on, or with allImages. A record that is found
// is of a process that has died. Then the group's images are worked on one after the other,
// and one that processes have died with is left out.
type trial struct {
	fs     filesystem.Interface
	dir    string         // of the records, with what the names of those of the group begin
	before int            // the number of records of other trials
	deaths map[string]int // of processes, by what their records had
	kept   bool           // whether records are kept for the next run
}

// beginTrial begins a trial of a group, whose records' names begin with a path.
func beginTrial(ctx context.Context, fs filesystem.Interface, path string) (*trial, error) {
	t := &trial{fs: fs, dir: path, deaths: make(map[string]int)}
	for {
		name, err := filesystem.Read(ctx, fs, t.path(t.before))
		if err != nil {
			if ownFault(err) { // there is none
				return t, t.record(ctx, allImages)
			}
			return nil, fmt.Errorf("%s: %w", t.path(t.before), reason(err))
		}
		if string(name) != noImage {
			t.deaths[string(name)]++
		}
		t.before++
	}
}

// path returns the path of the record of a trial.
func (t *trial) path(number int) string { return fmt.Sprintf("%s-%d", t.dir, number) }

// careful reports whether images are to be worked on one after the other.
func (t *trial) careful() bool { return len(t.deaths) > 0 }

// record replaces the record of the trial.
func (t *trial) record(ctx context.Context, name string) error {
	if err := filesystem.Write(ctx, t.fs, t.path(t.before), []byte(name)); err != nil {
		return fmt.Errorf("%s: %w", t.path(t.before), reason(err))
	}
	return nil
}

// lost returns the dead letter of an image that is to be left out, if it is.
func (t *trial) lost(name string) *DeadLetter {
	n := t.deaths[name]
	if n < lastTrial {
		return nil
	}
	t.kept = true
	return &DeadLetter{escape(name), fmt.Sprintf("the process died %d times while it worked on this image alone", n)}
}

// end removes the record of the trial, for no process has died, be there an error or not. When
// the group is done, those of trials before are removed, too, unless they are a reason to leave
// out an image: if the run fails, the next one should know it.
func (t *trial) end(ctx context.Context, done bool) error {
	remover, ok := t.fs.(filesystem.Remover)
	if !ok {
		return t.record(ctx, noImage)
	}
	err := remover.Remove(ctx, t.path(t.before))
	if done && !t.kept {
		for i := range t.before {
			err = errors.Join(err, remover.Remove(ctx, t.path(i)))
		}
	}
	return err
}
