package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// library is the name of the driver's library. Tests set it to that of an emulation.
var library = "libcuda.so.1"

type (
	devicePointer uint64
	handle        uintptr // of a context, a module, a function or a stream
)

// A driver has the functions of NVIDIA's driver that this package calls. Those of memory, of
// modules and of streams need a thread whose context is that of the device; see Device.do.
type driver struct {
	init               func(flags uint32) status
	deviceGetCount     func(count *int32) status
	deviceGet          func(device *int32, index int32) status
	deviceGetName      func(name *byte, size, device int32) status
	deviceGetAttribute func(value *int32, attribute, device int32) status
	contextRetain      func(context *handle, device int32) status
	contextRelease     func(device int32) status
	contextSetCurrent  func(context handle) status
	moduleLoad         func(module *handle, text *byte, options uint32, names *int32, values *uintptr) status
	moduleUnload       func(module handle) status
	moduleGetFunction  func(function *handle, module handle, name *byte) status
	occupancy          func(blocks *int32, function handle, threads int32, shared uintptr) status
	alloc              func(p *devicePointer, size uintptr) status
	free               func(p devicePointer) status
	hostAlloc          func(p *unsafe.Pointer, size uintptr, flags uint32) status
	hostFree           func(p unsafe.Pointer) status
	hostRegister       func(p unsafe.Pointer, size uintptr, flags uint32) status
	hostUnregister     func(p unsafe.Pointer) status
	toDevice           func(to devicePointer, from unsafe.Pointer, size uintptr, stream handle) status
	toHost             func(to unsafe.Pointer, from devicePointer, size uintptr, stream handle) status
	streamCreate       func(stream *handle, flags uint32) status
	streamSynchronize  func(stream handle) status
	streamDestroy      func(stream handle) status
	launch             func(function handle, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream handle, args *unsafe.Pointer, extra unsafe.Pointer) status
	errorName          func(s status, name **byte) status
}

// symbols returns the names that the functions have in the library.
func (d *driver) symbols() []symbol {
	return []symbol{
		{&d.init, "cuInit"},
		{&d.deviceGetCount, "cuDeviceGetCount"},
		{&d.deviceGet, "cuDeviceGet"},
		{&d.deviceGetName, "cuDeviceGetName"},
		{&d.deviceGetAttribute, "cuDeviceGetAttribute"},
		{&d.contextRetain, "cuDevicePrimaryCtxRetain"},
		{&d.contextRelease, "cuDevicePrimaryCtxRelease_v2"},
		{&d.contextSetCurrent, "cuCtxSetCurrent"},
		{&d.moduleLoad, "cuModuleLoadDataEx"},
		{&d.moduleUnload, "cuModuleUnload"},
		{&d.moduleGetFunction, "cuModuleGetFunction"},
		{&d.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor"},
		{&d.alloc, "cuMemAlloc_v2"},
		{&d.free, "cuMemFree_v2"},
		{&d.hostAlloc, "cuMemHostAlloc"},
		{&d.hostFree, "cuMemFreeHost"},
		{&d.hostRegister, "cuMemHostRegister_v2"},
		{&d.hostUnregister, "cuMemHostUnregister"},
		{&d.toDevice, "cuMemcpyHtoDAsync_v2"},
		{&d.toHost, "cuMemcpyDtoHAsync_v2"},
		{&d.streamCreate, "cuStreamCreate"},
		{&d.streamSynchronize, "cuStreamSynchronize"},
		{&d.streamDestroy, "cuStreamDestroy_v2"},
		{&d.launch, "cuLaunchKernel"},
		{&d.errorName, "cuGetErrorName"},
	}
}

// A symbol is a pointer to a function and its name in a library.
type symbol struct {
	function any
	name     string
}

// drivers has the drivers that have been loaded, by the names of their libraries.
var drivers struct {
	mu     sync.Mutex
	loaded map[string]*driver
}

// loadDriver returns the driver, ready for use.
func loadDriver() (*driver, error) {
	drivers.mu.Lock()
	defer drivers.mu.Unlock()
	d := drivers.loaded[library]
	if d == nil {
		d = new(driver)
		if err := load(library, d.symbols()); err != nil {
			return nil, err
		}
		if drivers.loaded == nil {
			drivers.loaded = make(map[string]*driver)
		}
		drivers.loaded[library] = d
	}
	if err := d.check("cuInit", d.init(0)); err != nil {
		return nil, err
	}
	return d, nil
}

// ErrOutOfMemory means that a device has too little memory, even for a small part of the work.
var ErrOutOfMemory = errors.New("gpu: the device is out of memory")

// A status is what a function of the driver returns.
type status int32

const (
	success     status = 0
	outOfMemory status = 2
	noDevice    status = 100
)

// check returns the error of a call, or nil.
func (d *driver) check(call string, s status) error {
	switch s {
	case success:
		return nil
	case outOfMemory:
		return fmt.Errorf("%w: %s", ErrOutOfMemory, call)
	case noDevice:
		return errors.New("gpu: there is no NVIDIA device")
	}
	var name *byte
	if d.errorName(s, &name) != success || name == nil {
		return fmt.Errorf("gpu: %s: CUDA error %d", call, s)
	}
	return fmt.Errorf("gpu: %s: %s", call, cString(name))
}

// cString returns the string that p points to, up to its zero byte.
func cString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// deviceName returns the name of a device.
func (d *driver) deviceName(device int32) (string, error) {
	name := make([]byte, 100)
	err := d.check("cuDeviceGetName", d.deviceGetName(&name[0], int32(len(name)-1), device))
	name, _, _ = bytes.Cut(name, []byte{0})
	return string(name), err
}

// Attributes of devices.
const (
	attributeMultiprocessors = 16
	attributeMajor           = 75
	attributeMinor           = 76
)

// attribute returns an attribute of a device.
func (d *driver) attribute(attribute, device int32) (int, error) {
	var value int32
	err := d.check("cuDeviceGetAttribute", d.deviceGetAttribute(&value, attribute, device))
	return int(value), err
}

// loadModule has the driver compile the text, PTX, for the device of the context.
func (d *driver) loadModule(text string) (handle, error) {
	const jitErrorLog, jitErrorLogSize = 5, 6
	var module handle
	source := append([]byte(text), 0)
	log := make([]byte, 4096)
	var pinner runtime.Pinner
	pinner.Pin(&log[0])
	defer pinner.Unpin()
	names := []int32{jitErrorLog, jitErrorLogSize}
	values := []uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log) - 1)}
	err := d.check("cuModuleLoadDataEx", d.moduleLoad(&module, &source[0], uint32(len(names)), &names[0], &values[0]))
	if err != nil {
		log, _, _ = bytes.Cut(log, []byte{0})
		return 0, fmt.Errorf("%w (the driver says: %s)", err, bytes.TrimSpace(log))
	}
	return module, nil
}

