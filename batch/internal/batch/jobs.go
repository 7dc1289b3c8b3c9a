package batch

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/tag"
)

// Names of tables in a Manifest.
const (
	FeaturesTable = "features" // of Keypoints, SIFTKeypoints, Corners or Tags
	MatchesTable  = "matches"  // of Matches
	DeadTable     = "dead"     // of DeadLetter
	SourcesTable  = "sources"  // of Source, one for each row of features and of dead
)

// A Layout specifies where a job writes, and how its work is divided.
type Layout struct {
	Output string // a directory of any of Beam's file systems
	Shards int    // how many shards there are, 1 or more
	// Branches is the number of branches of the pipeline, 1 or more: stages that can run side by
	// side, each for a part of the shards, on a runner that does not split stages.
	Branches int
}

func (l Layout) check(ctx context.Context, inputs ...string) error {
	switch {
	case l.Output == "":
		return errors.New("batch: no Output")
	case l.Shards < 1:
		return fmt.Errorf("batch: %d Shards: want 1 or more", l.Shards)
	case l.Branches < 1:
		return fmt.Errorf("batch: %d Branches: want 1 or more", l.Branches)
	}
	for _, path := range append(inputs, l.Output) {
		fs, err := openStorage(ctx, path)
		if err != nil {
			return fmt.Errorf("batch: %w", err)
		}
		if path == l.Output && schemeOf(path) != "" { // the bucket is there, and may be listed
			_, err = fs.List(hurry(ctx), join(path, ManifestName))
		}
		if err := errors.Join(err, fs.Close()); err != nil {
			return fmt.Errorf("batch: %s: %w", path, err)
		}
	}
	return nil
}

// NewRun returns a unique name for a run.
func NewRun() string {
	return time.Now().UTC().Format("20060102T150405Z-") + strings.ToLower(rand.Text()[:8])
}

// libraryVersion returns what Go knows of the version of the library: that of its module or,
// for a program that was built from its source, the commit.
func libraryVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, module := range info.Deps {
		if module.Path == "github.com/fastcorners/fast" && module.Replace == nil {
			return module.Version
		}
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return cmp.Or(info.Main.Version, "unknown")
}

// run returns a manifest for a new run, without tables.
func (l Layout) run(name, method string, options any, maxDead DeadLimit) (Manifest, error) {
	if _, err := maxDead.of(1); err != nil {
		return Manifest{}, fmt.Errorf("batch: MaxDead: %w", err)
	}
	resolved, err := resolve(options)
	if err != nil {
		return Manifest{}, err
	}
	text, err := json.Marshal(resolved)
	if err != nil {
		return Manifest{}, fmt.Errorf("batch: options: %w", err)
	}
	return Manifest{
		Run:     cmp.Or(name, NewRun()),
		Library: libraryVersion(),
		Method:  method,
		Options: text,
		Shards:  l.Shards,
		MaxDead: maxDead,
		Tables:  make(map[string][]File),
	}, nil
}

// table returns a table of a run, which the manifest names from then on.
func (l Layout) table(m Manifest, name string) Table {
	m.Tables[name] = nil
	return Table{l.Output, m.Run, name, m.Shards, map[string]string{
		"run":     m.Run,
		"method":  m.Method,
		"options": string(m.Options),
	}}
}

// A FeaturesJob is a pipeline that finds the features of images: ORB or SIFT features or markers, if one
// of the fields ORB, SIFT and Tag is set, and otherwise those of Detector.
type FeaturesJob struct {
	Layout
	Input  string // a pattern of the names of image files; see List
	Names  string // in place of Input, a file with names; see ReadNames
	Memory int64  // for the images that a process works on at a time, in bytes; see Decode
	// Workers is the maximum number of images that a process works on at a time. 0 means the number
	// of its CPUs or Branches, whichever is larger, where the job is built.
	Workers int
	// RuntimeMemory is the memory limit of Go's runtime in each worker, unless GOMEMLIMIT is set;
	// see debug.SetMemoryLimit. 0 leaves the limit unchanged.
	RuntimeMemory int64
	MaxDead       DeadLimit
	Patience      Patience
	Run           string // its name; empty means one of NewRun
	// Update keeps the results of the previous run for unchanged images, judging by their size and
	// their time or ETag, if that run had the same options, shards and version of the library.
	// Otherwise, everything is done again, and Say, unless nil, is called with the reason.
	Update    bool
	RetryDead bool // with Update, retry the dead letters of the previous run
	Say       func(why string)
	Region    Region
	ORB       *orb.Options
	SIFT      *sift.Options
	Tag       *tag.Options
	Detector  Detector
}

