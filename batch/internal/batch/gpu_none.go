//go:build !gpu

package batch

import (
	"errors"

	"github.com/fastcorners/fast/match"
)

// A program with package gpu needs a C library, so it is made only if it is wanted.
const hasGPU = false

var errNoGPU = errors.New("batch: this program cannot use GPUs: build it with -tags gpu")

func openGPU(match.Options) (collectionMatcher, error) { return nil, errNoGPU }
