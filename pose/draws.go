package pose

import "github.com/fastcorners/fast/internal/consensus"

// Draws are samples that were drawn before their turn, since several are solved at once in less
// time. They are the same as if each were drawn when its turn comes.
type draws struct {
	sampler *consensus.Sampler
	problem problem
	groups  groupSolver // or nil

	samples [groupSize][7]int
	after   [groupSize]consensus.Position // of the sampler, after each of them
	count   int
	taken   int // those that had their turn
	models  []model
}

// begin begins with another problem. groups is nil unless it can solve samples in groups.
func (d *draws) begin(sampler *consensus.Sampler, p problem, groups groupSolver) {
	d.sampler, d.problem, d.groups = sampler, p, groups
	d.forget()
}

// forget forgets the samples that had no turn. It must be called where the next sample is one of
// other pairs than the last one, or of another size.
func (d *draws) forget() { d.count, d.taken = 0, 0 }

// next returns the models of the next sample of a list of pairs or, if that is nil, of all pairs.
// Up to more are wanted besides.
func (d *draws) next(list []int, size, more int) []model {
	if d.taken == d.count {
		d.taken, d.count = 0, 1
		if d.groups != nil && d.groups.solvesGroups() {
			d.count = min(1+more, groupSize)
		}
		for i := range d.count {
			if sample := d.samples[i][:size]; list == nil {
				d.sampler.Draw(sample)
			} else {
				d.sampler.DrawFrom(sample, list)
			}
			d.after[i] = d.sampler.Position()
		}
		if d.count > 1 {
			d.groups.solveGroup(d.samples[:d.count])
		}
	}
	n := d.taken
	d.taken++
	d.sampler.Return(d.after[n])
	if d.count == 1 {
		d.models = d.problem.solve(d.models[:0], d.samples[0][:size])
	} else {
		d.models = d.groups.solved(d.models[:0], n)
	}
	return d.models
}
