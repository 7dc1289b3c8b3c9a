// A libcuda.so.1 for tests: its devices are emulated by the processor, and can be told to be
// old, or small, or to fail. It checks how it is used more strictly than a driver does.
#define EMULATE
#include "match.cu"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdarg>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace emulation {

int thread, block;
u32 shown[1024][8];

// A fiber is a thread of whatever block runs.
struct Fiber {
    std::vector<char> stack;
    ucontext_t start;
    jmp_buf at;
    bool ended;
    const u32 *rounds; // it waits while they are as many as round; nullptr if it does not
    u32 round;
};
static Fiber fibers[1024];
static jmp_buf scheduler;
static int inWarp[32], inBlock, left; // how many wait, and how many have not ended
static u32 warpRound[32], blockRound; // how often all have come
static u32 order = 1;                 // of the threads; it changes
static std::function<void()> kernel;
static std::vector<std::pair<u64, u64>> memory; // where what the kernel may access begins and ends
static bool strayed;                            // it has accessed something else

// The shared memory of a block.
extern "C" __attribute__((visibility("hidden"))) char __start_shared[], __stop_shared[];

// leave lets the other threads run until it is this one's turn. (swapcontext would do, if it
// did not take most of its time for signals.)
static void leave() {
    int self = thread;
    if (!_setjmp(fibers[self].at)) _longjmp(scheduler, 1);
    thread = self;
}

// meet waits until the others of n threads have come, too.
static void meet(int &come, int n, u32 &rounds) {
    fibers[thread].rounds = &rounds, fibers[thread].round = rounds;
    if (++come == n) come = 0, rounds++;
    leave();
}

void waitForWarp() { meet(inWarp[thread / 32], 32, warpRound[thread / 32]); }

void waitForBlock() { meet(inBlock, left, blockRound); }

static void run() {
    for (;;) {
        kernel();
        fibers[thread].ended = true;
        left--;
        if (left && inBlock == left) inBlock = 0, blockRound++; // those that have ended need not come
        leave();
    }
}

// resume runs a thread until it leaves, and returns whether it could run at all.
static bool resume(int next) {
    Fiber &f = fibers[thread = next];
    if (f.ended || (f.rounds && *f.rounds == f.round)) return false;
    if (_setjmp(scheduler)) return true;
    if (!f.stack.empty()) _longjmp(f.at, 1);
    f.stack.resize(64 << 10);
    getcontext(&f.start);
    f.start.uc_stack.ss_sp = f.stack.data();
    f.start.uc_stack.ss_size = f.stack.size();
    makecontext(&f.start, run, 0);
    setcontext(&f.start);
    return true;
}

void *access(u64 at, u64 size, u64 alignment) {
    alignas(64) static char elsewhere[64];
    for (auto &m : memory) {
        if (at >= m.first && at + size <= m.second && at % alignment == 0) {
            std::swap(m, memory[0]); // where it is likely to be the next time
            return (void *)at;
        }
    }
    strayed = true;
    memset(elsewhere, 0xa5, sizeof elsewhere);
    return elsewhere;
}

// launch runs the kernel, and returns whether all that it has accessed was in memory. In each
// round the threads run in another order, and in some of them each warp runs as far as it can,
// so that one is seen that does not wait for the others.
static bool launch(int blocks, int threads) {
    strayed = false;
    for (block = 0; block < blocks && !strayed; block++) {
        memset(__start_shared, 0xa5, __stop_shared - __start_shared);
        left = threads, inBlock = 0;
        for (int i = 0; i < threads; i++) fibers[i].ended = false, fibers[i].rounds = nullptr;
        while (left) {
            order = order * 1664525 + 1013904223;
            bool ahead = order >> 28 & 1;
            for (int warp = 0; warp < threads; warp += 32) {
                bool ran;
                do {
                    ran = false;
                    for (int lane = 0; lane < 32; lane++) {
                        ran |= resume(((warp | lane) ^ order >> 16) & (threads - 1)); // threads is a power of two
                    }
                } while (ran && ahead);
            }
        }
    }
    return !strayed;
}

} // namespace emulation

