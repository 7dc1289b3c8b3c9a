// Kernels that find the nearest of 256-bit descriptors by Hamming distance, for pairs of sets.
//
// The tensor cores count the bits that a row, a descriptor of one set, and a column, one of the
// other set, have in common. With |a| for the number of bits of a,
//
//	distance = |a| + |b| - 2 |a AND b| = |a| + |b| % 2 - 2 v, where v = |a AND b| - |b| / 2.
//
// The tensor cores compute v, as they can begin with any number for each column. Most columns
// need not be looked at any closer: their v is less than a threshold of the row. A distance may
// be one more than v and the threshold tell, and what follows is exact.
//
// A key is distance<<22 | index, so that the least key is that of the nearest column and, of
// several, of the first one.
#include "cuda.h"

enum { indexBits = 22, noKey = 0x7fffffff };

// A Pair is a query set and a train set that are compared.
struct Pair {
    Global<const u32> query, train;
    int queries, trains;
    u32 base;   // where the pair's part of candidates, beaten and matches begins
    u32 part;   // that of parts, splits times queries
    u32 claims; // and that of claims
    int splits; // of the trains
};

// An Item is what a block does: find the nearest columns, from begin to end, of the rows from
// first on.
struct Item {
    u32 pair;
    int first, begin, end;
    u32 part; // where the results begin in parts, less first
};

struct Match {
    int query, train, distance;
};

struct Result {
    u32 offset, count; // in matches
};

// Args are the arguments of all kernels.
struct Args {
    Global<const Pair> pairs;
    Global<const Item> items;
    Global<U2> parts;         // of each row, the keys of the two nearest columns of a split
    Global<Match> candidates; // what passes the tests of distances, for each pair in the order of its queries
    Global<u32> beaten;       // whether a candidate's train has a nearer query
    Global<u32> claims;       // of each train, the key of the nearest query that passes; nullptr without cross-check
    Global<Match> matches;
    Global<Result> results; // of each pair
    Global<u32> total;      // of matches
    double ratio;           // 0 for none
    int maxDistance;
    int reach; // columns at a greater distance make no difference
};

enum { threads = 128, tile = 128, rowTiles = 4, blockRows = 256 };

// A Tile has 128 columns.
struct Tile {
    U2 words[tile * 4]; // words i and i+4 of a column side by side
    int start[tile];    // of v
    int key[tile];      // the column's part of a key, or noKey if there is no such column
};

// put sets the column at an index of the tile to the descriptor of two halves.
DEVICE void put(Tile &t, int index, U4 lo, U4 hi, int column, bool there) {
    U4 *words = (U4 *)(t.words + 4 * index);
    words[0] = U4{lo.x, hi.x, lo.y, hi.y};
    words[1] = U4{lo.z, hi.z, lo.w, hi.w};
    int bits = onesCount(lo.x) + onesCount(lo.y) + onesCount(lo.z) + onesCount(lo.w) + onesCount(hi.x) + onesCount(hi.y) + onesCount(hi.z) + onesCount(hi.w);
    t.start[index] = there ? -(bits >> 1) : -200; // less than any threshold
    t.key[index] = there ? (bits & 1) << indexBits | column : (int)noKey;
}

// lower lowers the least and the second least key to two others.
DEVICE void lower(int &best, int &second, int a, int b) {
    int lo = least(a, b), hi = most(a, b);
    second = least(least(second, hi), most(best, lo));
    best = least(best, lo);
}

// merge lowers them to the least and the second least of other columns.
DEVICE void merge(int &best, int &second, int otherBest, int otherSecond) {
    second = least(most(best, otherBest), least(second, otherSecond));
    best = least(best, otherBest);
}

// threshold returns the least v of a column whose key is less than a row's, both without the
// row's bits, if the column has the higher index.
DEVICE int threshold(int key) { return (2 - (key >> indexBits)) >> 1; }

// What a search finds.
enum Goal {
    theNearest,    // for each query the nearest train
    theTwoNearest, // and the second nearest
    anyNearer,     // for each candidate's train whether a query is nearer than the candidate's
};

