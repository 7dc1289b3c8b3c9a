package batch

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// scanCSV calls emit for each record of a CSV file without a header, and says what it wants if a
// record has fewer or more fields than given, or no name. An error names the file and the line.
func scanCSV(ctx context.Context, path, none string, least, most int, want string, emit func(record []string) error) error {
	fs, err := openStorage(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	file, _, err := openAt(ctx, fs, path)
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
			return fmt.Errorf("%s: %s", path, none)
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
		if len(record) < least || len(record) > most {
			err = fmt.Errorf("%d %s", len(record), want)
		} else if record[0] == "" || least > 1 && record[1] == "" {
			err = errors.New("an empty name")
		} else {
			err = emit(record)
		}
		if err != nil {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
}

// scanNames calls emit for each file that a CSV file names: with its name, and with its size and
// its ETag, or what else tells one version of it from another, if they are there.
func scanNames(ctx context.Context, path string, emit func(Source) error) error {
	scheme := ""
	n := 0
	return scanCSV(ctx, path, "no names", 1, 3, "fields, want a name, and a size and a tag if they are known", func(record []string) error {
		f := Source{Name: record[0]}
		if n++; n == 1 {
			scheme = schemeOf(f.Name)
		} else if schemeOf(f.Name) != scheme {
			return errors.New("a name in another file system than the first one")
		}
		if len(record) > 1 && record[1] != "" {
			size, err := strconv.ParseInt(record[1], 10, 64)
			if err != nil || size < 0 {
				return fmt.Errorf("%q is no size", record[1])
			}
			f.Size = size
		}
		if len(record) > 2 {
			f.ETag = record[2]
		}
		return emit(f)
	})
}