namespace {

enum { success, invalidValue, outOfMemory, noDevice = 100, invalidDevice, invalidContext = 201, invalidHandle = 400, notFound = 500, illegalAddress = 700, failed = 719 };

typedef u64 Handle;

const std::map<std::string, std::pair<void (*)(Args), u32>> kernels = {
    {"nearest", {nearest, threads}}, {"nearestTwo", {nearestTwo, threads}}, {"nearer", {nearer, threads}}, {"pick", {pick, 1024}}, {"gather", {gather, 1024}},
};

// What the devices are.
struct {
    int count = 1, major = 9, minor = 0, multiprocessors = 2;
    u64 memory = 1ull << 40; // of each
} devices;

// Which call fails next.
struct {
    std::string name;
    int after = -1;
    int error;
} fault;

// What has been made and not yet destroyed: for each handle what it is and its device's context.
struct Thing {
    const char *kind;
    Handle context;
    u64 size;
};
std::map<Handle, Thing> things;
std::map<Handle, int> contexts; // how often each is retained

// What has been started in the streams of contexts. It is done when a stream is synchronized,
// as late as it can be.
struct Work {
    std::function<int()> run;
    u64 from, end; // the memory of the host that a copy reads
};
std::map<std::pair<Handle, Handle>, std::vector<Work>> started;

Handle lastHandle = 1 << 20;
std::string misuse; // the first
std::mutex lock;    // for all of this
thread_local Handle current;

int wrong(const char *format, ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (misuse.empty()) misuse = text;
    return invalidValue;
}

bool failing(const char *name, int &error) {
    if (fault.after < 0 || fault.name != name) return false;
    error = fault.error;
    return fault.after-- == 0;
}

bool isCurrent() { return contexts.count(current) && contexts[current] > 0; }

Handle make(const char *kind, u64 size = 0) {
    things[++lastHandle] = {kind, current, size};
    return lastHandle;
}

int destroy(Handle h, const char *kind) {
    auto i = things.find(h);
    if (i == things.end() || i->second.kind != std::string(kind)) return wrong("no %s to destroy", kind);
    if (i->second.context != current) return wrong("a %s of another context", kind);
    things.erase(i);
    return success;
}

// Memory ends, but for up to 31 bytes, where a page begins that cannot be accessed.
enum : u64 { page = 4096 };

Handle allocate(const char *kind, u64 n) {
    u64 pages = (n + page - 1) / page;
    char *p = (char *)mmap(nullptr, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return 0;
    mprotect(p + pages * page, page, PROT_NONE);
    Handle h = (Handle)p + (pages * page - n & ~31ull);
    memset((void *)h, 0xa5, n);
    things[h] = {kind, current, n};
    return h;
}

int release(Handle h, const char *kind) {
    auto i = things.find(h);
    if (i == things.end()) return wrong("no %s to free", kind);
    u64 n = i->second.size;
    if (int r = destroy(h, kind)) return r;
    munmap((void *)(h & ~(page - 1)), ((n + page - 1) / page + 1) * page);
    return success;
}

bool isStream(Handle h) { return h == 0 || (things.count(h) && things[h].kind == std::string("stream") && things[h].context == current); }

// within reports whether device memory of the current context has n bytes at an address.
bool within(u64 at, u64 n) {
    auto i = things.upper_bound(at);
    if (i == things.begin()) return false;
    i--;
    return i->second.kind == std::string("memory") && i->second.context == current && at + n <= i->first + i->second.size;
}

// pinned returns the beginning of memory of the host that has n bytes at an address and that
// the driver knows of, or 0.
Handle pinned(u64 at, u64 n) {
    for (auto &thing : things) {
        bool host = thing.second.kind == std::string("pinned memory") || thing.second.kind == std::string("registration");
        if (host && thing.first <= at && at + n <= thing.first + thing.second.size) return thing.first;
    }
    return 0;
}

// startCopy starts a copy between the device and the host. Until it is made, there is rubbish
// where it goes on the host, unless another copy reads that before.
int startCopy(Handle device, Handle host, u64 n, Handle stream, bool toHost) {
    if (!within(device, n)) return wrong("%llu bytes are copied %s a wrong place", n, toHost ? "from" : "to");
    if (!isStream(stream)) return invalidHandle;
    auto &queue = started[{current, stream}];
    bool isRead = false;
    for (auto &work : queue) isRead |= work.from < host + n && host < work.end;
    if (toHost && !isRead) memset((void *)host, 0xa5, n);
    auto run = [=, memory = pinned(host, n)] {
        if (!within(device, n) || pinned(host, n) != memory) return wrong("memory is freed that is copied");
        memcpy((void *)(toHost ? host : device), (void *)(toHost ? device : host), n);
        return (int)success;
    };
    queue.push_back({run, toHost ? 0 : host, toHost ? 0 : host + n});
    return success;
}

} // namespace

// A call may fail because a test wants it to. Most need the context of the thread, and all are
// made one at a time.
#define CALL(name, ...) extern "C" int name(__VA_ARGS__)
#define BEGIN                                \
    std::lock_guard<std::mutex> guard(lock); \
    int error;                               \
    if (failing(__func__, error)) return error
#define BEGIN_IN_CONTEXT \
    BEGIN;               \
    if (!isCurrent()) return invalidContext

CALL(cuInit, u32) {
    BEGIN;
    return devices.count ? success : noDevice;
}
CALL(cuDeviceGetCount, int *count) {
    BEGIN;
    *count = devices.count;
    return success;
}
CALL(cuDeviceGet, int *device, int index) {
    BEGIN;
    if (index < 0 || index >= devices.count) return invalidDevice;
    *device = index;
    return success;
}
CALL(cuDeviceGetName, char *name, int size, int device) {
    BEGIN;
    snprintf(name, size, "emulated device %d", device);
    return success;
}
CALL(cuDeviceGetAttribute, int *value, int attribute, int) {
    BEGIN;
    switch (attribute) {
    case 16: *value = devices.multiprocessors; return success;
    case 75: *value = devices.major; return success;
    case 76: *value = devices.minor; return success;
    }
    return wrong("attribute %d", attribute);
}
CALL(cuDevicePrimaryCtxRetain, Handle *context, int device) {
    BEGIN;
    *context = device + 1;
    contexts[*context]++;
    return success;
}
CALL(cuDevicePrimaryCtxRelease_v2, int device) {
    BEGIN;
    Handle context = device + 1;
    if (contexts[context] == 0) return wrong("a context is released that was not retained");
    if (--contexts[context]) return success;
    for (auto &thing : things) {
        if (thing.second.context == context) wrong("a %s is left in a context that is released", thing.second.kind);
    }
    if (started.count({context, 0})) wrong("a context is released that has something to do");
    return success;
}
CALL(cuCtxSetCurrent, Handle context) {
    BEGIN;
    if (!contexts[context]) return invalidContext;
    current = context;
    return success;
}
CALL(cuModuleLoadDataEx, Handle *module, const char *ptx, u32 options, int *, u64 *values) {
    BEGIN_IN_CONTEXT;
    if (options != 2 || !strstr(ptx, ".target sm_80")) return wrong("a module");
    snprintf((char *)values[0], values[1], "no log");
    *module = make("module");
    return success;
}
CALL(cuModuleUnload, Handle module) {
    BEGIN_IN_CONTEXT;
    return destroy(module, "module");
}
CALL(cuModuleGetFunction, Handle *function, Handle, const char *name) {
    BEGIN_IN_CONTEXT;
    auto i = kernels.find(name);
    if (i == kernels.end()) return notFound;
    *function = (Handle)&*i;
    return success;
}
CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, Handle, int, u64) {
    BEGIN_IN_CONTEXT;
    *blocks = 2;
    return success;
}
CALL(cuMemAlloc_v2, Handle *at, u64 n) {
    BEGIN_IN_CONTEXT;
    if (n == 0) return wrong("0 bytes are allocated");
    u64 used = 0;
    for (auto &thing : things) {
        if (thing.second.context == current && thing.second.kind == std::string("memory")) used += thing.second.size;
    }
    if (used + n > devices.memory) return outOfMemory;
    *at = allocate("memory", n);
    return *at ? success : outOfMemory;
}
CALL(cuMemFree_v2, Handle at) {
    BEGIN_IN_CONTEXT;
    return release(at, "memory");
}
CALL(cuMemHostAlloc, Handle *at, u64 n, u32) {
    BEGIN_IN_CONTEXT;
    *at = allocate("pinned memory", n);
    return *at ? success : outOfMemory;
}
CALL(cuMemFreeHost, Handle at) {
    BEGIN_IN_CONTEXT;
    return release(at, "pinned memory");
}
CALL(cuMemHostRegister_v2, Handle at, u64 n, u32) {
    BEGIN_IN_CONTEXT;
    if (things.count(at)) return 712; // it is registered already
    things[at] = {"registration", current, n};
    return success;
}
CALL(cuMemHostUnregister, Handle at) {
    BEGIN_IN_CONTEXT;
    return destroy(at, "registration");
}
CALL(cuMemcpyHtoDAsync_v2, Handle to, Handle from, u64 n, Handle stream) {
    BEGIN_IN_CONTEXT;
    return startCopy(to, from, n, stream, false);
}
CALL(cuMemcpyDtoHAsync_v2, Handle to, Handle from, u64 n, Handle stream) {
    BEGIN_IN_CONTEXT;
    return startCopy(from, to, n, stream, true);
}
CALL(cuStreamCreate, Handle *stream, u32) {
    BEGIN_IN_CONTEXT;
    *stream = make("stream");
    return success;
}
CALL(cuStreamSynchronize, Handle stream) {
    std::lock_guard<std::mutex> guard(lock);
    const auto todo = std::move(started[{current, stream}]);
    started.erase({current, stream});
    int error;
    if (failing(__func__, error)) return error; // nothing more is done
    if (!isCurrent()) return invalidContext;
    if (!isStream(stream)) return invalidHandle;
    for (auto &next : todo) {
        if (int error = next.run()) return error;
    }
    return success;
}
CALL(cuStreamDestroy_v2, Handle stream) {
    BEGIN_IN_CONTEXT;
    if (started.count({current, stream})) return wrong("a stream is destroyed that has something to do");
    return destroy(stream, "stream");
}
CALL(cuLaunchKernel, Handle function, u32 x, u32 y, u32 z, u32 threads, u32 threadsY, u32 threadsZ, u32 shared, Handle stream, void **params, void **) {
    BEGIN_IN_CONTEXT;
    auto kernel = (decltype(&*kernels.begin()))function;
    if (!isStream(stream)) return invalidHandle;
    if (x == 0 || y != 1 || z != 1 || threads != kernel->second.second || threadsY != 1 || threadsZ != 1 || shared) return wrong("a launch of %s", kernel->first.c_str());
    Args args = *(Args *)params[0];
    auto run = [=] {
        emulation::memory.clear();
        for (auto &thing : things) {
            if (thing.second.context == current && thing.second.kind == std::string("memory")) emulation::memory.emplace_back(thing.first, thing.first + thing.second.size);
        }
        emulation::kernel = [=] { kernel->second.first(args); };
        if (emulation::launch(x, threads)) return (int)success;
        wrong("%s accesses what is not in the memory of the device", kernel->first.c_str());
        return (int)illegalAddress;
    };
    started[{current, stream}].push_back({run, 0, 0});
    return success;
}
CALL(cuGetErrorName, int error, const char **name) {
    switch (error) {
    case outOfMemory: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return success;
    case noDevice: *name = "CUDA_ERROR_NO_DEVICE"; return success;
    case invalidContext: *name = "CUDA_ERROR_INVALID_CONTEXT"; return success;
    case illegalAddress: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return success;
    case failed: *name = "CUDA_ERROR_LAUNCH_FAILED"; return success;
    }
    *name = nullptr;
    return invalidValue;
}

