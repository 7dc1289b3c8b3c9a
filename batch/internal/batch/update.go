package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A former is the run whose results an update keeps as far as their sources are the same. The
// zero former has none.
type former struct {
	Files     []File
	RetryDead bool // do not keep dead letters
}

// formerOf returns the run whose results the job's output has, or why there is nothing to keep
// of them.
func (j FeaturesJob) formerOf(now, before Manifest) (f former, why string) {
	if !j.Update || before.Run == "" {
		return former{}, ""
	}
	if why := now.unlike(before); why != "" {
		return former{}, why
	}
	f = former{RetryDead: j.RetryDead}
	for table, files := range before.Tables {
		for _, file := range files {
			file.Table = table
			f.Files = append(f.Files, file)
		}
	}
	return f, ""
}

// unlike returns why the results of another run may not be those of this one, or nothing.
func (m Manifest) unlike(before Manifest) string {
	_, listed := before.Tables[SourcesTable]
	switch {
	case !listed:
		return "the former manifest has no table of sources"
	case m.Library != before.Library:
		return fmt.Sprintf("the library is %s, was %s", m.Library, before.Library)
	case m.Method != before.Method:
		return fmt.Sprintf("the method is %s, was %s", m.Method, before.Method)
	case m.Shards != before.Shards:
		return fmt.Sprintf("there are %d shards, were %d", m.Shards, before.Shards)
	}
	// A mask of another name may be the same.
	selection, former := m.Selection, before.Selection
	selection.Mask, former.Mask = "", ""
	if selection != former {
		return "another region is searched, or other corners are kept"
	}
	var is, was map[string]any
	if json.Unmarshal(m.Options, &is) != nil || json.Unmarshal(before.Options, &was) != nil {
		return "the options are of another kind"
	}
	names := maps.Clone(is)
	maps.Copy(names, was)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if is, was := fmt.Sprint(is[name]), fmt.Sprint(was[name]); is != was {
			return fmt.Sprintf("option %s is %s, was %s", name, is, was)
		}
	}
	return ""
}

// same reports whether a file is as it was, as far as its file system tells.
func (f Source) same(before Source) bool {
	if f.Offset != before.Offset {
		return false
	}
	if f.ETag != "" && before.ETag != "" {
		return f.ETag == before.ETag && f.Size == before.Size
	}
	return f.Modified != 0 && f.Modified == before.Modified && f.Size == before.Size
}

// mergeFiles is the number of files at which those of a shard become one.
const mergeFiles = 8

// A rewriting is the files of a table that become one, without some rows.
type rewriting struct {
	Files []File
	Drop  []string // the names of the rows
}

// update compares sources, a PCollection<Source>, with those of a former run. It returns those
// that are new or changed, a PCollection<KV<string, Source>> by the keys of their groups, and the
// files with what is kept of the former run and with all sources, a PCollection<File>.
func update[R Row](s beam.Scope, sources beam.PCollection, before former, features, dead, listed Table) (todo, files beam.PCollection) {
	s = s.Scope("batch.Update")
	keyed := beam.ParDo(s, &keyRows[Source]{Shards: listed.Shards}, sources)
	old := beam.ParDo(s, shardOfFile, beam.CreateList(s, before.Files))
	fn := &updateFn{Output: listed.Output, Shards: listed.Shards, RetryDead: before.RetryDead}
	todo, rows, kept, found, letters := beam.ParDo5(s, fn, beam.CoGroupByKey(s, keyed, old))
	return todo, beam.Flatten(s, kept, Write[Source](s, rows, listed),
		beam.ParDo(s, &rewriteFn[R]{Table: features}, found),
		beam.ParDo(s, &rewriteFn[DeadLetter]{Table: dead}, letters))
}

func shardOfFile(f File) (int, File) { return int(f.Shard), f }

// The counters of updates, of sources of the former run.
var (
	keptCounter     = beam.NewCounter(Namespace, "kept")
	keptDeadCounter = beam.NewCounter(Namespace, "kept_dead") // those of kept that are dead letters
	changedCounter  = beam.NewCounter(Namespace, "changed")
	goneCounter     = beam.NewCounter(Namespace, "gone")
)

// An updateFn compares the sources of a shard with those of a former run.
type updateFn struct {
	Output    string
	Shards    int
	RetryDead bool
	storage   storage
}

