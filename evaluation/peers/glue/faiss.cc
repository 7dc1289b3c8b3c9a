// FAISS, as far as package peers calls it: its exhaustive search for the nearest binary
// vectors, made of what its headers have and compiled for the native processor. Debian's
// library is compiled for every amd64, which has no instruction that counts bits.

#include "peers.h"

#if __has_include(<faiss/utils/hamming.h>)

#include <algorithm>
#include <limits>
#include <vector>

#include <faiss/utils/Heap.h>
#include <faiss/utils/hamming.h>

namespace {

// The library searches in this many vectors for all queries before it goes on.
constexpr int32_t batch = 65536;

std::vector<int32_t> distances;
std::vector<int64_t> labels;
int32_t length;

// search is for one size of descriptors, which lets the compiler leave out what rests of others need.
template <class Computer, size_t size> void search(int32_t k, uint8_t *query, int32_t queries, uint8_t *train, int32_t trains) {
	for (int32_t begin = 0; begin < trains; begin += batch) {
		const int32_t end = std::min(begin + batch, trains);
		for (int32_t i = 0; i < queries; i++) {
			const Computer computer(query + size * i, size);
			int32_t *heap = distances.data() + size_t(i) * k;
			int64_t *ids = labels.data() + size_t(i) * k;
			for (int32_t j = begin; j < end; j++) {
				const int32_t d = computer.hamming(train + size * j);
				if (d < heap[0]) {
					faiss::maxheap_replace_top<int32_t>(k, heap, ids, d, j);
				}
			}
		}
	}
}

int32_t nearest(int32_t k, int32_t size, uint8_t *query, int32_t queries, uint8_t *train, int32_t trains) {
	length = k;
	distances.assign(size_t(queries) * k, std::numeric_limits<int32_t>::max());
	labels.assign(size_t(queries) * k, -1);
	switch (size) {
	case 8:
		search<faiss::HammingComputer8, 8>(k, query, queries, train, trains);
		break;
	case 32:
		search<faiss::HammingComputer32, 32>(k, query, queries, train, trains);
		break;
	case 64:
		search<faiss::HammingComputer64, 64>(k, query, queries, train, trains);
		break;
	case 128:
		search<faiss::HammingComputerDefault, 128>(k, query, queries, train, trains);
		break;
	default:
		return -1;
	}
	for (int32_t i = 0; i < queries; i++) {
		faiss::maxheap_reorder<int32_t>(k, distances.data() + size_t(i) * k, labels.data() + size_t(i) * k);
	}
	return std::count_if(labels.begin(), labels.end(), [](int64_t label) { return label >= 0; });
}

void nearest_matches(peers_match *out) {
	for (size_t i = 0; i < labels.size(); i++) {
		if (labels[i] >= 0) {
			*out++ = {int32_t(i / length), int32_t(labels[i]), distances[i]};
		}
	}
}

} // namespace

extern "C" void set_nearest(peers_functions *f) {
	f->nearest = nearest;
	f->nearest_matches = nearest_matches;
}

#else

extern "C" void set_nearest(peers_functions *) {}

#endif
