//go:build linux && amd64 && cgo

package peers

/*
#cgo LDFLAGS: -ldl

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

struct peers_corner {
	int32_t x, y, score;
};

static void call_init(void *f) {
	((void (*)(void))f)();
}

static int32_t call_find(void *f, int32_t peer, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t threshold) {
	return ((int32_t (*)(int32_t, uint8_t *, int32_t, int32_t, int32_t, int32_t))f)(peer, pix, width, height, stride, threshold);
}

static void call_corners(void *f, struct peers_corner *out) {
	((void (*)(struct peers_corner *))f)(out);
}
*/
import "C"

import (
	_ "embed"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"github.com/fastcorners/fast"
)

// glue is the C++ code between this package and the libraries.
//
//go:embed glue/peers.cc
var glue string

// missing says why there are no peers.
const missing = "libCVD or OpenCV is missing: apt-get install libcvd-dev libopencv-dev"

// A library is the compiled and loaded glue.
type library struct{ findFunc, cornersFunc unsafe.Pointer }

var open = sync.OnceValues(func() (*library, error) {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // what is loaded stays

	file := filepath.Join(dir, "glue.so")
	if err := compile(file); err != nil {
		return nil, err
	}
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	handle := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("peers: %s", C.GoString(C.dlerror()))
	}
	var functions [3]unsafe.Pointer
	for i, name := range []string{"peers_init", "peers_find", "peers_corners"} {
		name := C.CString(name)
		defer C.free(unsafe.Pointer(name))
		if functions[i] = C.dlsym(handle, name); functions[i] == nil {
			return nil, fmt.Errorf("peers: %s", C.GoString(C.dlerror()))
		}
	}
	C.call_init(functions[0])
	return &library{functions[1], functions[2]}, nil
})

// compile makes the shared library of the glue.
func compile(file string) error {
	const probe = `#if !__has_include(<cvd/fast_corner.h>) || !__has_include(<opencv2/features2d.hpp>)
#error
#endif
`
	switch _, err := gxx(probe, "-E"); {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w, and g++", ErrMissing)
	case err != nil:
		return ErrMissing
	}
	if out, err := gxx(glue, "-O2", "-shared", "-fPIC", "-o", file, "-lcvd", "-lopencv_features2d", "-lopencv_core"); err != nil {
		return fmt.Errorf("peers: g++: %w\n%s", err, out)
	}
	return nil
}

// gxx runs the compiler on the source and returns what it writes.
func gxx(source string, args ...string) ([]byte, error) {
	// The libraries come after the source that needs them.
	cmd := exec.Command("g++", append([]string{"-I/usr/include/opencv4", "-x", "c++", "-"}, args...)...)
	cmd.Stdin = strings.NewReader(source)
	return cmd.CombinedOutput()
}

// find runs the peer of this number on img and returns how many corners it
// finds, or a negative number when it fails.
func (l *library) find(peer int, img *image.Gray, threshold uint8) int {
	return int(C.call_find(l.findFunc, C.int32_t(peer), (*C.uint8_t)(&img.Pix[0]),
		C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride), C.int32_t(threshold)))
}

// found returns the n corners that find found last.
func (l *library) found(n int) []fast.Corner {
	if n == 0 {
		return nil
	}
	list := make([]C.struct_peers_corner, n)
	C.call_corners(l.cornersFunc, &list[0])
	corners := make([]fast.Corner, n)
	for i, c := range list {
		corners[i] = fast.Corner{X: int32(c.x), Y: int32(c.y), Score: uint8(c.score)}
	}
	return corners
}
