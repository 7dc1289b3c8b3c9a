//go:build !purego

package cpu

import "encoding/binary"

// vendor returns the name of the processor's maker: leaf 0 of CPUID, in this
// order.
func vendor() (ebx, edx, ecx uint32)

// extended returns ECX of leaf 80000001H of CPUID, which every amd64 processor has.
func extended() uint32

var prefetchw = extended()&(1<<8) != 0

var intel = func() bool {
	var name []byte
	ebx, edx, ecx := vendor()
	for _, register := range []uint32{ebx, edx, ecx} {
		name = binary.LittleEndian.AppendUint32(name, register)
	}
	return string(name) == "GenuineIntel"
}()
