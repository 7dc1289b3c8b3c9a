package tensor

// A Responder makes rows of responses as a Measure does, in assembly where there is some.
type Responder struct {
	measure Measure
	kernels *kernels // nil for those in Go
	run     *respondRun
}

// A respondRun is a row of responses to be made of the elements of structure tensors. It
// has a vector of them at least.
type respondRun struct {
	in        [3]*float32
	out       *float32
	n         int
	measure   int
	constants [2][16]float32
}

// NewResponder returns the Responder for a Measure. It works in Go until Serve is called.
func NewResponder(m *Measure) *Responder {
	r := &Responder{measure: *m, run: new(respondRun)}
	r.run.measure, r.run.constants = m.Vectors()
	return r
}

// Serve chooses the kernels for this processor.
func (r *Responder) Serve() {
	r.kernels = bestKernels()
}

// Respond makes dst the responses of tensors with these elements.
func (r *Responder) Respond(dst, a, b, c []float32) {
	k := r.kernels
	if k == nil || len(dst) < k.columns/2 {
		r.measure.Respond(dst, a, b, c)
		return
	}
	run, n := r.run, len(dst)
	run.in = [3]*float32{&a[:n][0], &b[:n][0], &c[:n][0]}
	run.out, run.n = &dst[0], n
	k.respond(run)
	run.out = nil
}