// A featuresPlan is what a FeaturesJob makes of its fields and of the former results.
type featuresPlan struct {
	manifest               Manifest
	base                   string // the run whose results there are, or nothing
	former                 former
	stock                  stock
	decoding               decodeFn
	work                   work
	features, dead, listed Table
}

// A work is what is done to images, by a method whose features are of some type.
type work interface {
	// These are the functions of the same names.
	update(s beam.Scope, sources beam.PCollection, before former, features, dead, listed Table) (todo, files beam.PCollection)
	find(s beam.Scope, groups beam.PCollection, p featuresPlan) beam.PCollection
	writeShard(ctx context.Context, p featuresPlan, c comparison, paths []string) ([]File, error)
	// finder returns a findFn.
	finder(p featuresPlan) groupFinder
}

// A workBy is the work of a method of type M, which finds features of type R.
type workBy[R feature, M method[R]] struct{ method M }

func (workBy[R, M]) update(s beam.Scope, sources beam.PCollection, before former, features, dead, listed Table) (todo, files beam.PCollection) {
	return update[R](s, sources, before, features, dead, listed)
}

func (w workBy[R, M]) find(s beam.Scope, groups beam.PCollection, p featuresPlan) beam.PCollection {
	return find[R](s, groups, p.decoding, w.method, p.stock, p.features, p.dead)
}

func (w workBy[R, M]) finder(p featuresPlan) groupFinder {
	return &findFn[R, M]{Decoding: p.decoding, Method: w.method, Shards: p.features.Shards, Stock: p.stock}
}

func (workBy[R, M]) writeShard(ctx context.Context, p featuresPlan, c comparison, paths []string) ([]File, error) {
	return writeShard[R](ctx, p, c, paths)
}

// work returns what the job does to a region of images.
func (j FeaturesJob) work(r *region) work {
	switch {
	case j.ORB != nil:
		return workBy[Keypoints, *extractFn]{&extractFn{*j.ORB, r}}
	case j.SIFT != nil:
		return workBy[SIFTKeypoints, *extractSIFTFn]{&extractSIFTFn{*j.SIFT, r}}
	case j.Tag != nil:
		return workBy[Tags, *detectTagsFn]{&detectTagsFn{*j.Tag, r}}
	}
	return workBy[Corners, *detectFn]{&detectFn{j.Detector, r}}
}

// plan fails if something is invalid.
func (j FeaturesJob) plan(ctx context.Context) (p featuresPlan, err error) {
	if err := j.Patience.set(); err != nil {
		return p, err
	}
	switch {
	case j.Input == "" && j.Names == "":
		return p, errors.New("batch: no Input")
	case j.Input != "" && j.Names != "":
		return p, errors.New("batch: both Input and Names")
	case j.Memory < 1:
		return p, fmt.Errorf("batch: %d bytes of Memory: want 1 or more", j.Memory)
	case j.Workers < 0:
		return p, fmt.Errorf("batch: %d Workers: want 0 or more", j.Workers)
	}
	if err := j.CheckMethod(); err != nil {
		return p, err
	}
	if err := j.check(ctx, cmp.Or(j.Input, j.Names)); err != nil {
		return p, err
	}
	method, options := j.method()
	if p.manifest, err = j.run(j.Run, method, options, j.MaxDead); err != nil {
		return p, err
	}
	region, err := j.Region.load(ctx, j.Memory)
	if err != nil {
		return p, err
	}
	p.manifest.Input, p.manifest.Selection = cmp.Or(j.Input, j.Names), newSelection(j.Detector, region)
	p.manifest.Descriptor = describes[method]
	before, err := ReadManifest(hurry(ctx), j.Output)
	if _, bad := errors.AsType[manifestError](err); err != nil && !notFound(err) && !(bad && !j.Update) {
		return p, err
	}
	p.base = before.Run
	var why string
	if p.former, why = j.formerOf(p.manifest, before); why != "" && j.Say != nil {
		j.Say(why)
	}
	p.stock = stock{
		Output: j.Output, Work: workOf(p.manifest), Run: p.manifest.Run, Former: p.base, Memory: j.Memory, RetryDead: j.RetryDead,
	}
	p.decoding = decodeFn{Memory: j.Memory, Workers: processWorkers(j.Workers, j.Branches), RuntimeMemory: j.RuntimeMemory, Region: region, Method: method, Limit: j.limit()}
	switch {
	case j.SIFT != nil:
		p.decoding.FindBytes = siftBytes(*j.SIFT)
	case j.Tag != nil:
		p.decoding.FindBytes = tagFindBytes
	}
	p.work = j.work(region)
	p.features, p.dead, p.listed = j.table(p.manifest, FeaturesTable), j.table(p.manifest, DeadTable), j.table(p.manifest, SourcesTable)
	return p, nil
}

