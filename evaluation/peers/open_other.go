//go:build !(linux && amd64 && cgo)

package peers

import (
	"image"

	"github.com/fastcorners/fast"
)

// missing says why there are no peers.
const missing = "libCVD and OpenCV are compared with on linux/amd64 and with cgo only"

type library struct{}

func open() (*library, error) { return nil, ErrMissing }

func (*library) find(int, *image.Gray, uint8) int { panic("unreachable") }

func (*library) found(int) []fast.Corner { panic("unreachable") }
