package batch

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"
)

// A Table specifies where rows are written, and the metadata of each file.
type Table struct {
	Output   string            // a directory of any of Beam's file systems
	Run      string            // the name of a directory in it, for this run only
	Name     string            // the beginning of the names of files
	Shards   int               // how many there are
	Metadata map[string]string // for the key-value metadata of Parquet
}

// A File is a Parquet file with rows of a shard.
type File struct {
	Table string `json:"-"`
	Shard int64  `json:"shard"`
	Path  string `json:"path"` // relative to the Output of the Table, with slashes
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// Write writes rows to Parquet files and returns a PCollection<File>, of which the runner keeps the
// valid ones: if it repeats work, files of failed attempts may be left behind. No file has rows of
// two shards. If the rows of a shard come one after the other in one bundle, as from ShardRows,
// there is one file for each shard that has rows.
func Write[R Row](s beam.Scope, rows beam.PCollection, table Table) beam.PCollection {
	return beam.ParDo(s.Scope("batch.Write."+table.Name), &writeFn[R]{Table: table}, rows)
}

// ShardRows returns rows grouped by shard, as Write prefers them.
func ShardRows[R Row](s beam.Scope, rows beam.PCollection, shards int) beam.PCollection {
	s = s.Scope("batch.ShardRows")
	return beam.ParDo(s, &ungroupFn[R]{}, beam.GroupByKey(s, beam.ParDo(s, &keyRows[R]{Shards: shards}, rows)))
}

type keyRows[R Row] struct {
	Shards int
}

func (fn *keyRows[R]) ProcessElement(row R, emit func(int, R)) {
	emit(shardOf(row.shardName(), fn.Shards), row)
}

type writeFn[R Row] struct {
	Table   Table
	file    *rowFile[R] // that is written, or nil
	closing errgroup.Group
	mu      sync.Mutex
	closed  []File
}

// mostClosing is how many files a bundle closes at the same time.
const mostClosing = 16

// StartBundle drops what a failed bundle left.
func (fn *writeFn[R]) StartBundle(context.Context, func(File)) {
	fn.Teardown()
	fn.closing.SetLimit(mostClosing)
}

func (fn *writeFn[R]) ProcessElement(ctx context.Context, row R, _ func(File)) error {
	shard := shardOf(row.shardName(), fn.Table.Shards)
	if fn.file != nil && fn.file.Shard != int64(shard) {
		if err := fn.end(); err != nil {
			return err
		}
	}
	if fn.file == nil {
		var err error
		if fn.file, err = createFile[R](ctx, fn.Table, shard); err != nil {
			return err
		}
	}
	return fn.file.write(row)
}

// end writes the end of the file, if there is one, and leaves it to be closed while others are
// written: that waits for a disk or a server.
func (fn *writeFn[R]) end() error {
	f := fn.file
	if f == nil {
		return nil
	}
	if err := f.end(); err != nil {
		return err // StartBundle drops it
	}
	fn.file = nil
	fn.closing.Go(func() error {
		if err := f.close(); err != nil {
			f.abort()
			return err
		}
		fn.mu.Lock()
		defer fn.mu.Unlock()
		fn.closed = append(fn.closed, f.File)
		return nil
	})
	return nil
}

func (fn *writeFn[R]) FinishBundle(_ context.Context, emit func(File)) error {
	if err := fn.end(); err != nil {
		return err
	}
	if err := fn.closing.Wait(); err != nil {
		return err
	}
	each(fn.closed, emit)
	fn.closed = nil
	return nil
}

func (fn *writeFn[R]) Teardown() {
	if fn.file != nil {
		fn.file.abort()
		fn.file = nil
	}
	fn.closing.Wait() // of a bundle that has failed, be there an error or not
	fn.closing, fn.closed = errgroup.Group{}, nil
}

// groupBytes is about the memory that the rows of a row group take before they are written.
const groupBytes = 16 << 20

// A rowFile is a file that is being written.
type rowFile[R Row] struct {
	File
	path    string
	fs      filesystem.Interface
	cancel  context.CancelFunc // of writing
	out     io.WriteCloser
	parquet *parquet.GenericWriter[R]
	row     [1]R
	group   int // bytes of rows that the row group has
}

func createFile[R Row](ctx context.Context, table Table, shard int) (*rowFile[R], error) {
	f := &rowFile[R]{File: File{
		Table: table.Name,
		Shard: int64(shard),
		Path:  fmt.Sprintf("%s/%s-%05d-of-%05d-%s.parquet", table.Run, table.Name, shard, table.Shards, rand.Text()),
	}}
	f.path = join(table.Output, f.Path)
	ctx, f.cancel = context.WithCancel(ctx)
	var err error
	if f.fs, err = openStorage(ctx, f.path); err == nil {
		if f.out, err = f.fs.OpenWrite(ctx, f.path); err != nil {
			f.fs.Close()
		}
	}
	if err != nil {
		f.cancel()
		return nil, fmt.Errorf("%s: %w", f.path, reason(err))
	}
	options := []parquet.WriterOption{parquet.Compression(&parquet.Snappy), schemaOf[R]()}
	for key, value := range table.Metadata {
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	f.parquet = parquet.NewGenericWriter[R](f, options...)
	return f, nil
}

// schemaOf returns the schema of rows. Its name is that of the type, whatever descriptors it has.
func schemaOf[R Row]() *parquet.Schema {
	schema := parquet.SchemaOf(new(R))
	name, _, _ := strings.Cut(schema.Name(), "[")
	return parquet.NewSchema(strings.TrimSuffix(name, "Of"), schema)
}

// Write is for the Parquet writer.
func (f *rowFile[R]) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	f.Bytes += int64(n)
	return n, err
}

func (f *rowFile[R]) write(row R) error {
	f.row[0] = row
	_, err := f.parquet.Write(f.row[:])
	f.Rows++
	if f.group += row.memory(); err == nil && f.group >= groupBytes {
		err = f.parquet.Flush()
		f.group = 0
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, reason(err))
	}
	return nil
}

// end writes the end of the file. After an error the caller must abort it.
func (f *rowFile[R]) end() error {
	if err := f.parquet.Close(); err != nil {
		return fmt.Errorf("%s: %w", f.path, reason(err))
	}
	f.parquet = nil // and the memory that it has
	return nil
}

// close closes the file, which has its end. After an error the caller must abort it.
func (f *rowFile[R]) close() error {
	err := syncFile(f.out)
	if err == nil {
		err = f.out.Close()
	}
	if err == nil {
		f.cancel()
		err = f.fs.Close()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, reason(err))
	}
	return nil
}

// abort abandons the file. In file systems where files appear when they are closed, it does
// not appear.
func (f *rowFile[R]) abort() {
	f.cancel()
	f.out.Close()
	f.fs.Close()
}
