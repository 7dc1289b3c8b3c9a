package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/fastcorners/fast/match"
	"github.com/parquet-go/parquet-go"
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
	images, err := fn.storage.readDescriptors(ctx, join(fn.Dir, f.Path))
	for _, img := range images {
		emit(img.Name, img)
	}
	return err
}

func (fn *readFn) Teardown() error {
	return fn.storage.close()
}

// readDescriptors reads the descriptors of all images in a file.
func (s *storage) readDescriptors(ctx context.Context, path string) ([]Descriptors, error) {
	fs, err := s.of(ctx, path)
	if err != nil {
		return nil, err
	}
	file, err := filesystem.Read(ctx, fs, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	type row struct {
		Name      string `parquet:"name"`
		Keypoints []struct {
			Descriptor match.Descriptor `parquet:"descriptor"`
		} `parquet:"keypoints,list"`
	}
	parsed, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := parquet.NewGenericReader[row](parsed)
	defer r.Close()
	images := make([]Descriptors, 0, r.NumRows())
	var rows [1]row
	for {
		n, err := r.Read(rows[:])
		if n == 1 {
			bits := make([]byte, 0, len(match.Descriptor{})*len(rows[0].Keypoints))
			for _, k := range rows[0].Keypoints {
				bits = append(bits, k.Descriptor[:]...)
			}
			images = append(images, Descriptors{rows[0].Name, bits})
		}
		if errors.Is(err, io.EOF) {
			return images, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

// groupFiles returns files grouped by their shards, in as many collections as there are
// branches.
func groupFiles(s beam.Scope, files beam.PCollection, shards, branches int) []beam.PCollection {
	split := make([]beam.PCollection, branches)
	for b := range split {
		split[b] = beam.GroupByKey(s, beam.ParDo(s, &keyFiles{branching{shards, branches, b}}, files))
	}
	return split
}

type keyFiles struct {
	Branching branching
}

func (fn *keyFiles) ProcessElement(f File, emit func(int, File)) {
	if shard := int(f.Shard); fn.Branching.has(shard) {
		emit(shard, f)
	}
}
