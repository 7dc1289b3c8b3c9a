package gpu

import (
	"sync"

	"github.com/fastcorners/fast/match"
)

// A Finder finds matches: on the processor, as a *match.Matcher does, or also on a device, as
// that of Best does. It is safe for concurrent use.
type Finder interface {
	// Match returns the matches of the query descriptors, as those of match.Matcher.
	Match(query, train []match.Descriptor) []match.Match
	// Append is Match, appending the matches to dst.
	Append(dst []match.Match, query, train []match.Descriptor) []match.Match
	// Options returns the options of the Finder.
	Options() match.Options
}

// breakEven is the number of pairs of descriptors from which on a device is faster than a core
// with AVX-512, or several, if the sets are not on the device; see results/nvidia-h200.md.
const breakEven = 1 << 17

// Default returns the device that Best uses: the first one. It is opened once and must not be
// closed.
var Default = sync.OnceValues(func() (*Device, error) { return Open(0) })

// Best returns a Finder that has the Default device find matches where that is faster than the
// processor, and package match find the others. It is a *match.Matcher if there is no device, or
// none that serves the options; Default tells why. Also, when the device fails, or has no
// memory left, package match does its work: results are the same in any case. Best fails if
// Options.Ratio is out of range.
func Best(opts match.Options) (Finder, error) {
	processor, err := match.New(opts)
	if err != nil {
		return nil, err
	}
	device, err := Default()
	if err != nil {
		return processor, nil
	}
	m, err := device.New(opts)
	if err != nil {
		return processor, nil
	}
	return &finder{processor, m}, nil
}

// A finder is the Finder of Best.
type finder struct {
	*match.Matcher
	device *Matcher
}

func (f *finder) Match(query, train []match.Descriptor) []match.Match {
	return f.Append(nil, query, train)
}

func (f *finder) Append(dst []match.Match, query, train []match.Descriptor) []match.Match {
	if int64(len(query))*int64(len(train)) >= breakEven {
		if found, err := f.device.Append(dst, query, train); err == nil {
			return found
		}
	}
	return f.Matcher.Append(dst, query, train)
}
