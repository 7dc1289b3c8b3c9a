package video

import (
	"context"
	"fmt"
	"image"
	"io"
	"sync"

	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
	"github.com/fastcorners/fast/y4m"
)

const (
	// framesAhead is how many frames are read before they are needed, with the one that is
	// followed, the one that is resampled and the one that waits for that.
	framesAhead = 6
	// framesBehind is how many frames are resampled before they are written, with the one that
	// is written.
	framesBehind = 3
)

// FramesHeld returns how many frames a Pipeline has in memory at a time.
func FramesHeld(o *stabilize.Options) int {
	return framesWaiting(o) + framesAhead + framesBehind
}

// framesWaiting returns how many frames wait for their results.
func framesWaiting(o *stabilize.Options) int {
	if o.Online {
		return 0
	}
	return o.SmoothingRadius
}

// A finished frame has its result.
type finished struct {
	frame  *y4m.Frame
	result stabilize.Result
}

// A Pipeline stabilizes videos.
type Pipeline struct {
	Stabilizer *stabilize.Stabilizer
	Warper     *warp.Warper
}

// Run reads frames, stabilizes them and calls write with each, all at the same time. It
// returns the errors of reading and of writing; after one of reading, or when the context is
// done, the frames that have been read are written.
func (p *Pipeline) Run(ctx context.Context, reader *y4m.Reader, write func(*y4m.Frame, *stabilize.Result) error) (broken, err error) {
	ctx, cancel := context.WithCancel(ctx) // of reading
	defer cancel()
	opts := p.Stabilizer.Options()
	frames := framesWaiting(&opts) + framesAhead
	free, spare := newFrames(frames), newFrames(framesBehind)
	read := make(chan *y4m.Frame, frames)
	ended := make(chan error, 1)
	go func() {
		ended <- readFrames(ctx, reader, free, read)
		close(read)
	}()
	followed, resampled := make(chan finished, 1), make(chan finished, 1)
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(resampled)
		for f := range followed {
			out := <-spare
			p.resample(out, f.frame, &f.result)
			free <- f.frame
			resampled <- finished{out, f.result}
		}
	})
	wait.Go(func() {
		for f := range resampled {
			if err == nil {
				if err = write(f.frame, &f.result); err != nil {
					cancel()
				}
			}
			spare <- f.frame
		}
	})
	var waiting []*y4m.Frame
	next := func(r stabilize.Result) {
		followed <- finished{waiting[0], r}
		waiting = append(waiting[:0], waiting[1:]...)
	}
	for {
		f, _ := lifetime.Receive(ctx, read)
		if f == nil {
			break
		}
		waiting = append(waiting, f)
		if r, ok := p.Stabilizer.Push(f.Gray()); ok {
			next(r)
		}
	}
	for range waiting {
		r, _ := p.Stabilizer.Flush()
		next(r)
	}
	close(followed)
	wait.Wait()
	select {
	case broken = <-ended:
	default: // it still reads
	}
	return broken, err
}

// newFrames returns frames to be used again and again.
func newFrames(n int) chan *y4m.Frame {
	list := make(chan *y4m.Frame, n)
	for range n {
		list <- new(y4m.Frame)
	}
	return list
}

// readFrames reads frames until there is none, or the context is done.
func readFrames(ctx context.Context, reader *y4m.Reader, free <-chan *y4m.Frame, read chan<- *y4m.Frame) error {
	for n := 0; ; n++ {
		f, err := lifetime.Receive(ctx, free)
		if err != nil {
			return nil
		}
		switch err := reader.Read(f); err {
		case nil:
			read <- f
		case io.EOF:
			return nil
		case io.ErrUnexpectedEOF:
			return fmt.Errorf("it ends in the middle of frame %d", n)
		default:
			return err
		}
	}
}

// resample makes a frame the stabilized one of another one.
func (p *Pipeline) resample(out, in *y4m.Frame, r *stabilize.Result) {
	out.Like(in)
	if from := in.Deep(); from != nil {
		for i, to := range out.Deep() {
			p.Warper.Gray16(&to.Gray16, &from[i].Gray16, warp.Of(ofPlane(r.Source, to.Columns, to.Rows)))
		}
		return
	}
	t := warp.Of(r.Source)
	switch to := out.Image().(type) {
	case *image.YCbCr:
		p.Warper.YCbCr(to, in.Image().(*image.YCbCr), t)
	case *image.Gray:
		p.Warper.Gray(to, in.Image().(*image.Gray), t)
	}
	if a := out.Alpha(); a != nil {
		p.Warper.Gray(a, in.Alpha(), t)
	}
}

// ofPlane returns a transform of luma as one of a plane whose samples have some columns and rows of
// luma, as Warper.YCbCr does: a sample moves as their middle.
func ofPlane(t geometry.Transform, columns, rows int) geometry.Transform {
	x, y := float64(columns), float64(rows)
	toLuma := geometry.Transform{x, 0, (x - 1) / 2, 0, y, (y - 1) / 2, 0, 0, 1}
	back := geometry.Transform{1 / x, 0, (1/x - 1) / 2, 0, 1 / y, (1/y - 1) / 2, 0, 0, 1}
	return back.Mul(t).Mul(toLuma)
}
