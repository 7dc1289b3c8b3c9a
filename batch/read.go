package batch

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast/match"
)

// ReadDescriptors reads the descriptors of Keypoints from a PCollection<File> below a
// directory, and returns them by the names of images: a PCollection<KV<string, Descriptors>>.
func ReadDescriptors(s beam.Scope, files beam.PCollection, dir string) beam.PCollection {
	return beam.ParDo(s.Scope("batch.ReadDescriptors"), &readFn{Dir: dir}, files)
}

type readFn struct {
	Dir     string
	storage storage
}

func (fn *readFn) ProcessElement(ctx context.Context, f File, emit func(string, Descriptors)) error {
	return fn.storage.readDescriptors(ctx, join(fn.Dir, f.Path), func(d Descriptors) { emit(d.Name, d) })
}

func (fn *readFn) Teardown() error {
	return fn.storage.close()
}

// readDescriptors calls emit for the descriptors of each image in a file.
func (s *storage) readDescriptors(ctx context.Context, path string, emit func(Descriptors)) error {
	type row struct {
		Name      string `parquet:"name"`
		Keypoints []struct {
			Descriptor match.Descriptor `parquet:"descriptor"`
		} `parquet:"keypoints,list"`
	}
	return readRows(ctx, s, path, func(r row) error {
		bits := make([]byte, 0, len(match.Descriptor{})*len(r.Keypoints))
		for _, k := range r.Keypoints {
			bits = append(bits, k.Descriptor[:]...)
		}
		emit(Descriptors{r.Name, bits})
		return nil
	})
}

// groupFiles returns files grouped by their shards, in as many collections as there are
// branches.
func groupFiles(s beam.Scope, files beam.PCollection, shards, branches int) []beam.PCollection {
	return groupBranches(s, files, shards, branches, func(b branching) any { return &keyFiles{b} })
}

type keyFiles struct {
	Branching branching
}

func (fn *keyFiles) ProcessElement(f File, emit func(int, File)) {
	if shard := int(f.Shard); fn.Branching.has(shard) {
		emit(shard, f)
	}
}
