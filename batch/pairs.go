package batch

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// ReadPairs reads a CSV file, with the names of two images a line and no header, and returns
// a PCollection<NamePair>.
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
	fs, err := openStorage(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	file, err := fs.OpenRead(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.FieldsPerRecord = -1 // the reader's own error says less
	r.ReuseRecord = true
	for n := 0; ; n++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) && n == 0 {
			return fmt.Errorf("%s: no pairs", path)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if parseErr, ok := errors.AsType[*csv.ParseError](err); ok {
			return fmt.Errorf("%s:%d: %w", path, parseErr.Line, parseErr.Err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, reason(err))
		}
		line, _ := r.FieldPos(0)
		if len(record) != 2 {
			return fmt.Errorf("%s:%d: %d names, want two", path, line, len(record))
		}
		if record[0] == "" || record[1] == "" {
			return fmt.Errorf("%s:%d: an empty name", path, line)
		}
		emit(NamePair{record[0], record[1]})
	}
}