// limit returns the largest image that the method takes. The options must be valid.
func (j FeaturesJob) limit() limits.Limit {
	switch {
	case j.ORB != nil:
		e, err := orb.New(*j.ORB)
		if err != nil {
			return limits.Limit{}
		}
		opts := e.Options()
		return limits.ORB(&opts)
	case j.SIFT != nil:
		return limits.SIFT
	case j.Tag != nil:
		return limits.Tag
	case j.Detector.Harris != nil:
		return limits.Harris
	case j.Detector.LoCoCo != nil:
		return limits.LoCoCo
	case j.Detector.VPI != nil:
		return limits.VPI
	}
	return limits.Limit{}
}

// Build adds the job to a pipeline. It fails if something is invalid.
func (j FeaturesJob) Build(ctx context.Context, s beam.Scope) error {
	p, err := j.plan(ctx)
	if err != nil {
		return err
	}
	var sources, total beam.PCollection
	if j.Names != "" {
		sources, total = ReadNames(s, j.Names)
	} else {
		sources, total = List(s, j.Input)
	}
	todo, kept := p.work.update(s, sources, p.former, p.features, p.dead, p.listed)
	files := []beam.PCollection{kept}
	for _, groups := range group(s, todo, j.Shards, j.Branches) {
		files = append(files, p.work.find(s, groups, p))
	}
	committed := commit(s, beam.Flatten(s, files...), total, commitFn{Output: j.Output, Manifest: p.manifest, Guarded: true, Former: p.base})
	beam.ParDo0(s, &sweepFn{Shards: j.Shards, Stock: p.stock}, beam.Reshuffle(s, committed))
	return nil
}

// CheckMethod fails if ORB, SIFT, Tag or Detector is invalid, or if there are two of them, without
// checking anything else.
func (j FeaturesJob) CheckMethod() (err error) {
	switch {
	case j.ORB != nil && j.SIFT != nil:
		err = errors.New("batch: both ORB and SIFT")
	case j.ORB != nil && j.Detector != Detector{}:
		err = errors.New("batch: both ORB and a Detector")
	case j.SIFT != nil && j.Detector != Detector{}:
		err = errors.New("batch: both SIFT and a Detector")
	case j.Tag != nil && (j.ORB != nil || j.SIFT != nil || j.Detector != Detector{}):
		err = errors.New("batch: both Tag and another method")
	case j.ORB != nil:
		_, err = orb.New(*j.ORB)
	case j.SIFT != nil:
		_, err = sift.New(*j.SIFT)
	case j.Tag != nil:
		_, err = tag.New(*j.Tag)
	default:
		_, err = j.Detector.finder()
	}
	return err
}

// processWorkers returns how much a process works on at a time by the Workers and Branches of
// a job, where 0 is the number of its CPUs.
func processWorkers(workers, branches int) int {
	if workers == 0 && branches > runtime.GOMAXPROCS(0) {
		return branches
	}
	return workers
}

// Methods of a Manifest.
const (
	methodORB       = "orb"
	methodSIFT      = "sift"
	methodFAST      = "fast"
	methodHarris    = "harris"
	methodShiTomasi = "shi-tomasi" // package harris with the smaller eigenvalue
	methodLoCoCo    = "lococo"
	methodVPI       = "vpi"
	methodTag       = "tag"
	methodMatch     = "match"
)

// describes has the descriptors of the methods that have them.
var describes = map[string]DescriptorFormat{
	methodORB:  {len(match.Descriptor{}), "hamming"},
	methodSIFT: {len(match.Vector{}), "l2"},
}

// method returns the name and the options of the method.
func (j FeaturesJob) method() (name string, options any) {
	switch {
	case j.ORB != nil:
		return methodORB, j.ORB
	case j.SIFT != nil:
		return methodSIFT, j.SIFT
	case j.Tag != nil:
		return methodTag, j.Tag
	case j.Detector.FAST != nil:
		return methodFAST, j.Detector.FAST
	case j.Detector.Harris != nil && cmp.Or(j.Detector.Harris.Measure, harris.MinEigenvalue) == harris.MinEigenvalue:
		return methodShiTomasi, j.Detector.Harris
	case j.Detector.Harris != nil:
		return methodHarris, j.Detector.Harris
	case j.Detector.VPI != nil:
		return methodVPI, j.Detector.VPI
	}
	return methodLoCoCo, j.Detector.LoCoCo
}