// search does an item. A warp has 64 rows in registers, and the block's four warps share the
// tiles. The rows of a row tile are those of PTX's mma.m16n8k256: a thread has parts of the
// rows lane/4 and lane/4+8.
template <Goal goal> DEVICE void search(const Args &args) {
    SHARED Tile tiles[2];
    const Item item = args.items[blockIndex()];
    const Pair pair = args.pairs[item.pair];
    const int rows = goal == anyNearer ? (int)args.results[item.pair].count : pair.queries;
    if (item.first >= rows) return;
    const auto columns = (Global<const U4>)(goal == anyNearer ? pair.query : pair.train);
    const Global<Match> candidates = args.candidates + pair.base;
    const int lane = threadIndex() & 31, inRow = lane & 3;
    const int first = item.first + (threadIndex() >> 5) * 64;
    const bool idle = first >= rows; // the warp

    u32 a[rowTiles][4];
    int best[rowTiles][2], second[rowTiles][2], limit[rowTiles][2], bits[rowTiles][2];
#pragma unroll
    for (int m = 0; m < rowTiles; m++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int at = least(first + m * 16 + r * 8 + (lane >> 2), rows - 1);
            const Global<const u32> words = goal == anyNearer ? pair.train + 8 * (i64)candidates[at].train : pair.query + 8 * (i64)at;
            a[m][r] = words[inRow], a[m][2 + r] = words[inRow + 4];
            int n = onesCount(a[m][r]) + onesCount(a[m][2 + r]);
            n += fromXor(n, 1);
            n += fromXor(n, 2);
            bits[m][r] = n;
            best[m][r] = second[m][r] = noKey;
            limit[m][r] = (n - args.reach + 1) >> 1;
            if (goal == anyNearer) {
                best[m][r] = ((candidates[at].distance - n) << indexBits) + candidates[at].query;
                limit[m][r] = (n - candidates[at].distance + 1) >> 1;
            }
        }

    U4 lo{}, hi{};
    int at = item.begin + threadIndex();
    if (at < item.end) lo = columns[2 * (i64)at], hi = columns[2 * (i64)at + 1];
    int done = 0;
    for (int base = item.begin; base < item.end; base += tile) {
        Tile &now = tiles[done & 1];
        at = base + threadIndex();
        put(now, threadIndex(), lo, hi, at, at < item.end);
        lo = hi = U4{};
        at += tile;
        if (at < item.end) lo = columns[2 * (i64)at], hi = columns[2 * (i64)at + 1];
        barrier();
        done++;
        if (idle) continue;
#pragma unroll 1
        for (int n = 0; n < tile / 8; n += 4) {
            U2 b[4], c[4];
#pragma unroll
            for (int j = 0; j < 4; j++) b[j] = now.words[(n + j) * 32 + lane], c[j] = *(const U2 *)&now.start[(n + j) * 8 + 2 * inRow];
#pragma unroll
            for (int m = 0; m < rowTiles; m++) {
                int v[4][4];
#pragma unroll
                for (int j = 0; j < 4; j++) countCommon(v[j], a[m], b[j], c[j]);
                bool near = false;
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    int top = most(v[0][2 * r], v[0][2 * r + 1]);
#pragma unroll
                    for (int j = 1; j < 4; j++) top = most(top, most(v[j][2 * r], v[j][2 * r + 1]));
                    near |= top >= limit[m][r];
                }
                if (!near) continue;
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    U2 keys = *(const U2 *)&now.key[(n + j) * 8 + 2 * inRow];
#pragma unroll
                    for (int r = 0; r < 2; r++) {
                        int key0 = (int)keys.x == noKey ? noKey : v[j][2 * r] * -(2 << indexBits) + (int)keys.x;
                        int key1 = (int)keys.y == noKey ? noKey : v[j][2 * r + 1] * -(2 << indexBits) + (int)keys.y;
                        if (goal == theNearest) best[m][r] = least(best[m][r], least(key0, key1));
                        if (goal == theTwoNearest) lower(best[m][r], second[m][r], key0, key1);
                        if (goal == anyNearer && least(key0, key1) < best[m][r]) {
                            args.beaten[pair.base + least(first + m * 16 + r * 8 + (lane >> 2), rows - 1)] = 1;
                            limit[m][r] = noKey; // that is known now
                        }
                    }
                }
                if (goal == anyNearer) continue;
#pragma unroll
                for (int r = 0; r < 2; r++) limit[m][r] = most(limit[m][r], threshold(goal == theNearest ? best[m][r] : second[m][r]));
            }
        }
        // What the four threads of a row have seen limits each of them. It becomes rarer that
        // this helps.
        if (goal != anyNearer && (done < 4 || done % 4 == 0)) {
#pragma unroll
            for (int m = 0; m < rowTiles; m++)
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    int u = best[m][r], v = second[m][r];
#pragma unroll
                    for (int x = 1; x <= 2; x *= 2) merge(u, v, fromXor(u, x), fromXor(v, x));
                    limit[m][r] = most(limit[m][r], threshold(goal == theNearest ? u : v));
                }
        }
    }
    if (goal == anyNearer || idle) return;
