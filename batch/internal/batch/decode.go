package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/photo"
	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// The counters of the pipelines, but those of updates. Times are in nanoseconds, of all workers
// together.
var (
	imagesCounter     = beam.NewCounter(Namespace, "images")
	pixelsCounter     = beam.NewCounter(Namespace, "pixels")
	cornersCounter    = beam.NewCounter(Namespace, "corners")
	pairsCounter      = beam.NewCounter(Namespace, "pairs")
	matchesCounter    = beam.NewCounter(Namespace, "matches")
	adoptedCounter    = beam.NewCounter(Namespace, "adopted")
	deadCounter       = beam.NewCounter(Namespace, "dead_letters")
	decodeTimeCounter = beam.NewCounter(Namespace, "decode_ns")
	detectTimeCounter = beam.NewCounter(Namespace, "detect_ns")
	matchTimeCounter  = beam.NewCounter(Namespace, "match_ns")
)

// Namespace is the namespace of the counters: images, pixels, corners, pairs, matches, dead_letters,
// kept, kept_dead, changed, gone, adopted, decode_ns, detect_ns and match_ns.
const Namespace = "batch"

// Decode reads the files named by a PCollection<string>, and returns a PCollection<Image> and a
// PCollection<DeadLetter>. A file becomes a dead letter if it does not exist, may not be read, has
// a name that is not UTF-8, is not an image, or would take more bytes than memory. Errors that do
// not concern a single file, such as a server that does not respond, fail the bundle. The memory
// includes the file and its pixels until they are converted to gray. JPEG images are rotated
// according to their Exif data.
func Decode(s beam.Scope, names beam.PCollection, memory int64) (images, dead beam.PCollection) {
	return decode(s, names, decodeFn{Memory: memory})
}

// decode is Decode with the limits of a process.
func decode(s beam.Scope, names beam.PCollection, fn decodeFn) (images, dead beam.PCollection) {
	return beam.ParDo2(s.Scope("batch.Decode"), &fn, names)
}

type decodeFn struct {
	Memory        int64
	Workers       int
	RuntimeMemory int64
	Region        *region
	FindBytes     int64 // for each pixel of the region, what finding takes besides detectBytes
	Method        string
	Limit         limits.Limit // of the method, for the region
	gate          *gate
	storage       storage
}

func (fn *decodeFn) Setup() {
	fn.gate = gateOf(gateLimits{fn.Workers, fn.Memory})
	if fn.RuntimeMemory > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(fn.RuntimeMemory)
	}
}

func (fn *decodeFn) ProcessElement(ctx context.Context, name string, emit func(Image), bury func(DeadLetter)) error {
	// The runner has the next stages work on the image before emit returns.
	slot, err := fn.gate.enter(ctx)
	if err != nil {
		return err
	}
	defer slot.leave()
	img, dead, spent, err := fn.image(ctx, slot, Source{Name: name}, nil)
	if err != nil {
		return err
	}
	decodeTimeCounter.Inc(ctx, spent.Nanoseconds())
	if dead != nil {
		deadCounter.Inc(ctx, 1)
		bury(*dead)
		return nil
	}
	imagesCounter.Inc(ctx, 1)
	pixelsCounter.Inc(ctx, int64(img.Width)*int64(img.Height))
	emit(img)
	return nil
}

// image reads and decodes a file. A trial, if there is one, is told before it is decoded. It
// returns the image or why there is none, and the time that was spent and not waited.
func (fn *decodeFn) image(ctx context.Context, slot *slot, f Source, trial *trial) (img Image, dead *DeadLetter, spent time.Duration, err error) {
	if !utf8.ValidString(f.Name) {
		return img, &DeadLetter{escape(f.Name), "the name is not UTF-8"}, 0, nil
	}
	start := time.Now()
	err = fn.read(ctx, slot, f)
	soFar.bytes.Add(int64(slot.file.Len()))
	if err != nil && !ownFault(err) {
		return img, nil, 0, fmt.Errorf("%s: %w", f.Name, reason(err))
	}
	if err == nil && trial != nil {
		if slot.alone { // nothing else is decoded while there is a record of it
			if err := slot.take(ctx, slot.gate.memory); err != nil {
				return img, nil, 0, err
			}
		}
		if err := trial.decodes(ctx, f.Name); err != nil {
			return img, nil, 0, err
		}
	}
	if err == nil {
		img, err = fn.decode(ctx, slot, f.Name)
	}
	if ctx.Err() != nil {
		return img, nil, 0, ctx.Err()
	}
	if err != nil {
		dead = &DeadLetter{f.Name, reason(err).Error()}
	}
	return img, dead, time.Since(start) - slot.waited, nil
}