// A MatchesJob is a pipeline that matches keypoints that a FeaturesJob has found.
type MatchesJob struct {
	Layout          // Shards count only with Pairs; without, they are those of the features
	Features string // the Output of the FeaturesJob
	Pairs    string // a file as for ReadPairs; or empty, for all pairs of images in a shard
	Workers  int    // how many pairs a process matches at a time; see FeaturesJob
	GPU      bool   // match on the first GPU of each worker; only in programs built with -tags gpu
	MaxDead  DeadLimit
	Patience Patience
	Run      string // its name; empty means one of NewRun
	// Options specify which matches are kept. With SIFT features they apply to vectors, so Hamming2
	// must be false, and MaxDistance is squared.
	Options   match.Options
	SIFTRatio float64 // in place of an Options.Ratio of 0 with features of package sift
}

// Build adds the job to a pipeline. It reads the manifest of the features and the pairs, and
// fails if they or the options are invalid.
func (j MatchesJob) Build(ctx context.Context, s beam.Scope) error {
	if err := j.Patience.set(); err != nil {
		return err
	}
	if err := j.check(ctx, j.Features); err != nil {
		return err
	}
	if j.Workers < 0 {
		return fmt.Errorf("batch: %d Workers: want 0 or more", j.Workers)
	}
	if j.GPU && !hasGPU {
		return errNoGPU
	}
	source, err := ReadManifest(hurry(ctx), j.Features)
	if err != nil {
		return err
	}
	base, err := currentRun(hurry(ctx), j.Output)
	if err != nil {
		return err
	}
	format, ok := describes[source.Method]
	if !ok {
		return fmt.Errorf("%s: features of method %s, want those of orb or sift, which have descriptors", j.Features, source.Method)
	}
	if source.Method == methodSIFT && j.Options.Ratio == 0 {
		j.Options.Ratio = j.SIFTRatio
	}
	fn := matchFn{Options: j.Options, SIFT: source.Method == methodSIFT, Workers: processWorkers(j.Workers, j.Branches), GPU: j.GPU}
	options, err := fn.options()
	if err != nil {
		return err
	}
	if j.Pairs == "" {
		j.Shards = source.Shards
	} else if err := scanPairs(ctx, j.Pairs, func(NamePair) {}); err != nil {
		return err
	}
	manifest, err := j.run(j.Run, methodMatch, options, j.MaxDead)
	if err != nil {
		return err
	}
	manifest.Input, manifest.Pairs, manifest.Descriptor = j.Features, j.Pairs, format
	matches, dead := j.table(manifest, MatchesTable), j.table(manifest, DeadTable)
	stored := groupFiles(s, beam.CreateList(s, source.Tables[FeaturesTable]), source.Shards, j.Branches)
	in := stock{Output: j.Output, Work: workOf(manifest, "all pairs"), Run: manifest.Run, Former: base}
	var files []beam.PCollection
	var total beam.PCollection
	if j.Pairs == "" {
		for _, shards := range stored {
			files = append(files, beam.ParDo(s.Scope("batch.Match"), &matchShardFn{
				Pairs: fn,
				All:   matchAllFn{Dir: j.Features, Options: j.Options, Workers: fn.Workers},
				GPU:   j.GPU, Table: matches, Stock: in,
			}, shards))
		}
		total = beam.Create(s, pairsWithin(source))
	} else {
		in.Work = workOf(manifest, "pairs", source.Tables[FeaturesTable])
		var descriptors []beam.PCollection
		for _, shards := range stored {
			descriptors = append(descriptors, ReadDescriptors(s, beam.ParDo(s, &ungroupFn[File]{}, shards), j.Features))
		}
		names := ReadPairs(s, j.Pairs)
		found, letters := matchPairs(s, names, beam.Flatten(s, descriptors...), source.Rows[FeaturesTable], fn, in, matches, j.Branches)
		files = []beam.PCollection{found, Write[DeadLetter](s, ShardRows[DeadLetter](s, letters, j.Shards), dead)}
		total = count(s, names)
	}
	committed := commit(s, beam.Flatten(s, files...), total, commitFn{Output: j.Output, Manifest: manifest, Guarded: true, Former: base})
	beam.ParDo0(s, &sweepFn{Shards: j.Shards, Stock: in}, beam.Reshuffle(s, committed))
	return nil
}

// pairsWithin returns how many pairs of images the shards of features have.
func pairsWithin(features Manifest) (pairs int) {
	images := make(map[int64]int)
	for _, f := range features.Tables[FeaturesTable] {
		images[f.Shard] += int(f.Rows)
	}
	for _, n := range images {
		pairs += n * (n - 1) / 2
	}
	return pairs
}
