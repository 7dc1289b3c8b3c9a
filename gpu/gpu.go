// Package gpu matches binary descriptors on NVIDIA GPUs, without cgo. It finds what package
// match finds: the same matches, in the same order, with the same choice among equal distances. This
// program matches two descriptors with two others:
//
//	package main
//
//	import (
//		"fmt"
//		"log"
//
//		"github.com/fastcorners/fast/gpu"
//		"github.com/fastcorners/fast/match"
//	)
//
//	func main() {
//		device, err := gpu.Open(0)
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer device.Close()
//		matcher, err := device.New(match.Options{MaxDistance: 64})
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer matcher.Close()
//		query := []match.Descriptor{{0b1111}, {0b11_0000}}
//		train := []match.Descriptor{{0b11_0001}, {0b0111}}
//		matches, err := matcher.Match(query, train)
//		if err != nil {
//			log.Fatal(err)
//		}
//		fmt.Println(matches)
//	}
//
// [Matcher.Pairs] matches many pairs of sets, such as all pairs of a collection of images. The sets
// are copied to the device once, by [Device.Upload]. This is where a GPU gains most: an H200
// matches a pair of 5000 by 5000 descriptors in 4 microseconds, a tenth of the time of a call.
//
// [Best] returns a matcher for programs that should run anywhere. It uses a device if there is
// one and the sets are large enough to gain from it, and package match otherwise.
//
// # Requirements
//
// A device needs a compute capability of 8.0 or more (Ampere, of 2020, or later), and NVIDIA's
// driver, whose library libcuda.so.1 is loaded when a device is opened. The kernels are in this
// package; neither a compiler nor another library is needed. The driver compiles them when a
// device is opened for the first time, and keeps the result.
//
// Programs that import this package run on Linux for amd64 and arm64. They can be built for
// other platforms, but Open fails there. Loading a library without cgo needs the C library, so
// the programs are not static, even with CGO_ENABLED=0.
//
// # Speed
//
// On an H200, two sets of 10,000 take 0.17 ms from slices, a 216th of the time of package match on one
// core of its server and a 31st of that on 16 cores. Below about 300 by 300 descriptors the processor
// is faster. See the [measurements].
//
// # Memory
//
// A Matcher keeps the memory in which it works for its next call, up to four times if several
// goroutines use it: about 40 bytes for each query descriptor of a call, 36 for each train
// descriptor, or up to 200 MB for Pairs. Sets that are too large for the device, or have more than
// 4,194,304 descriptors, are compared in pieces. If even small pieces do not fit, or a set to
// upload does not, the error is [ErrOutOfMemory].
//
// [Device.Pin] makes copying slices to the device several times as fast.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/gpu/results/nvidia-h200.md
package gpu

import (
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/fastcorners/fast/match"
)

//go:generate clang++-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx71 -Wno-unknown-cuda-version -std=c++20 -O3 -ffp-contract=off -fno-exceptions -S -o match.ptx kernels/match.cu

// ptx has the kernels. The driver compiles it for its device and keeps what it has made.
//
//go:embed match.ptx
var ptx string

// A Device is an NVIDIA GPU, opened by Open. It is safe for concurrent use.
type Device struct {
	driver     *driver
	device     int32
	name       string
	context    handle
	module     handle
	searches   [3]kernel // by goal
	pick       kernel
	gather     kernel
	concurrent int // how many blocks of a search run at a time
	life       life
	mu         sync.Mutex
	owned      map[owned]struct{} // what Close closes, too
}

// The goals of a search, as in match.cu.
const (
	theNearest = iota
	theTwoNearest
	anyNearer
)

// What belongs to a device.
type owned interface {
	end() bool
	release() error
}

// Count returns the number of devices. It fails if there is no driver, or no device.
func Count() (int, error) {
	d, err := loadDriver()
	if err != nil {
		return 0, err
	}
	var n int32
	err = d.check("cuDeviceGetCount", d.deviceGetCount(&n))
	return int(n), err
}

