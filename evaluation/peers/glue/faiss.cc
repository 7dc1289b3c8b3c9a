// FAISS, as far as package peers calls it. Its exhaustive search for the nearest binary
// vectors is made of what its headers have and compiled for the native processor: Debian's
// library is compiled for every amd64, which has no instruction that counts bits. Its search for
// vectors of floats is the library's, whose products are those of the system's BLAS.

#include "peers.h"

#if __has_include(<faiss/utils/hamming.h>)

#include <algorithm>
#include <exception>
#include <limits>
#include <vector>

#include <faiss/IndexFlat.h>
#include <faiss/utils/Heap.h>
#include <faiss/utils/hamming.h>

// One thread, if the system's BLAS is OpenBLAS.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));
extern "C" void omp_set_num_threads(int);

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

int32_t nearest_vectors(int32_t k, float *query, int32_t queries, float *train, int32_t trains) {
	try {
		omp_set_num_threads(1);
		if (openblas_set_num_threads != nullptr) {
			openblas_set_num_threads(1);
		}
		static std::vector<float> squares;
		length = k;
		squares.resize(size_t(queries) * k);
		labels.resize(size_t(queries) * k);
		faiss::IndexFlatL2 index(VECTOR_SIZE);
		index.add(trains, train);
		index.search(queries, query, k, squares.data(), labels.data());
		distances.assign(squares.begin(), squares.end());
		return std::count_if(labels.begin(), labels.end(), [](int64_t label) { return label >= 0; });
	} catch (const std::exception &) {
		return -1;
	}
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
	f->nearest_vectors = nearest_vectors;
}

#else

extern "C" void set_nearest(peers_functions *) {}

#endif
