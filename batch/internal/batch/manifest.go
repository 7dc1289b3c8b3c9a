package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"
	"github.com/fastcorners/fast/internal/program/cli"
)

// ManifestName is the name of the manifest in the output directory.
const ManifestName = "manifest.json"

// A Manifest lists the files with the results of a run. Files that it does not list are not
// results.
type Manifest struct {
	Version int             `json:"version"`
	Run     string          `json:"run"`     // the beginning of the paths of the run's own files
	Library string          `json:"library"` // the version of the library, if known
	Input   string          `json:"input"`   // a pattern, or the directory of the features
	Pairs   string          `json:"pairs,omitempty"`
	Method  string          `json:"method"` // as flag -method has it, or match
	Options json.RawMessage `json:"options"`
	// Descriptor is the format of the descriptors of the features, or of those that are matched.
	Descriptor DescriptorFormat  `json:"descriptor,omitzero"`
	Selection  Selection         `json:"selection,omitzero"`
	Shards     int               `json:"shards"`
	MaxDead    DeadLimit         `json:"max_dead"` // beyond it Commit fails
	Rows       map[string]int64  `json:"rows"`     // of the tables
	Tables     map[string][]File `json:"tables"`   // in the order of shards
}

// A DescriptorFormat describes descriptors. It is zero for corners, which have none.
type DescriptorFormat struct {
	Bytes    int    `json:"bytes"`    // of each
	Distance string `json:"distance"` // hamming, the number of bits that differ, or l2, which is squared
}

// A Selection specifies which features are found or kept, in addition to the options.
type Selection struct {
	ROI       string `json:"roi,omitempty"`      // X,Y,W,H
	Mask      string `json:"mask,omitempty"`     // the name of the file
	MaskSum   string `json:"mask_sum,omitempty"` // of where the mask is black
	Strongest int    `json:"strongest,omitempty"`
	Spread    int    `json:"spread,omitempty"`
}

func newSelection(d Detector, r *region) Selection {
	s := Selection{Strongest: d.Strongest, Spread: d.Spread}
	if r != nil {
		s.ROI = (&cli.Region{Rectangle: r.ROI}).String()
		s.Mask = r.Name
	}
	if s.Mask != "" {
		s.MaskSum = fmt.Sprintf("%x", sha256.Sum256(r.Mask))
	}
	return s
}

const manifestVersion = 1

// Commit writes a manifest that lists a PCollection<File>, when all of them exist. It replaces the
// previous manifest at once or, if anything fails, not at all. The number of rows in the files must
// be the single element of total, a PCollection<int>: after a bundle has failed, a runner such as
// Prism may continue with incomplete input until it gives up the pipeline. There must be no more
// dead letters than MaxDead allows and, in a run that finds features, those of at least one image.
func Commit(s beam.Scope, files, total beam.PCollection, output string, manifest Manifest) {
	commit(s, files, total, commitFn{Output: output, Manifest: manifest})
}

// commit is Commit, and returns the numbers of the shards, a PCollection<int>, when it is done.
func commit(s beam.Scope, files, total beam.PCollection, fn commitFn) beam.PCollection {
	s = s.Scope("batch.Commit")
	return beam.ParDo(s, &fn, beam.Impulse(s), beam.SideInput{Input: files}, beam.SideInput{Input: total})
}

// count returns how many elements there are, a PCollection<int>. It is empty if there are none,
// unlike that of stats.CountElms: nothing tells that from a failure.
func count(s beam.Scope, elements beam.PCollection) beam.PCollection {
	return stats.Sum(s, beam.ParDo(s, one, elements))
}

func one(beam.T) int { return 1 }

type commitFn struct {
	Output   string
	Manifest Manifest
	Guarded  bool   // whether the results must be those of Former
	Former   string // a run, or nothing
	verify   func(Manifest) error
}

