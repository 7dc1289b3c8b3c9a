package tag

import (
	"cmp"
	"slices"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
)

// The largest misfits of tags.
const (
	goodMisfit   = 0.05 // of one that needs no other fit
	hiddenMisfit = 0.15 // of one that is not Hidden
	weakMisfit   = 0.15 // of a weak family
	wrongMisfit  = 0.25 // of one with wrong bits
)

// A found is a tag, with what decides between it and others.
type found struct {
	fit
	id        int
	corrected int
	center    geometry.Point
	diagonal  float64 // from the first corner to the third
	quad      int     // the number of the quad
	family    int     // the number of the family
}

// decode finds out which tag of a family the quads to try are. It reports false if they are none.
func (l *lane) decode(p *raster.Plane, f *plan, samples int) (found, bool) {
	m, ok := l.reader.nearest(l.tries, f)
	if !ok {
		return found{}, false
	}
	result := l.fit(p, &m, f, samples)
	if f.weak && result.misfit > weakMisfit || m.wrong > 0 && result.misfit > wrongMisfit {
		return found{}, false
	}
	corrected, ok := l.corrected(&m, f, &result)
	if !ok {
		return found{}, false
	}
	h := &result.homography
	return found{
		fit:       result,
		id:        m.id,
		corrected: corrected,
		center:    h.at(0, 0),
		diagonal:  distance(h.at(-1, -1), h.at(1, 1)),
	}, true
}

// fit fits the drawing of the tag that m is. If that fails, it returns the quad of m, with a misfit of 1.
// If the misfit is large, another start may lead to a better fit.
func (l *lane) fit(p *raster.Plane, m *match, f *plan, samples int) fit {
	q := turned(&m.quad, m.turn)
	h, _ := squareTo(&q)
	best, ok := l.fitter.fit(p, h, m, f, samples, 0)
	if !ok {
		best = fit{homography: h, misfit: 1, hidden: true}
	}
	first := best.misfit
	if !(first > goodMisfit) || f.weak {
		return best
	}
	if ok {
		l.refit(&best, p, best.homography, m, f, samples)
	}
	if best.misfit > goodMisfit && best.misfit > 0.7*first {
		q := turned(&l.tries[1%len(l.tries)], m.turn)
		if h, ok := squareTo(&q); ok {
			l.refit(&best, p, h, m, f, samples)
		}
	}
	return best
}

// refit makes a fit from another start, and replaces the best one if its misfit is less.
func (l *lane) refit(best *fit, p *raster.Plane, h homography, m *match, f *plan, samples int) {
	if other, ok := l.fitter.fit(p, h, m, f, samples, lenientRounds); ok && other.misfit < best.misfit {
		*best = other
	}
}

// corrected returns the number of bits of a tag that were wrong, and reports whether these are not too
// many. If they are, a good fit is read again.
func (l *lane) corrected(m *match, f *plan, result *fit) (int, bool) {
	if m.wrong <= f.corrected {
		return m.wrong, true
	}
	if result.misfit > goodMisfit {
		return 0, false
	}
	again, ok := l.reader.read(&result.homography, f)
	if !ok {
		return 0, false
	}
	wrong := again.wrongBits(f.words[m.id])
	return wrong, wrong <= f.corrected
}

// unique returns the tags without those at the place of a better one, which replace all.
func unique(all []found) []found {
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(
			cmp.Compare(a.corrected, b.corrected),
			cmp.Compare(a.rms, b.rms),
			cmp.Compare(a.quad, b.quad),
			cmp.Compare(a.family, b.family),
		)
	})
	kept := all[:0]
	for _, t := range all {
		if !slices.ContainsFunc(kept, t.same) {
			kept = append(kept, t)
		}
	}
	return kept
}

// same reports whether a tag is at the place of another one.
func (t *found) same(other found) bool {
	limit := min(t.diagonal, other.diagonal) / 4
	if t.family == other.family && t.id == other.id {
		limit *= 2
	}
	return distance(t.center, other.center) < limit
}

// tag returns what is found as a Tag of a family, in an image whose upper left pixel has the coordinates
// x, y.
func (t *found) tag(f *plan, x, y float64) Tag {
	h := t.homography
	result := Tag{
		ID: t.id, Family: f.family, Corners: h.quad(),
		Corrected: t.corrected, Noise: t.noise, Misfit: t.misfit, Hidden: t.hidden,
	}
	for i := range result.Corners {
		result.Corners[i].X += x
		result.Corners[i].Y += y
	}
	for i := range 3 {
		h[i] += float64(x * h[6+i])
		h[3+i] += float64(y * h[6+i])
	}
	result.Transform = geometry.Transform(h)
	return result
}
