//go:build js && wasm

// Web finds corners, keypoints, matches, panoramas and motion for the page in this directory or, if it
// is built with the tag boards, markers and chessboards, with which it calibrates cameras. These are
// two programs, since most visitors need only the first one. A Web Worker runs it, and calls the
// functions of the global object "detector":
//
//	resize(slot, width, height, colors)
//	                             makes room for a picture in a slot: 0 or 1, or 2 for
//	                             what shake shows; colors are kept, too, if that is true
//	room(bytes)                  returns the address of room for rows, which stays the same
//	                             until there is more
//	rows(slot, y, bytes)         sets rows of the picture, from row y on, to the opaque
//	                             RGBA in that room
//	luma(slot, width, height,    sets the picture to the luma in that room, from 16 to 235
//	full)                        unless full is true; to resize first is not needed
//	shake(width, height, a, b, c, d, e, f)
//	                             sets the picture of slot 0 to what a camera sees of that of
//	                             slot 2: the pixel x, y is a*x+b*y+c, d*x+e*y+f
//	choose(options)              chooses what is to be found: options is an object; it returns
//	                             a string if they are wrong, and then the last ones stay
//	find(again)                  finds what was chosen; if again is true, pictures that have not
//	                             changed are searched again
//	report(format, a, b)         returns what the last call of find has found, as the
//	                             program corners writes it: an object with address and
//	                             bytes. The format is csv or json, and the others are the
//	                             names of the pictures. Of a calibration it is the camera,
//	                             as package camera writes it for the formats json and yaml
//	share(again)                 does what find does before the search, and returns address
//	                             and bytes of the gray pixels of slot 1 if keypoints of both
//	                             pictures must be found for it, or null
//	extract()                    finds those of slot 0, after share
//	adopt(keypoints)             sets those of slot 1, so many, to what is in the room
//	features()                   returns what another program adopts, after a call of find
//	                             for keypoints: address, bytes and the number of keypoints
//	tilt(method, family, frame)  sets the picture of slot 0 to a frame of the sample for
//	                             markers, of a family, or for calibrate, and returns the
//	                             address of its gray pixels, width and height
//
// The first program has shake, share, extract, adopt and features, and the other one has tilt.
//
// The result of find is an object with
//
//	address       that of float32 numbers, little-endian, until the next call of find
//	bytes         the length of these
//	stride        the number of these for each corner, keypoint or match
//	milliseconds  the time it took
//	keypoints     for matches and panoramas, the numbers of keypoints of both pictures
//	transform     for matches, what maps points of the first picture to the second, nine
//	inliers       numbers, and how many matches agree with it, if there is one
//	picture       for panoramas, the second picture where it belongs in the first: address
//	              of RGBA, x, y, width and height, if both have something in common
//	source        to stabilize, what maps pixels to where they come from in the frame
//	shake         and by how many pixels frames jump, before and after
//	count         and how many corners agree with the motion
//	board         to calibrate, the columns and rows of the board that is seen, and count, the
//	              number of its corners
//	calibration   what is known of the camera, if that has changed: see describe of
//	              calibrateFinder
//
// A corner is x, y and its strength; a keypoint is x, y, size, angle and octave; a match is
// x and y of the first picture, x and y of the second, and the distance; a point that is tracked
// is x and y, and those of the frames before; a marker is as appendTo of markerFinder says; and a
// corner of a chessboard is x and y, or NaN if it is not seen.
//
// Pixels and results stay in the memory of the program. An array of JavaScript that Go has
// seen stays until Go collects garbage, which it hardly does, as it sees none.
package main

import (
	"image"
	"runtime"
	"syscall/js"
	"time"
	"unsafe"

	"github.com/fastcorners/fast"
)

// callsPerCollection is the number of calls of find after which garbage is collected.
const callsPerCollection = 500

// slots is the number of pictures.
const slots = 3

// A picture is the content of a slot.
type picture struct {
	gray   image.Gray
	colors image.NRGBA // empty unless they are kept
	serial int         // changes with the pixels
	photo  bool        // it is no frame of a video
}

// A session is the state of the worker, for one goroutine at a time.
type session struct {
	pictures [slots]picture
	serials  int
	rgba     []byte    // memory of room
	values   []float32 // memory of find
	bytes    []byte    // memory of report and features
	calls    int       // of find
	scenery            // what the page shows at first

	options options
	finder  finder // made of options
}

func main() {
	s := new(session)
	if err := s.build(); err != nil {
		panic(err)
	}
	functions := map[string]any{
		"resize": js.FuncOf(s.resize),
		"room":   js.FuncOf(s.room),
		"rows":   js.FuncOf(s.rows),
		"luma":   js.FuncOf(s.luma),
		"choose": js.FuncOf(s.choose),
		"find":   js.FuncOf(s.find),
		"report": js.FuncOf(s.report),
	}
	for name, f := range s.functions() {
		functions[name] = js.FuncOf(f)
	}
	js.Global().Set("detector", functions)
	select {}
}

