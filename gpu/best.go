package gpu

import (
	"fmt"
	"sync"

	"github.com/fastcorners/fast/match"
)

// A Finder finds matches on the processor, like a Matcher of package match, or also on a device, like
// the one that Best returns. It is safe for concurrent use.
type Finder interface {
	// Match returns the matches of the query descriptors, like the method of package match.
	Match(query, train []match.Descriptor) []match.Match
	// Append is like Match but appends the matches to dst.
	Append(dst []match.Match, query, train []match.Descriptor) []match.Match
	// Options returns the options of the Finder.
	Options() match.Options
}

// breakEven is the least number of pairs of descriptors for which a device is faster than one
// or several cores with AVX-512 if the sets are not on the device; see results/nvidia-h200.md.
const breakEven = 1 << 17

// openDefault opens the first device, once. It is a variable for tests.
var openDefault = sync.OnceValues(func() (*Device, error) { return Open(0) })

// Default returns the first device, which Best uses. It is opened once and shared by all callers,
// so do not close it.
func Default() (*Device, error) { return openDefault() }

// Best returns a Finder that uses the default device for sets large enough to gain from it, and
// package match otherwise. If there is no device, or none that supports the options, it is a
// *match.Matcher[match.Descriptor]; the error of Default says why. If the device fails or is out of
// memory, package match does the work, so the results are always the same. Best fails if an option is
// out of range.
func Best(opts match.Options) (Finder, error) {
	processor, err := match.New[match.Descriptor](opts)
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
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
	*match.Matcher[match.Descriptor]
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
