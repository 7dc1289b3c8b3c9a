// The part of CUDA C++ that the kernels need, without NVIDIA's headers. clang compiles it to
// PTX or, if EMULATE is defined, for the processor; see emulate.h.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

struct alignas(8) U2 {
    u32 x, y;
};
struct alignas(16) U4 {
    u32 x, y, z, w;
};

#ifdef EMULATE
#include "emulate.h"
#else

// KERNEL begins a kernel whose blocks have the given number of threads. At least the given
// number of blocks must fit into a multiprocessor.
#define KERNEL(threads, blocks) \
    extern "C" __attribute__((global)) __attribute__((launch_bounds(threads, blocks))) void
#define DEVICE static __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))

// Global points to memory of the device.
template <class T> using Global = T *;

DEVICE int threadIndex() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE int blockIndex() { return __nvvm_read_ptx_sreg_ctaid_x(); }

// barrier waits for all threads of the block.
DEVICE void barrier() { __syncthreads(); }

// fromXor returns v of the thread of the warp whose index differs by the bits of mask, and
// fromBelow that of the thread n below.
DEVICE int fromXor(int v, int mask) { return __nvvm_shfl_sync_bfly_i32(0xffffffffu, v, mask, 31); }
DEVICE int fromBelow(int v, int n) { return __nvvm_shfl_sync_up_i32(0xffffffffu, v, n, 0); }

DEVICE u32 atomicAdd(Global<u32> p, u32 v) {
    u32 before;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(v) : "memory");
    return before;
}

DEVICE void atomicLeast(Global<u32> p, u32 v) { asm volatile("red.global.min.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }

DEVICE int onesCount(u32 v) { return __builtin_popcount(v); }

// countCommon adds to the 16 x 8 numbers of c how many bits rows of a and columns of b have in
// common. A column has the same number of c in all rows, so c has the numbers of two columns.
DEVICE void countCommon(int *d, const u32 *a, U2 b, U2 c) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%10,%11};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y), "r"(c.x), "r"(c.y));
}
#endif

DEVICE int least(int a, int b) { return a < b ? a : b; }
DEVICE int most(int a, int b) { return a > b ? a : b; }
