package pose

import "github.com/fastcorners/fast/internal/consensus"

// Draws are samples that were drawn before their turn, since several are solved at once in less
// time. They are the same as if each were drawn when its turn comes.
type draws struct {
	samples [lanes][7]int
	after   [lanes]consensus.Position // of the sampler, after each of them
	count   int
	taken   int // those that had their turn
}

// redraw forgets the samples that had no turn. It must be called where the next sample is one of
// other pairs than the last one, or another size.
func (j *job) redraw() { j.draws.count, j.draws.taken = 0, 0 }

// draw returns the models of the next sample of a list of pairs or, if that is nil, of all pairs.
// Up to ahead more are wanted besides.
func (j *job) draw(list []int, size, ahead int) []model {
	d := &j.draws
	f := &j.fundamental
	if d.taken == d.count {
		d.taken, d.count = 0, 1
		if j.problem == f && f.solvesLanes() {
			d.count = min(1+ahead, lanes)
		}
		for i := range d.count {
			if sample := d.samples[i][:size]; list == nil {
				j.sampler.Draw(sample)
			} else {
				j.sampler.DrawFrom(sample, list)
			}
			d.after[i] = j.sampler.Position()
		}
		if d.count > 1 {
			f.solveLanes(d.samples[:d.count])
		}
	}
	k := d.taken
	d.taken++
	j.sampler.Return(d.after[k])
	if d.count == 1 {
		j.models = j.problem.solve(j.models[:0], d.samples[0][:size])
	} else {
		j.models = f.sevens.models(j.models[:0], k)
	}
	return j.models
}
