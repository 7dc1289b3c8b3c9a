// Package pictures reads and writes the files of the examples.
package pictures

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	_ "image/jpeg" // a format that Load reads
	"image/png"
	"io"
	"iter"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/y4m"
)

// Load returns the picture of a PNG, JPEG or GIF file. If there is none, it ends the program.
func Load(name string) image.Image {
	img, err := load(name)
	if err != nil {
		log.Fatal(err)
	}
	return img
}

func load(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

// Save writes a PNG file. If that fails, it ends the program.
func Save(name string, img image.Image) {
	save(name, func(w io.Writer) error { return png.Encode(w, img) })
}

// LoadVideo returns the frames of an animated GIF, in gray. If there are none, it ends the
// program.
func LoadVideo(name string) []*image.Gray {
	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	video, err := gif.DecodeAll(f)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	// A frame of the file may be only the part that differs from the frame before.
	canvas := image.NewRGBA(image.Rect(0, 0, video.Config.Width, video.Config.Height))
	var frames []*image.Gray
	for _, part := range video.Image {
		draw.Draw(canvas, part.Rect, part, part.Rect.Min, draw.Over)
		frames = append(frames, fast.Gray(canvas))
	}
	return frames
}

// LoadAll returns the pictures of a folder, in the order of their names. If one cannot be read, or there
// is none, it ends the program.
func LoadAll(name string) (list []image.Image) {
	err := folder(name, func(img image.Image) bool {
		list = append(list, img)
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
	if len(list) == 0 {
		log.Fatalf("%s has no pictures", name)
	}
	return list
}

// LoadCamera returns the camera of a file. If it cannot be read, it ends the program.
func LoadCamera(name string) camera.Camera {
	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	info, err := camera.ReadInfo(f)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return info.Camera
}

// Frames returns the frames of a video, in gray: the pictures of a folder in the order of their
// names, or a stream in the format Y4M, from a file or, if the name is -, from standard input. If
// something cannot be read, it ends the program.
func Frames(name string) iter.Seq[*image.Gray] {
	return func(yield func(*image.Gray) bool) {
		frames := stream
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			frames = func(name string, yield func(*image.Gray) bool) error {
				return folder(name, func(img image.Image) bool { return yield(fast.Gray(img)) })
			}
		}
		if err := frames(name, yield); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

// folder yields the pictures of a folder.
func folder(name string, yield func(image.Image) bool) error {
	files, err := os.ReadDir(name)
	for _, file := range files {
		if !file.IsDir() && !yield(Load(filepath.Join(name, file.Name()))) {
			break
		}
	}
	return err
}

// Watch returns the pictures of a folder, in gray, in the order of their names, and then those that
// come, for which it looks each time after the interval, until ctx is done. A file that changes is
// read again, and one that cannot be read is left out: it may be that it is still being written.
func Watch(ctx context.Context, folder string, interval time.Duration) iter.Seq[*image.Gray] {
	return func(yield func(*image.Gray) bool) {
		read := map[string]time.Time{} // when the files were modified
		for {
			files, err := os.ReadDir(folder)
			if err != nil {
				log.Fatal(err)
			}
			for _, file := range files {
				name := filepath.Join(folder, file.Name())
				info, err := os.Stat(name) // not file.Info, which some systems' ReadDir has kept
				if err != nil || !info.Mode().IsRegular() || info.ModTime().Equal(read[name]) {
					continue
				}
				read[name] = info.ModTime()
				img, err := load(name)
				if err == nil && !yield(fast.Gray(img)) {
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(interval):
			}
		}
	}
}

// stream yields the frames of a stream.
func stream(name string, yield func(*image.Gray) bool) error {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return err
		}
		defer f.Close()
	}
	r, err := y4m.NewReader(f)
	for err == nil {
		// The caller may keep the pixels of a frame, so that the next one has its own.
		var frame y4m.Frame
		if err = r.Read(&frame); err == nil && !yield(frame.Gray()) {
			return nil
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// SaveVideo writes gray frames as an animated GIF, 25 for each second. If that fails, it ends
// the program.
func SaveVideo(name string, frames []*image.Gray) {
	grays := make(color.Palette, 256)
	for i := range grays {
		grays[i] = color.Gray{uint8(i)}
	}
	var video []*image.Paletted
	for _, f := range frames {
		video = append(video, &image.Paletted{Pix: f.Pix, Stride: f.Stride, Rect: f.Rect, Palette: grays})
	}
	saveGIF(name, video)
}

// SaveColorVideo writes frames as an animated GIF, 25 for each second, with the colors of
// [palette.Plan9]. If that fails, it ends the program.
func SaveColorVideo(name string, frames []image.Image) {
	var video []*image.Paletted
	for _, f := range frames {
		frame := image.NewPaletted(f.Bounds(), palette.Plan9)
		draw.FloydSteinberg.Draw(frame, frame.Rect, f, f.Bounds().Min)
		video = append(video, frame)
	}
	saveGIF(name, video)
}

// saveGIF writes an animated GIF with 25 frames for each second.
func saveGIF(name string, frames []*image.Paletted) {
	const delay = 4 // hundredths of a second
	video := &gif.GIF{Image: frames, Delay: slices.Repeat([]int{delay}, len(frames))}
	save(name, func(w io.Writer) error { return gif.EncodeAll(w, video) })
}

// save writes a file. If that fails, it ends the program.
func save(name string, encode func(io.Writer) error) {
	if err := write(name, encode); err != nil {
		log.Fatal(err)
	}
}

// write writes a file. If that fails, it leaves none, unless it is a device.
func write(name string, encode func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err = errors.Join(encode(f), f.Close()); err == nil {
		return nil
	}
	if info, statErr := os.Stat(name); statErr == nil && info.Mode().IsRegular() {
		os.Remove(name)
	}
	return err
}