// detectBytes is how much memory per pixel the stages after this one need.
const detectBytes = 8

// decode decodes the file that has been read.
func (fn *decodeFn) decode(ctx context.Context, slot *slot, name string) (img Image, err error) {
	// Some malformed files make decoders panic.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be decoded (panic: %v)", r)
		}
	}()
	src := bytes.NewReader(slot.file.Bytes())
	header, err := photo.ReadHeader(src)
	if err != nil {
		return Image{}, err
	}
	if err := fn.Region.check(header.Size()); err != nil {
		return Image{}, err
	}
	if err := fn.Limit.Check("method "+fn.Method, fn.Region.size(header.Size())); err != nil {
		return Image{}, err
	}
	need := cli.ByteSize(src.Size()) + cli.Memory(header.Stored, header.PixelSize(false))
	if err := cli.CheckMemory(header.Size(), need, cli.ByteSize(fn.Memory)); err != nil {
		return Image{}, err
	}
	if fn.FindBytes > 0 {
		need += cli.Memory(fn.Region.size(header.Size()), fn.FindBytes)
		if err := cli.CheckMemory(header.Size(), need, cli.ByteSize(fn.Memory)); err != nil {
			return Image{}, err
		}
	}
	if err := slot.take(ctx, int64(need+cli.Memory(header.Size(), detectBytes))); err != nil {
		return Image{}, err
	}
	decoded, err := header.Decode(src)
	if err != nil {
		return Image{}, err
	}
	gray := decoded.Gray()
	return Image{
		Name:   name,
		Width:  int32(gray.Rect.Dx()),
		Height: int32(gray.Rect.Dy()),
		Stride: int32(gray.Stride),
		Pix:    gray.Pix,
	}, nil
}

var errTooLarge = errors.New("which is all the memory (-memory)")

// read reads a file into the memory of a slot, which is used again. What may pass is waited for. A
// local file that never answers is left to a goroutine, with this memory: no context ends that.
func (fn *decodeFn) read(ctx context.Context, slot *slot, f Source) error {
	return retry(ctx, func(ctx context.Context, progress func()) error {
		fs, err := fn.storage.of(ctx, f.Name)
		if err != nil {
			return err
		}
		file, done := slot.file, make(chan error, 1)
		go func() { done <- fn.readOnce(ctx, fs, file, f, progress) }()
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			slot.file = new(bytes.Buffer)
			return ctx.Err()
		}
	})
}

func (fn *decodeFn) readOnce(ctx context.Context, fs filesystem.Interface, file *bytes.Buffer, f Source, progress func()) (err error) {
	file.Reset()
	var r io.ReadCloser
	switch err = checkRegular(fileOf(f)); {
	case err != nil:
	case f.Offset > 0:
		r, err = fn.storage.list.open(ctx, fileOf(f), f.Offset, f.Size)
	default:
		r, err = fs.OpenRead(ctx, f.Name)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if f.Offset == 0 && isTar(f.Name) {
		return errTar
	}
	n, err := file.ReadFrom(io.LimitReader(progressReader{r, progress}, fn.Memory))
	switch {
	case err != nil:
		return err
	case n == fn.Memory:
		return fmt.Errorf("it has %v or more, %w", cli.ByteSize(fn.Memory), errTooLarge)
	case n < f.Size && f.Offset > 0:
		return fmt.Errorf("%d bytes came, of %d", n, f.Size)
	case n < f.Size:
		return fn.short(ctx, fs, f, n)
	}
	return nil
}

// short returns the error of a file of which less was read than it has, unless it has changed
// since it was listed, and this is all of it.
func (fn *decodeFn) short(ctx context.Context, fs filesystem.Interface, f Source, n int64) error {
	if size, err := fs.Size(ctx, f.Name); err != nil || size == n {
		return err
	}
	return fmt.Errorf("%d bytes came, of %d", n, f.Size)
}

func (fn *decodeFn) Teardown() error {
	return fn.storage.close()
}