// A kernel is a function of the module, and the number of threads of its blocks.
type kernel struct {
	function handle
	threads  uint32
}

// kernel returns a kernel of a module.
func (d *driver) kernel(module handle, name string, threads uint32) (kernel, error) {
	k := kernel{threads: threads}
	err := d.check("cuModuleGetFunction", d.moduleGetFunction(&k.function, module, &append([]byte(name), 0)[0]))
	return k, err
}

// An arena is memory of the device, or of the host, pinned, so that it is copied faster. It
// grows, and is used again.
type arena struct {
	device devicePointer
	host   unsafe.Pointer
	size   int
}

// growDevice makes the arena one of the device that has at least size bytes. It does not keep
// the contents. If it fails, the arena is empty.
func (d *driver) growDevice(a *arena, size int) error {
	return d.grow(a, size, func() error {
		return d.check("cuMemAlloc", d.alloc(&a.device, uintptr(size)))
	})
}

// growHost is growDevice for memory of the host.
func (d *driver) growHost(a *arena, size int) error {
	const portable = 1
	return d.grow(a, size, func() error {
		return d.check("cuMemHostAlloc", d.hostAlloc(&a.host, uintptr(size), portable))
	})
}

// grow makes the arena one of at least size bytes, which it takes from alloc.
func (d *driver) grow(a *arena, size int, alloc func() error) error {
	if size <= a.size {
		return nil
	}
	if err := d.freeArena(a); err != nil {
		return err
	}
	if err := alloc(); err != nil {
		return err
	}
	a.size = size
	return nil
}

// freeArena frees the memory of an arena.
func (d *driver) freeArena(a *arena) error {
	was := *a
	*a = arena{}
	switch {
	case was.host != nil:
		return d.check("cuMemFreeHost", d.hostFree(was.host))
	case was.size > 0:
		return d.check("cuMemFree", d.free(was.device))
	}
	return nil
}

// at returns the address of a byte of memory of the device.
func (a *arena) at(offset int) devicePointer { return a.device + devicePointer(offset) }

// view returns n values of memory of the host, from the byte at offset on.
func view[T any](a arena, offset, n int) []T {
	return unsafe.Slice((*T)(unsafe.Add(a.host, offset)), n)
}

// A layout has several slices one after the other in a piece of memory.
type layout struct{ size int }

// add adds n values of T and returns where they begin.
func add[T any](l *layout, n int) int {
	const align = 256
	at := l.size
	l.size = (at + n*int(unsafe.Sizeof(*new(T))) + align - 1) / align * align
	return at
}