func (s *session) resize(_ js.Value, args []js.Value) any {
	p, w, h := &s.pictures[args[0].Int()], args[1].Int(), args[2].Int()
	resize(p, w, h)
	n := 0
	if args[3].Bool() {
		n = 4 * w * h
	}
	if cap(p.colors.Pix) < n {
		p.colors.Pix = nil
		runtime.GC()
		p.colors.Pix = make([]byte, n)
	}
	if n > 0 {
		p.colors = image.NRGBA{Pix: p.colors.Pix[:n], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	}
	return nil
}

// resize gives a picture a size, and no colors.
func resize(p *picture, w, h int) {
	if cap(p.gray.Pix) < w*h {
		p.gray.Pix = nil // so that there are not both at once
		runtime.GC()
		p.gray.Pix = make([]byte, w*h)
	}
	p.gray = image.Gray{Pix: p.gray.Pix[:w*h], Stride: w, Rect: image.Rect(0, 0, w, h)}
	p.colors = image.NRGBA{Pix: p.colors.Pix[:0]}
}

func (s *session) room(_ js.Value, args []js.Value) any {
	if n := args[0].Int(); len(s.rgba) < n {
		s.rgba = make([]byte, n)
	}
	return address(s.rgba)
}

// address returns the address of a slice in the memory of the program.
func address[T byte | float32](s []T) float64 {
	return float64(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
}

func (s *session) rows(_ js.Value, args []js.Value) any {
	slot, y, n := args[0].Int(), args[1].Int(), args[2].Int()
	p := &s.pictures[slot]
	w := p.gray.Stride
	h := n / (4 * w)
	fast.GrayInto(
		&image.Gray{Pix: p.gray.Pix[y*w : (y+h)*w : (y+h)*w]},
		&image.RGBA{Pix: s.rgba[:n], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)},
	)
	if len(p.colors.Pix) > 0 {
		copy(p.colors.Pix[4*y*w:], s.rgba[:n])
	}
	s.changed(slot)
	return nil
}

func (s *session) luma(_ js.Value, args []js.Value) any {
	slot := args[0].Int()
	resize(&s.pictures[slot], args[1].Int(), args[2].Int())
	pix := s.pictures[slot].gray.Pix
	n := len(pix)
	if args[3].Bool() {
		copy(pix, s.rgba)
	} else {
		row := image.Rect(0, 0, n, 1) // which all pixels are, since there are no gaps
		fast.ExpandLuma(&image.Gray{Pix: pix}, &image.Gray{Pix: s.rgba[:n], Stride: n, Rect: row})
	}
	s.changed(slot)
	return nil
}

// changed gives the picture in a slot a new serial number.
func (s *session) changed(slot int) {
	s.serials++
	s.pictures[slot].serial = s.serials
}

func (s *session) choose(_ js.Value, args []js.Value) any {
	if opts := readOptions(args[0]); s.finder == nil || opts != s.options {
		f, err := newFinder(opts, s.finder)
		if err != nil {
			return err.Error()
		}
		s.options, s.finder = opts, f
	}
	return nil
}

// prepare prepares a search with the arguments of find.
func (s *session) prepare(args []js.Value) {
	photos := args[0].Bool()
	for i := range s.pictures[:2] {
		s.pictures[i].photo = photos
		if photos {
			s.changed(i)
		}
	}
}

func (s *session) find(_ js.Value, args []js.Value) any {
	s.prepare(args)
	// Each call leaves some small objects of JavaScript.
	if s.calls++; s.calls%callsPerCollection == 0 {
		runtime.GC()
	}
	start := time.Now()
	s.finder.find(&s.pictures)
	elapsed := time.Since(start)

	result := map[string]any{"milliseconds": float64(elapsed.Nanoseconds()) / 1e6}
	var stride int
	s.values, stride = s.finder.appendTo(s.values[:0])
	result["address"] = address(s.values)
	result["bytes"] = 4 * len(s.values)
	result["stride"] = stride
	if d, ok := s.finder.(describer); ok {
		d.describe(result)
	}
	return result
}

func (s *session) report(_ js.Value, args []js.Value) any {
	names := [2]string{args[1].String(), args[2].String()}
	var text []byte
	if w, ok := s.finder.(yamlWriter); ok && args[0].String() == "yaml" {
		text = w.writeYAML()
	} else if args[0].String() == "csv" {
		r := s.finder.(reporter).report()
		text = r.writeCSV(names)
	} else if w, ok := s.finder.(jsonWriter); ok {
		text = w.writeJSON(names, &s.pictures)
	} else {
		r := s.finder.(reporter).report()
		text = r.writeJSON(names, s.pictures[0].gray.Rect.Size())
	}
	s.bytes = text // which keeps it
	return map[string]any{"address": address(text), "bytes": len(text)}
}
