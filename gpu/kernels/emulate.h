// What cuda.h has, for the processor: each thread of a block is a fiber, and the threads of a
// warp, or of a block, wait for each other. driver.cpp runs them.
#pragma once
#include <cstring>

#define KERNEL(threads, blocks) extern "C" void
#define DEVICE static inline
#define SHARED static __attribute__((section("shared"))) // which is spoilt before each block

namespace emulation {
extern int thread, block;
extern u32 shown[1024][8]; // what each thread shows the others of its warp
void waitForWarp();
void waitForBlock();
void *access(u64 at, u64 size, u64 alignment); // fails the launch if no memory is there
}

// Global checks each access.
template <class T> class Global {
    u64 at;

public:
    explicit Global(u64 at) : at(at) {}
    template <class U> explicit operator Global<U>() const { return Global<U>(at); }
    explicit operator bool() const { return at != 0; }
    Global operator+(i64 n) const { return Global(at + n * sizeof(T)); }
    T &operator*() const { return *(T *)emulation::access(at, sizeof(T), alignof(T)); }
    T &operator[](i64 n) const { return *(*this + n); }
};

DEVICE int threadIndex() { return emulation::thread; }
DEVICE int blockIndex() { return emulation::block; }
DEVICE void barrier() { emulation::waitForBlock(); }

// fromLane returns v of a thread of the warp.
DEVICE int fromLane(int v, int lane) {
    int self = emulation::thread;
    emulation::shown[self][0] = v;
    emulation::waitForWarp();
    int r = emulation::shown[(self & ~31) + lane][0];
    emulation::waitForWarp();
    return r;
}
DEVICE int fromXor(int v, int mask) { return fromLane(v, (threadIndex() & 31) ^ mask); }
DEVICE int fromBelow(int v, int n) {
    int lane = threadIndex() & 31;
    return fromLane(v, lane >= n ? lane - n : lane);
}

DEVICE u32 atomicAdd(Global<u32> p, u32 v) {
    u32 before = *p;
    *p += v;
    return before;
}

DEVICE void atomicLeast(Global<u32> p, u32 v) {
    if (v < *p) *p = v;
}

DEVICE int onesCount(u32 v) { return __builtin_popcount(v); }

// countCommon has the fragments of PTX's mma.m16n8k256: of the rows, a thread has words of the
// rows lane/4 and lane/4+8, and of the columns, words of the column lane/4. Of the results, it
// has those of its rows and of the columns lane%4*2 and the next.
DEVICE void countCommon(int *d, const u32 *a, U2 b, U2 c) {
    int self = emulation::thread, lane = self & 31, inRow = lane & 3;
    u32 *own = emulation::shown[self];
    memcpy(own, a, 4 * sizeof *a);
    own[4] = b.x, own[5] = b.y;
    emulation::waitForWarp();
    u32(*warp)[8] = &emulation::shown[self & ~31], (*row)[8] = warp + (lane & ~3);
    for (int i = 0; i < 4; i++) {
        u32(*column)[8] = warp + 4 * (2 * inRow + (i & 1));
        int n = i & 1 ? c.y : c.x;
        for (int k = 0; k < 4; k++) {
            n += onesCount(row[k][i >> 1] & column[k][4]) + onesCount(row[k][2 + (i >> 1)] & column[k][5]);
        }
        d[i] = n;
    }
    emulation::waitForWarp();
}
