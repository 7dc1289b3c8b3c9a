package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

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
// PCollection<Image> and a PCollection<DeadLetter>: a file that is not there, may not be read,
// has a name that is not UTF-8, is no image or would take more bytes of memory becomes a dead letter. Errors that are not
// those of one file, such as that of a server which does not answer, fail the bundle.
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
	if !utf8.ValidString(name) {
		deadCounter.Inc(ctx, 1)
		bury(DeadLetter{escape(name), "the name is not UTF-8"})
		return nil
	}
	start := time.Now()
	var img Image
	err := fn.read(ctx, name)
	if err == nil {
		img, err = fn.decode(name)
	} else if !ownFault(err) {
		return fmt.Errorf("%s: %w", name, reason(err))
	}
	decodeTimeCounter.Inc(ctx, time.Since(start).Nanoseconds())
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

// decode decodes the file that has been read.
func (fn *decodeFn) decode(name string) (img Image, err error) {
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

var errTooLarge = errors.New("which is all the memory (-memory)")

// read reads a file into memory that is used again. What may pass is waited for.
func (fn *decodeFn) read(ctx context.Context, name string) error {
	err := fn.readOnce(ctx, name)
	for _, wait := range retryAfter {
		if err == nil || ownFault(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		err = fn.readOnce(ctx, name)
	}
	return err
}

// retryAfter are the times between attempts to read a file.
var retryAfter = []time.Duration{100 * time.Millisecond, time.Second}

func (fn *decodeFn) readOnce(ctx context.Context, name string) error {
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
		err = fmt.Errorf("it has %v or more, %w", photo.ByteSize(fn.Memory), errTooLarge)
	}
	return err
}

func (fn *decodeFn) Teardown() error {
	return fn.storage.close()
}