func (fn *updateFn) ProcessElement(ctx context.Context, _ int, sources func(*Source) bool, files func(*File) bool,
	do func(string, Source), list func(Source), keep func(File), rewriteFeatures, rewriteDead func(rewriting),
) error {
	tables := make(map[string][]File)
	var file File
	for files(&file) {
		tables[file.Table] = append(tables[file.Table], file)
	}
	before, buried, err := fn.read(ctx, tables)
	if err != nil {
		return err
	}
	var now []Source // as rows
	changed := make(map[string]bool)
	var todo, suspects []Source
	var f Source
	for sources(&f) {
		row := f
		row.Name = f.shardName()
		now = append(now, row)
		// There can be two of a name that was escaped.
		if old, known := before[row.Name]; known && !changed[row.Name] {
			why, dead := buried[row.Name]
			again := dead && (fn.RetryDead || passes(why) || isSuspect(why))
			if row.same(old) && !again {
				keptCounter.Inc(ctx, 1)
				if dead {
					keptDeadCounter.Inc(ctx, 1)
				}
				delete(before, row.Name) // now it has those whose rows are not kept
				continue
			}
			changedCounter.Inc(ctx, 1)
			changed[row.Name] = true
			if row.same(old) && isSuspect(why) && !fn.RetryDead {
				suspects = append(suspects, f)
				continue
			}
		}
		todo = append(todo, f)
	}
	soFar.todo.Add(int64(len(todo) + len(suspects)))
	divide(todo, fn.Shards, func(key string, group []Source) {
		for _, f := range group {
			do(key, f)
		}
	})
	divide(suspects, fn.Shards, func(key string, group []Source) {
		for _, f := range group {
			do(lastKey(key), f)
		}
	})
	if len(todo)+len(suspects) == 0 && len(before) == 0 {
		for _, list := range tables {
			each(list, keep)
		}
		return nil
	}
	slices.SortFunc(now, func(a, b Source) int { return cmp.Compare(a.Name, b.Name) })
	each(now, list)
	found, letters := rewriting{Files: tables[FeaturesTable]}, rewriting{Files: tables[DeadTable]}
	for name, source := range before {
		if !changed[name] {
			goneCounter.Inc(ctx, 1)
		}
		_, dead := buried[name]
		if dead {
			letters.Drop = append(letters.Drop, name)
		}
		if !dead || source == (Source{}) {
			found.Drop = append(found.Drop, name)
		}
	}
	found.do(rewriteFeatures, keep)
	letters.do(rewriteDead, keep)
	return nil
}

// read returns the sources of former files by their names, and the reasons of dead letters by theirs.
// What two sources have in common is the name of a zero Source.
func (fn *updateFn) read(ctx context.Context, tables map[string][]File) (sources map[string]Source, buried map[string]string, err error) {
	sources, buried = make(map[string]Source), make(map[string]string)
	err = readTable(ctx, &fn.storage, fn.Output, tables[SourcesTable], func(row Source) error {
		name := row.Name
		if _, twice := sources[name]; twice {
			row = Source{}
		}
		sources[name] = row
		return nil
	})
	if err == nil {
		err = readTable(ctx, &fn.storage, fn.Output, tables[DeadTable], func(row DeadLetter) error {
			buried[row.Name] = row.Reason
			return nil
		})
	}
	return sources, buried, err
}

func (fn *updateFn) Teardown() error {
	return fn.storage.close()
}

func each[E any](list []E, do func(E)) {
	for _, e := range list {
		do(e)
	}
}

// do has files rewritten if that is necessary, and kept otherwise.
func (r rewriting) do(rewrite func(rewriting), keep func(File)) {
	if len(r.Drop) > 0 || len(r.Files) >= mergeFiles {
		rewrite(r)
		return
	}
	each(r.Files, keep)
}

// A rewriteFn writes the rows of files that are kept to a new one.
type rewriteFn[R Row] struct {
	Table   Table
	storage storage
}

func (fn *rewriteFn[R]) ProcessElement(ctx context.Context, r rewriting, emit func(File)) error {
	drop := make(map[string]bool)
	for _, name := range r.Drop {
		drop[name] = true
	}
	w := writeFn[R]{Table: fn.Table}
	defer w.Teardown()
	err := readTable(ctx, &fn.storage, fn.Table.Output, r.Files, func(row R) error {
		if drop[row.shardName()] {
			return nil
		}
		return w.ProcessElement(ctx, row, emit)
	})
	if err != nil {
		return err
	}
	return w.FinishBundle(ctx, emit)
}

func (fn *rewriteFn[R]) Teardown() error {
	return fn.storage.close()
}
