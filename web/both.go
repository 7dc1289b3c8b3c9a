//go:build js && wasm && !boards

package main

import (
	"slices"
	"syscall/js"
	"unsafe"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// WebAssembly of Go has one thread. To search two pictures at once, the worker has another instance
// of the program find the keypoints of the second one. These functions move pixels and keypoints; both
// instances are the same program, so that what they have in memory has the same form.

// matcher returns the finder of matches, or nil if there is none.
func (s *session) matcher() *matchFinder {
	switch f := s.finder.(type) {
	case *matchFinder:
		return f
	case *panoramaFinder:
		return f.matchFinder
	}
	return nil
}

// share returns the pixels of the second picture if both must be searched.
func (s *session) share(_ js.Value, args []js.Value) any {
	s.prepare(args)
	m := s.matcher()
	if m == nil || m.serials[0] == s.pictures[0].serial || m.serials[1] == s.pictures[1].serial {
		return nil
	}
	pix := s.pictures[1].gray.Pix
	return map[string]any{"address": address(pix), "bytes": len(pix)}
}

// extract searches the first picture.
func (s *session) extract(js.Value, []js.Value) any {
	s.matcher().extract(&s.pictures, 0)
	return nil
}

// features returns the keypoints that were found, and then their descriptors, as they are in memory.
func (s *session) features(js.Value, []js.Value) any {
	f := s.finder.(*keypointFinder)
	s.bytes = append(s.bytes[:0], bytesOf(f.keypoints)...)
	s.bytes = append(s.bytes, bytesOf(f.descriptors)...)
	return map[string]any{"address": address(s.bytes), "bytes": len(s.bytes), "keypoints": len(f.keypoints)}
}

// adopt takes so many keypoints and descriptors for those of the second picture, from room.
func (s *session) adopt(_ js.Value, args []js.Value) any {
	n, m := args[0].Int(), s.matcher()
	f := &m.found[1]
	f.keypoints = slices.Grow(f.keypoints[:0], n)[:n]
	f.descriptors = slices.Grow(f.descriptors[:0], n)[:n]
	copied := copy(bytesOf(f.keypoints), s.rgba)
	copy(bytesOf(f.descriptors), s.rgba[copied:])
	m.serials[1] = s.pictures[1].serial
	return nil
}

// bytesOf returns the memory of a slice, whose elements have no pointers.
func bytesOf[T orb.Keypoint | match.Descriptor](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}