#pragma unroll
    for (int m = 0; m < rowTiles; m++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
#pragma unroll
            for (int x = 1; x <= 2; x *= 2) merge(best[m][r], second[m][r], fromXor(best[m][r], x), fromXor(second[m][r], x));
            int at = first + m * 16 + r * 8 + (lane >> 2), own = bits[m][r] << indexBits;
            if (inRow == 0 && at < rows) {
                args.parts[item.part + at] = U2{
                    best[m][r] == noKey ? (u32)noKey : (u32)(best[m][r] + own),
                    second[m][r] == noKey ? (u32)noKey : (u32)(second[m][r] + own),
                };
            }
        }
}

KERNEL(threads, 3) nearest(Args args) { search<theNearest>(args); }
KERNEL(threads, 3) nearestTwo(Args args) { search<theTwoNearest>(args); }
KERNEL(threads, 3) nearer(Args args) { search<anyNearer>(args); }

// sumBelow returns the sum of n of the threads below, of 1024, and the sum of all.
DEVICE int sumBelow(int n, int &all) {
    SHARED int sums[32];
    int lane = threadIndex() & 31, warp = threadIndex() >> 5, sum = n;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int below = fromBelow(sum, d);
        if (lane >= d) sum += below;
    }
    barrier(); // the sums have been read that the last call has left
    if (lane == 31) sums[warp] = sum;
    barrier();
    all = 0;
    int below = 0;
    for (int w = 0; w < 32; w++) {
        if (w == warp) below = all;
        all += sums[w];
    }
    return below + sum - n;
}

// passes reports whether the nearest train of a query passes the tests of distances, and sets
// best to its key.
DEVICE bool passes(const Args &args, const Pair &pair, int query, int &best) {
    int second = best = noKey;
    for (int s = 0; s < pair.splits; s++) {
        U2 part = args.parts[pair.part + (i64)s * pair.queries + query];
        merge(best, second, part.x, part.y);
    }
    int distance = best >> indexBits;
    if (best == noKey || distance > args.maxDistance) return false;
    if (args.ratio == 0) return true;
    return pair.trains > 1 && !(second != noKey && (double)distance >= args.ratio * (double)(second >> indexBits));
}

// pick makes the candidates of a pair: the queries whose nearest train passes the tests of
// distances. With cross-check, these are only the nearest one of each train.
KERNEL(1024, 1) pick(Args args) {
    enum { each = 4, index = (1 << indexBits) - 1 };
    const Pair pair = args.pairs[blockIndex()];
    const Global<u32> claims = args.claims + pair.claims;
    int best;
    if (args.claims) {
        for (int i = threadIndex(); i < pair.trains; i += 1024) claims[i] = noKey;
        barrier();
        for (int query = threadIndex(); query < pair.queries; query += 1024) {
            if (passes(args, pair, query, best)) atomicLeast(claims + (best & index), (best & ~index) | query);
        }
        barrier();
    }
    u32 count = 0;
    for (int at = 0; at < pair.queries; at += 1024 * each) {
        int keys[each], passing = 0;
#pragma unroll
        for (int i = 0; i < each; i++) {
            int query = at + threadIndex() * each + i;
            bool pass = query < pair.queries && passes(args, pair, query, best);
            if (pass && args.claims) pass = claims[best & index] == (u32)((best & ~index) | query);
            keys[i] = pass ? best : (int)noKey;
            passing += pass;
        }
        int all, below = sumBelow(passing, all);
        u32 to = pair.base + count + below;
#pragma unroll
        for (int i = 0; i < each; i++) {
            if (keys[i] == noKey) continue;
            args.candidates[to] = Match{at + threadIndex() * each + i, keys[i] & index, keys[i] >> indexBits};
            args.beaten[to] = 0;
            to++;
        }
        count += all;
    }
    if (threadIndex() == 0) args.results[blockIndex()].count = count;
}

// gather makes the matches of a pair: the candidates that are not beaten.
KERNEL(1024, 1) gather(Args args) {
    SHARED u32 offset;
    const Pair pair = args.pairs[blockIndex()];
    const u32 candidates = args.results[blockIndex()].count;
    int count = 0, all;
    for (u32 i = threadIndex(); i < candidates; i += 1024) count += !args.beaten[pair.base + i];
    sumBelow(count, all);
    if (threadIndex() == 0) {
        offset = atomicAdd(args.total, all);
        args.results[blockIndex()] = Result{offset, (u32)all};
    }
    barrier();
    u32 to = offset;
    for (u32 at = 0; at < candidates; at += 1024) {
        u32 i = pair.base + at + threadIndex();
        bool keep = at + threadIndex() < candidates && !args.beaten[i];
        int below = sumBelow(keep, all);
        if (keep) args.matches[to + below] = args.candidates[i];
        to += all;
    }
}
