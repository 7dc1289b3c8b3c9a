package batch

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast/match"
	"github.com/parquet-go/parquet-go"
)

// ReadDescriptors reads the descriptors of Keypoints or SIFTKeypoints from a PCollection<File> in a
// directory, and returns them by image name: a PCollection<KV<string, Descriptors>>.
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
	file, size, err := s.openAt(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	defer file.Close()
	parsed, err := parquet.OpenFile(file, size)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	column, ok := parsed.Schema().Lookup("keypoints", "list", "element", "descriptor")
	if !ok {
		return fmt.Errorf("%s: no descriptors", path)
	}
	if column.Node.Type().Length() == len(match.Vector{}) {
		return readParsed(ctx, path, parsed, descriptorsOf[match.Vector](emit))
	}
	return readParsed(ctx, path, parsed, descriptorsOf[match.Descriptor](emit))
}

// A describedOf is what is read of KeypointsOf to match them.
type describedOf[D descriptor] struct {
	Name      string `parquet:"name"`
	Keypoints []struct {
		Descriptor D `parquet:"descriptor"`
	} `parquet:"keypoints,list"`
}

// descriptorsOf returns a function that emits the descriptors of rows.
func descriptorsOf[D descriptor](emit func(Descriptors)) func(describedOf[D]) error {
	return func(r describedOf[D]) error {
		var d D
		bits := make([]byte, 0, len(d)*len(r.Keypoints))
		for i := range r.Keypoints {
			bits = append(bits, bytesOf(&r.Keypoints[i].Descriptor)...)
		}
		emit(Descriptors{r.Name, bits})
		return nil
	}
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
