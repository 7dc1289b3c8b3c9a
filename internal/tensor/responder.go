package tensor

// A Responder computes rows of responses as a Measure does, with the fastest kernel.
type Responder struct {
	run *respondRun
}

// A respondRun is a row of responses to be made of the elements of structure tensors.
type respondRun struct {
	in        [3][]float32
	out       []float32
	measure   int
	constants [2]float32
}

// NewResponder returns the Responder for a Measure.
func NewResponder(m *Measure) *Responder {
	r := &Responder{new(respondRun)}
	r.run.measure, r.run.constants = m.Formula()
	return r
}

// Respond sets dst to the responses of tensors with the given elements.
func (r *Responder) Respond(dst, a, b, c []float32) {
	n := len(dst)
	r.run.in, r.run.out = [3][]float32{a[:n], b[:n], c[:n]}, dst
	if k := table.Best(); n >= k.columns/2 {
		k.respond(r.run)
	} else {
		respond(r.run)
	}
	r.run.out = nil
}

// respond is the kernel in Go.
func respond(r *respondRun) {
	m := Measure{r.measure, r.constants}
	m.Respond(r.out, r.in[0], r.in[1], r.in[2])
}