// Open returns the device with the given index, 0 to Count()-1. It fails if there is no driver or
// no such device, or if the compute capability of the device is less than 8.0. A device can be
// opened several times, but Matchers and Sets of one Device cannot be used with another.
func Open(index int) (*Device, error) {
	n, err := Count()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= n {
		return nil, fmt.Errorf("gpu: no device %d: there are %d", index, n)
	}
	driver, err := loadDriver()
	if err != nil {
		return nil, err
	}
	d := &Device{driver: driver, owned: make(map[owned]struct{})}
	if err := driver.check("cuDeviceGet", driver.deviceGet(&d.device, int32(index))); err != nil {
		return nil, err
	}
	if d.name, err = driver.deviceName(d.device); err != nil {
		return nil, err
	}
	major, err1 := driver.attribute(attributeMajor, d.device)
	minor, err2 := driver.attribute(attributeMinor, d.device)
	multiprocessors, err3 := driver.attribute(attributeMultiprocessors, d.device)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if major < 8 {
		return nil, fmt.Errorf("gpu: device %d, %s, is too old: its compute capability is %d.%d, not 8.0 or more", index, d.name, major, minor)
	}
	if err := driver.check("cuDevicePrimaryCtxRetain", driver.contextRetain(&d.context, d.device)); err != nil {
		return nil, err
	}
	if err := d.do(func() error { return d.load(multiprocessors) }); err != nil {
		return nil, errors.Join(err, d.release())
	}
	return d, nil
}

// load loads the module.
func (d *Device) load(multiprocessors int) (err error) {
	if d.module, err = d.driver.loadModule(ptx); err != nil {
		return err
	}
	const searchThreads, pickThreads = 128, 1024
	for _, k := range []struct {
		to      *kernel
		name    string
		threads uint32
	}{
		{&d.searches[theNearest], "nearest", searchThreads},
		{&d.searches[theTwoNearest], "nearestTwo", searchThreads},
		{&d.searches[anyNearer], "nearer", searchThreads},
		{&d.pick, "pick", pickThreads},
		{&d.gather, "gather", pickThreads},
	} {
		if *k.to, err = d.driver.kernel(d.module, k.name, k.threads); err != nil {
			return err
		}
	}
	var blocks int32
	err = d.driver.check("cuOccupancyMaxActiveBlocksPerMultiprocessor", d.driver.occupancy(&blocks, d.searches[theTwoNearest].function, searchThreads, 0))
	d.concurrent = multiprocessors * int(blocks)
	return err
}

// Name returns the name of the device, such as NVIDIA H200.
func (d *Device) Name() string { return d.name }

// Close frees all memory of the device that this package has allocated through d, and closes
// its Matchers and Sets. It waits for calls that use them.
func (d *Device) Close() error {
	if !d.life.end() {
		return nil
	}
	var errs []error
	for o := range d.owned {
		if o.end() {
			errs = append(errs, d.do(o.release))
		}
	}
	return errors.Join(append(errs, d.release())...)
}

// release unloads the module, if there is one, and leaves the context.
func (d *Device) release() error {
	var err error
	if d.module != 0 {
		err = d.do(func() error { return d.driver.check("cuModuleUnload", d.driver.moduleUnload(d.module)) })
	}
	return errors.Join(err, d.driver.check("cuDevicePrimaryCtxRelease", d.driver.contextRelease(d.device)))
}

// do calls f on a thread whose context is that of the device.
func (d *Device) do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.driver.check("cuCtxSetCurrent", d.driver.contextSetCurrent(d.context)); err != nil {
		return err
	}
	return f()
}

// own has Close close o.
func (d *Device) own(o owned) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owned[o] = struct{}{}
}

// close closes o, unless it or the device has been closed.
func (d *Device) close(o owned) error {
	if !d.life.begin() {
		return nil
	}
	defer d.life.done()
	if !o.end() {
		return nil
	}
	d.mu.Lock()
	delete(d.owned, o)
	d.mu.Unlock()
	return d.do(o.release)
}