func (fn *commitFn) ProcessElement(ctx context.Context, _ []byte, files func(*File) bool, total func(*int) bool, emit func(int)) error {
	m := fn.Manifest
	m.Version = manifestVersion
	m.Tables = make(map[string][]File)
	for name := range fn.Manifest.Tables {
		m.Tables[name] = []File{} // those without any files are named, too
	}
	var want int
	if !total(&want) {
		// The list has failed: its error is to be reported first.
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		return errors.New("batch: the number of rows is missing")
	}
	var rows int64
	var f File
	for files(&f) {
		m.Tables[f.Table] = append(m.Tables[f.Table], f)
		if f.Table != SourcesTable {
			rows += f.Rows
		}
	}
	if rows != int64(want) {
		return fmt.Errorf("batch: %d rows, want %d", rows, want)
	}
	if sources, ok := m.Tables[SourcesTable]; ok && countRows(sources) != rows {
		return fmt.Errorf("batch: %d sources, want %d", countRows(sources), rows)
	}
	if err := checkDead(m, rows); err != nil {
		return err
	}
	m.Rows = make(map[string]int64)
	for name, list := range m.Tables {
		m.Rows[name] = countRows(list)
		slices.SortFunc(list, func(a, b File) int {
			return cmp.Or(cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.Path, b.Path))
		})
	}
	if fn.verify != nil {
		if err := fn.verify(m); err != nil {
			return err
		}
	}
	if fn.Guarded {
		now, err := currentRun(ctx, fn.Output)
		switch {
		case err != nil:
			return err
		case now != fn.Former && now != m.Run: // which it is if this is repeated
			return replaced(now, fn.Former)
		}
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	err = replace(ctx, join(fn.Output, ManifestName), join(fn.Output, m.Run+"/"+ManifestName), append(text, '\n'))
	if err != nil {
		return err
	}
	for shard := range m.Shards {
		emit(shard)
	}
	return nil
}

// checkDead returns an error if a manifest has too many dead letters to replace another.
func checkDead(m Manifest, rows int64) error {
	most, err := m.MaxDead.of(rows)
	if err != nil {
		return err
	}
	if features, ok := m.Tables[FeaturesTable]; ok && countRows(features) == 0 {
		most = -1 // not even none: there is no image
	}
	dead := countRows(m.Tables[DeadTable])
	switch {
	case dead <= most:
		return nil
	case dead == 0:
		return errors.New("batch: no images")
	case most < 0:
		return fmt.Errorf("batch: none of %d images could be read; see %s", rows, m.Tables[DeadTable][0].Path)
	}
	return fmt.Errorf("batch: %d of %d are dead letters, more than %v (-max-dead); see %s", dead, rows, m.MaxDead, m.Tables[DeadTable][0].Path)
}

func countRows(files []File) (rows int64) {
	for _, f := range files {
		rows += f.Rows
	}
	return rows
}

// replace writes a file so that there is the old one or the new one at any time, even if the
// machine fails. Object stores do so by themselves; elsewhere it is written under a temporary
// name first.
func replace(ctx context.Context, path, temporary string, data []byte) error {
	fs, err := openStorage(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	renamer, ok := fs.(filesystem.Renamer)
	if !ok {
		temporary = path
	}
	if err = writeFile(ctx, fs, temporary, data); err == nil && ok {
		// The directory has the files that the manifest names, too.
		if err = syncDir(temporary); err == nil {
			err = renamer.Rename(ctx, temporary, path)
		}
		if err == nil {
			err = syncDir(path)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return nil
}

// currentRun returns the run whose results an output has, or nothing. A manifest that cannot be
// understood is that of no run.
func currentRun(ctx context.Context, output string) (string, error) {
	m, err := ReadManifest(ctx, output)
	if _, bad := errors.AsType[manifestError](err); bad || notFound(err) {
		err = nil
	}
	return m.Run, err
}

// A manifestError is the error of a manifest that cannot be understood.
type manifestError struct{ error }

// ReadManifest reads the manifest in the output directory of a run.
func ReadManifest(ctx context.Context, output string) (Manifest, error) {
	path := join(output, ManifestName)
	fs, err := openStorage(ctx, path)
	if err != nil {
		return Manifest{}, err
	}
	defer fs.Close()
	var m Manifest
	text, err := readFile(ctx, fs, path)
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", path, reason(err))
	}
	err = json.Unmarshal(text, &m)
	if err == nil && m.Version != manifestVersion {
		err = fmt.Errorf("version %d, of which nothing is known here", m.Version)
	}
	if err != nil {
		return Manifest{}, manifestError{fmt.Errorf("%s: %w", path, err)}
	}
	return m, nil
}
