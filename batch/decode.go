package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast/internal/photo"
)

// The counters of the pipelines. Times are in nanoseconds, of all workers together.
var (
	imagesCounter     = beam.NewCounter(Namespace, "images")
	pixelsCounter     = beam.NewCounter(Namespace, "pixels")
	cornersCounter    = beam.NewCounter(Namespace, "corners")
	pairsCounter      = beam.NewCounter(Namespace, "pairs")
	matchesCounter    = beam.NewCounter(Namespace, "matches")
	deadCounter       = beam.NewCounter(Namespace, "dead_letters")
	decodeTimeCounter = beam.NewCounter(Namespace, "decode_ns")
	detectTimeCounter = beam.NewCounter(Namespace, "detect_ns")
	matchTimeCounter  = beam.NewCounter(Namespace, "match_ns")
)

// Namespace is the namespace of the counters: images, pixels, corners, pairs, matches, dead_letters,
// decode_ns, detect_ns and match_ns.
const Namespace = "batch"

// Decode reads files, whose names are a PCollection<string>, and returns a
// PCollection<Image> and a PCollection<DeadLetter>: a file that cannot be read, is no image
// or would take more bytes of memory becomes a dead letter.
// The memory that counts is that of the file and of its pixels until they are gray. JPEG
// images are rotated as Exif says.
func Decode(s beam.Scope, names beam.PCollection, memory int64) (images, dead beam.PCollection) {
	return beam.ParDo2(s.Scope("batch.Decode"), &decodeFn{Memory: memory}, names)
}

type decodeFn struct {
	Memory  int64
	storage storage
	file    bytes.Buffer
}

func (fn *decodeFn) ProcessElement(ctx context.Context, name string, emit func(Image), bury func(DeadLetter)) error {
	start := time.Now()
	img, err := fn.decode(ctx, name)
	decodeTimeCounter.Inc(ctx, time.Since(start).Nanoseconds())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		deadCounter.Inc(ctx, 1)
		bury(DeadLetter{name, reason(err).Error()})
		return nil
	}
	imagesCounter.Inc(ctx, 1)
	pixelsCounter.Inc(ctx, int64(img.Width)*int64(img.Height))
	emit(img)
	return nil
}

func (fn *decodeFn) decode(ctx context.Context, name string) (img Image, err error) {
	if err := fn.read(ctx, name); err != nil {
		return Image{}, err
	}
	// Some malformed files make decoders panic.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be decoded (panic: %v)", r)
		}
	}()
	src := bytes.NewReader(fn.file.Bytes())
	header, err := photo.ReadHeader(src)
	if err != nil {
		return Image{}, err
	}
	need := photo.ByteSize(src.Size()) + photo.Memory(header.Stored, header.PixelSize(false))
	if err := photo.CheckMemory(header.Size(), need, photo.ByteSize(fn.Memory)); err != nil {
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

// read reads a file into memory that is used again.
func (fn *decodeFn) read(ctx context.Context, name string) error {
	fs, err := fn.storage.of(ctx, name)
	if err != nil {
		return err
	}
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	fn.file.Reset()
	n, err := fn.file.ReadFrom(io.LimitReader(r, fn.Memory))
	if err == nil && n == fn.Memory {
		err = fmt.Errorf("it has %v or more, which is all the memory (-memory)", photo.ByteSize(fn.Memory))
	}
	return err
}

func (fn *decodeFn) Teardown() error {
	return fn.storage.close()
}

// reason returns err without the operation and the path that package os puts before it.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
