package batch

import (
	"fmt"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/vpi"
)

// resolve returns options as a manifest has them: with numbers for the defaults that they have.
// How the work is done, by Workers and a Kernel of package fast, stays as it is, for machines
// differ in what that means. It fails if the options are invalid.
func resolve(options any) (any, error) {
	switch o := options.(type) {
	case *fast.Options:
		return told(fast.New, *o, func(r *fast.Options) { r.Score, r.Kernel, r.Workers = true, o.Kernel, o.Workers })
	case *harris.Options:
		return told(harris.New, *o, func(r *harris.Options) { r.Workers = o.Workers })
	case *lococo.Options:
		return told(lococo.New, *o, func(r *lococo.Options) { r.Workers = o.Workers })
	case *vpi.Options:
		return told(vpi.New, *o, func(r *vpi.Options) { r.Workers = o.Workers })
	case *orb.Options:
		return told(orb.New, *o, func(r *orb.Options) { r.Workers = o.Workers })
	case *sift.Options:
		return told(sift.New, *o, func(r *sift.Options) { r.Workers = o.Workers })
	case *tag.Options:
		return told(tag.New, *o, func(r *tag.Options) { r.Workers = o.Workers })
	case *vectorOptions:
		return told(match.New[match.Vector], match.Options(*o), func(r *match.Options) { r.Workers = o.Workers })
	case *match.Options:
		return told(match.New[match.Descriptor], *o, func(r *match.Options) { r.Workers = o.Workers })
	}
	return nil, fmt.Errorf("batch: options of type %T", options)
}

// told returns what a detector of options tells of them, changed by keep.
func told[O any, D interface{ Options() O }](create func(O) (D, error), options O, keep func(*O)) (any, error) {
	d, err := create(options)
	if err != nil {
		return nil, err
	}
	options = d.Options()
	keep(&options)
	return options, nil
}
