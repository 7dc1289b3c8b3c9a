//go:build js && wasm

// Web finds corners, keypoints, matches, panoramas and motion for the page in this directory. A
// Web Worker runs it, and calls the functions of the global object "detector":
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
//	                             names of the pictures
//	share(again)                 does what find does before the search, and returns address
//	                             and bytes of the gray pixels of slot 1 if keypoints of both
//	                             pictures must be found for it, or null
//	extract()                    finds those of slot 0, after share
//	adopt(keypoints)             sets those of slot 1, so many, to what is in the room
//	features()                   returns what another program adopts, after a call of find
//	                             for keypoints: address, bytes and the number of keypoints
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
//
// A corner is x, y and its strength; a keypoint is x, y, size, angle and octave; a match is
// x and y of the first picture, x and y of the second, and the distance; and a point that is
// tracked is x and y, and those of the frames before.
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
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/warp"
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
}

// A session is the state of the worker, for one goroutine at a time.
type session struct {
	pictures [slots]picture
	serials  int
	rgba     []byte    // memory of room
	values   []float32 // memory of find
	bytes    []byte    // memory of report and features
	calls    int       // of find
	warper   *warp.Warper

	options options
	finder  finder // made of options
}

func main() {
	w, err := warp.New(warp.Options{Border: border.Reflect101})
	if err != nil {
		panic(err)
	}
	s := &session{warper: w}
	js.Global().Set("detector", map[string]any{
		"resize": js.FuncOf(s.resize),
		"room":   js.FuncOf(s.room),
		"rows":   js.FuncOf(s.rows),
		"luma":   js.FuncOf(s.luma),
		"shake":  js.FuncOf(s.shake),
		"choose": js.FuncOf(s.choose),
		"find":   js.FuncOf(s.find),
		"report": js.FuncOf(s.report),

		"share":    js.FuncOf(s.share),
		"extract":  js.FuncOf(s.extract),
		"features": js.FuncOf(s.features),
		"adopt":    js.FuncOf(s.adopt),
	})
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

func (s *session) shake(_ js.Value, args []js.Value) any {
	p := &s.pictures[0]
	resize(p, args[0].Int(), args[1].Int())
	var a warp.Affine
	for i := range a {
		a[i] = args[2+i].Float()
	}
	s.warper.Gray(&p.gray, &s.pictures[2].gray, a)
	s.changed(0)
	return nil
}

// changed gives the picture in a slot a new serial number.
func (s *session) changed(slot int) {
	s.serials++
	s.pictures[slot].serial = s.serials
}

func (s *session) choose(_ js.Value, args []js.Value) any {
	if opts := readOptions(args[0]); s.finder == nil || opts != s.options {
		f, err := newFinder(opts)
		if err != nil {
			return err.Error()
		}
		s.options, s.finder = opts, f
	}
	return nil
}

// prepare prepares a search with the arguments of find.
func (s *session) prepare(args []js.Value) {
	if args[0].Bool() {
		for i := range s.pictures[:2] {
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
	r := s.finder.(reporter).report()
	if args[0].String() == "csv" {
		text = r.writeCSV(names)
	} else if m, ok := s.finder.(*matchFinder); ok {
		text = m.writeJSON(names, &s.pictures)
	} else {
		text = r.writeJSON(names, s.pictures[0].gray.Rect.Size())
	}
	s.bytes = text // which keeps it
	return map[string]any{"address": address(text), "bytes": len(text)}
}