// What tests call.

// emulateDevices says how many devices there are, and of what kind, and forgets misuse.
CALL(emulateDevices, int count, int major, int minor, u64 memory) {
    std::lock_guard<std::mutex> guard(lock);
    devices.count = count, devices.major = major, devices.minor = minor, devices.memory = memory;
    misuse.clear();
    fault.after = -1;
    return success;
}
// emulateFault makes a call fail after it has succeeded the given number of times.
CALL(emulateFault, const char *name, int after, int error) {
    std::lock_guard<std::mutex> guard(lock);
    fault.name = name, fault.after = after, fault.error = error;
    return success;
}
// emulateReset forgets all that there is.
CALL(emulateReset) {
    std::lock_guard<std::mutex> guard(lock);
    things.clear();
    contexts.clear();
    started.clear();
    misuse.clear();
    return success;
}
// emulatedCount returns how many things of a kind there are.
CALL(emulatedCount, const char *kind) {
    std::lock_guard<std::mutex> guard(lock);
    int n = 0;
    if (kind == std::string("context")) {
        for (auto &context : contexts) n += context.second;
    }
    for (auto &thing : things) n += thing.second.kind == std::string(kind);
    return n;
}
// emulatedMisuse copies what was done first that is not allowed.
CALL(emulatedMisuse, char *text, int size) {
    std::lock_guard<std::mutex> guard(lock);
    snprintf(text, size, "%s", misuse.c_str());
    return success;
}
