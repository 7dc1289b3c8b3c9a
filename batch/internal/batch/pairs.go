package batch

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// ReadPairs reads a CSV file with the names of two images per line and no header, and returns a
// PCollection<NamePair>.
func ReadPairs(s beam.Scope, path string) beam.PCollection {
	s = s.Scope("batch.ReadPairs")
	return beam.ParDo(s, &readPairsFn{}, beam.Create(s, path))
}

type readPairsFn struct{}

func (*readPairsFn) ProcessElement(ctx context.Context, path string, emit func(NamePair)) error {
	return scanPairs(ctx, path, emit)
}

// scanPairs calls emit for each pair in a CSV file. An error names the file and the line.
func scanPairs(ctx context.Context, path string, emit func(NamePair)) error {
	return scanCSV(ctx, path, "no pairs", 2, 2, "names, want two", func(record []string) error {
		emit(NamePair{record[0], record[1]})
		return nil
	})
}
