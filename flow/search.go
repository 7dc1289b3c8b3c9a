package flow

// A search follows a point on a level.
type search struct {
	run            windowRun
	source, target patch // for the windows in the first level and in the second one
	status         Status
	err            float32
	values         []int16 // memory for templates that are not kept
	slot           *slot   // where they are kept, or nil
}

// prepare makes the memory that kernels need for windows of w by h pixels.
func (s *search) prepare(k *windowKernels, w, h int) {
	s.run = windowRun{}
	s.run.prepare(k, w, h)
	s.values = s.run.values
	s.source.prepare(w+3, h+3, s.run.over)
	s.target.prepare(w+1+2*patchMargin, h+1+2*patchMargin, s.run.over)
}

// release drops what belongs to the caller.
func (s *search) release() {
	s.run.template.pix, s.run.window.pix = nil, nil
	s.source.level, s.target.level = nil, nil
}