// A life tells whether something is open, and who uses it.
type life struct {
	mu     sync.Mutex
	users  int
	closed bool
	idle   chan struct{} // closed when there are no users anymore; nil if nobody waits for it
}

// begin begins to use it, unless it is closed.
func (l *life) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.users++
	}
	return !l.closed
}

// mustBegin is begin, and panics if it is closed.
func (l *life) mustBegin(what string) {
	if !l.begin() {
		panic("gpu: " + what + " is closed")
	}
}

// done ends what begin began.
func (l *life) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	if l.users == 0 && l.idle != nil {
		close(l.idle)
	}
}

// end closes it and waits until nobody uses it. It returns false if it is closed already.
func (l *life) end() bool {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	l.closed = true
	if l.users > 0 {
		l.idle = make(chan struct{})
	}
	idle := l.idle
	l.mu.Unlock()
	if idle != nil {
		<-idle
	}
	return true
}

// A Set is a set of descriptors in the memory of a Device. Create one with Device.Upload. It is
// safe for concurrent use.
type Set struct {
	device *Device
	memory arena
	n      int
	life
}

// Upload copies descriptors into the memory of the device, for any number of calls of
// Matcher.Pairs and Matcher.AppendSets. It fails with ErrOutOfMemory if there is no room for
// them.
func (d *Device) Upload(descriptors []match.Descriptor) (*Set, error) {
	d.life.mustBegin("Device")
	defer d.life.done()
	s := &Set{device: d, n: len(descriptors)}
	err := d.do(func() error { return s.upload(descriptors) })
	if err != nil {
		return nil, err
	}
	d.own(s)
	return s, nil
}

func (s *Set) upload(descriptors []match.Descriptor) error {
	driver := s.device.driver
	if s.n == 0 {
		return nil
	}
	if err := driver.growDevice(&s.memory, descriptorSize*s.n); err != nil {
		return err
	}
	const defaultStream = 0
	err := driver.check("cuMemcpyHtoD", driver.toDevice(s.memory.device, unsafe.Pointer(&descriptors[0]), uintptr(descriptorSize*s.n), defaultStream))
	if err == nil {
		err = driver.check("cuStreamSynchronize", driver.streamSynchronize(defaultStream))
	}
	runtime.KeepAlive(descriptors)
	if err != nil {
		return errors.Join(err, s.release())
	}
	return nil
}

// Len returns the number of descriptors in the set.
func (s *Set) Len() int { return s.n }

// Close frees the memory of the set. It waits for calls that use the set.
func (s *Set) Close() error { return s.device.close(s) }

func (s *Set) release() error { return s.device.driver.freeArena(&s.memory) }

// Pin lets devices copy the descriptors faster, directly from their place in memory, and returns a
// function that ends this. Pinning takes longer than a copy, so it is worthwhile for memory that
// holds many sets, one after the other. Descriptors must not be pinned twice.
func (d *Device) Pin(descriptors []match.Descriptor) (unpin func() error, err error) {
	d.life.mustBegin("Device")
	defer d.life.done()
	p := &pinned{device: d, descriptors: descriptors}
	if len(descriptors) > 0 {
		const portable = 1
		err := d.do(func() error {
			return d.driver.check("cuMemHostRegister", d.driver.hostRegister(unsafe.Pointer(&descriptors[0]), uintptr(descriptorSize*len(descriptors)), portable))
		})
		if err != nil {
			return nil, err
		}
	}
	d.own(p)
	return func() error { return d.close(p) }, nil
}

// A pinned has descriptors that are pinned.
type pinned struct {
	device      *Device
	descriptors []match.Descriptor
	life
}

func (p *pinned) release() error {
	if len(p.descriptors) == 0 {
		return nil
	}
	driver := p.device.driver
	return driver.check("cuMemHostUnregister", driver.hostUnregister(unsafe.Pointer(&p.descriptors[0])))
}
