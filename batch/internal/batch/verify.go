package batch

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// A Verification is the result of Verify.
type Verification struct {
	Files    int
	Rows     map[string]int64 // of the tables
	Bytes    int64
	Problems []string // differences from the manifest, by shard
}

// Verify reads all rows of all files that the manifest in an output lists, one shard at a time for
// each of the workers. It checks the number of rows, the sizes of the files, and that each row is
// in its shard. Each source must have one row of features or dead letters.
func Verify(ctx context.Context, output string, workers int) (Verification, error) {
	m, err := ReadManifest(ctx, output)
	if err != nil {
		return Verification{}, err
	}
	return verify(ctx, m, output, workers)
}

// verify is Verify for a manifest.
func verify(ctx context.Context, m Manifest, output string, workers int) (Verification, error) {
	v := Verification{Rows: make(map[string]int64)}
	shards := make(map[int64][]File)
	for table, list := range m.Tables {
		v.Rows[table] = 0
		for _, f := range list {
			f.Table = table
			shards[f.Shard] = append(shards[f.Shard], f)
		}
	}
	next := make(chan int64)
	found := make(map[int64]*inspection)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			var s storage
			defer s.close()
			for shard := range next {
				i := &inspection{manifest: &m, output: output, storage: &s, rows: make(map[string]int64), names: make(map[string]int)}
				i.shard(ctx, shards[shard])
				mu.Lock()
				found[shard] = i
				mu.Unlock()
			}
		})
	}
	order := slices.Sorted(maps.Keys(shards))
	for _, shard := range order {
		next <- shard
	}
	close(next)
	wg.Wait()
	for _, shard := range order {
		i := found[shard]
		v.Files += len(shards[shard])
		v.Bytes += i.bytes
		for table, rows := range i.rows {
			v.Rows[table] += rows
		}
		v.Problems = append(v.Problems, i.problems...)
	}
	for _, table := range slices.Sorted(maps.Keys(m.Tables)) {
		if v.Rows[table] != m.Rows[table] {
			v.Problems = append(v.Problems, fmt.Sprintf("%d rows of %s, want %d", v.Rows[table], table, m.Rows[table]))
		}
	}
	return v, ctx.Err()
}

// An inspection is that of a shard.
type inspection struct {
	manifest *Manifest
	output   string
	storage  *storage
	rows     map[string]int64
	bytes    int64
	names    map[string]int // of sources, how often more than of rows of features and dead letters
	problems []string
}

func (i *inspection) problem(format string, args ...any) {
	i.problems = append(i.problems, fmt.Sprintf(format, args...))
}

// shard reads the files of a shard.
func (i *inspection) shard(ctx context.Context, files []File) {
	for _, f := range files {
		if err := i.file(ctx, f); err != nil {
			i.problem("%v", err)
		}
	}
	if _, listed := i.manifest.Tables[SourcesTable]; !listed || len(i.problems) > 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(i.names)) {
		switch n := i.names[name]; {
		case n > 0:
			i.problem("%s: no row for it", name)
		case n < 0:
			i.problem("%s: too many rows for it", name)
		}
	}
}

// file reads a file.
func (i *inspection) file(ctx context.Context, f File) (err error) {
	path := join(i.output, f.Path)
	defer func() {
		if r := recover(); r != nil { // of reading what is damaged
			err = fmt.Errorf("%s: %v", path, r)
		}
	}()
	file, size, err := i.storage.openAt(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	defer file.Close()
	i.bytes += size
	if size != f.Bytes {
		return fmt.Errorf("%s: %d bytes, want %d", path, size, f.Bytes)
	}
	var rows int64
	wrong := 0 // rows of other shards
	row := func(name string, count int) {
		rows++
		if shardOf(name, i.manifest.Shards) != int(f.Shard) {
			wrong++
		}
		i.names[name] += count
	}
	switch {
	case f.Table == MatchesTable:
		err = inspect[Matches](ctx, path, file, size, func(name string) { row(name, 0) })
	case f.Table == DeadTable:
		err = inspect[DeadLetter](ctx, path, file, size, func(name string) { row(name, -1) })
	case f.Table == SourcesTable:
		err = inspect[Source](ctx, path, file, size, func(name string) { row(name, 1) })
	case i.manifest.Method == methodORB:
		err = inspect[Keypoints](ctx, path, file, size, func(name string) { row(name, -1) })
	case i.manifest.Method == methodSIFT:
		err = inspect[SIFTKeypoints](ctx, path, file, size, func(name string) { row(name, -1) })
	case i.manifest.Method == methodTag:
		err = inspect[Tags](ctx, path, file, size, func(name string) { row(name, -1) })
	default:
		err = inspect[Corners](ctx, path, file, size, func(name string) { row(name, -1) })
	}
	i.rows[f.Table] += rows
	switch {
	case err != nil:
		return err
	case rows != f.Rows:
		return fmt.Errorf("%s: %d rows, want %d", path, rows, f.Rows)
	case wrong > 0:
		return fmt.Errorf("%s: %d rows of other shards", path, wrong)
	}
	return nil
}

// inspect calls found with what names the shard of each row of a file.
func inspect[R Row](ctx context.Context, path string, file io.ReaderAt, size int64, found func(name string)) error {
	return readRowsAt(ctx, path, file, size, func(row R) error {
		found(row.shardName())
		return nil
	})
}
