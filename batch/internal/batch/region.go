package batch

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"sync"

	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/photo"
)

// A Region specifies the part of each image in which to find features. The zero Region is the whole
// image.
type Region struct {
	// ROI is a rectangle that is searched as if it were the whole image. An image that does not
	// contain it becomes a dead letter. If ROI is empty, the whole image is searched.
	ROI image.Rectangle
	// Mask is the name of an image file: features are kept where it is not black or, if some of its
	// pixels are transparent, where it is not fully transparent. An image of a different size
	// becomes a dead letter. The file is read where the job is built. If Mask is empty, there is no
	// mask.
	Mask string
}

// A region is a Region that workers can use. A nil region is everywhere.
type region struct {
	ROI  image.Rectangle
	Mask []byte // a PNG image that is 0 or 255, or nil
	Size image.Point
	Name string // of the mask

	once sync.Once
	mask *image.Gray // made of Mask once
}

// load returns the region, with the mask.
func (r Region) load(ctx context.Context, memory int64) (*region, error) {
	if r == (Region{}) {
		return nil, nil
	}
	loaded := &region{ROI: r.ROI, Name: r.Mask}
	if r.ROI.Min.X < 0 || r.ROI.Min.Y < 0 {
		return nil, fmt.Errorf("batch: the region %v begins outside of images", r.ROI)
	}
	if r.Mask == "" {
		return loaded, nil
	}
	fs, err := openStorage(ctx, r.Mask)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	mask, err := readMask(ctx, fs.OpenRead, r.Mask, memory)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Mask, reason(err))
	}
	for i, v := range mask.Pix {
		if v != 0 {
			mask.Pix[i] = 255
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, mask); err != nil {
		return nil, err
	}
	loaded.Mask, loaded.Size = file.Bytes(), mask.Rect.Size()
	return loaded, nil
}

// readMask returns a new image.
func readMask(ctx context.Context, open func(context.Context, string) (io.ReadCloser, error), name string, memory int64) (*image.Gray, error) {
	file, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, memory))
	if err != nil {
		return nil, err
	}
	src := bytes.NewReader(data)
	header, err := photo.ReadHeader(src)
	if err != nil {
		return nil, err
	}
	need := cli.ByteSize(len(data)) + cli.Memory(header.Stored, header.PixelSize(false))
	if err := cli.CheckMemory(header.Size(), need, cli.ByteSize(memory)); err != nil {
		return nil, err
	}
	img, err := header.Decode(src)
	if err != nil {
		return nil, err
	}
	return img.Mask(), nil
}

// check returns an error if an image of the given size has no such region.
func (r *region) check(size image.Point) error {
	switch {
	case r == nil:
		return nil
	case r.Mask != nil && r.Size != size:
		return fmt.Errorf("%d x %d pixels, but the mask %s has %d x %d", size.X, size.Y, r.Name, r.Size.X, r.Size.Y)
	case !r.ROI.In(image.Rectangle{Max: size}):
		return fmt.Errorf("the region %v is not within its %d x %d pixels", &cli.Region{Rectangle: r.ROI}, size.X, size.Y)
	}
	return nil
}

// size returns that of the region in an image of the given size.
func (r *region) size(image image.Point) image.Point {
	if r == nil || r.ROI.Empty() {
		return image
	}
	return r.ROI.Size()
}

// of returns the region's part of an image, and of the mask.
func (r *region) of(img *image.Gray) (part, mask *image.Gray) {
	if r == nil {
		return img, nil
	}
	if r.Mask != nil {
		r.once.Do(func() {
			// load has made it. There is a panic if it is no gray image.
			decoded, _ := png.Decode(bytes.NewReader(r.Mask))
			r.mask = decoded.(*image.Gray)
		})
		mask = r.mask
	}
	if r.ROI.Empty() {
		return img, mask
	}
	if mask != nil {
		mask = mask.SubImage(r.ROI).(*image.Gray)
	}
	return img.SubImage(r.ROI).(*image.Gray), mask
}
