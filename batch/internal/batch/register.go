package batch

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Workers know the functions of a pipeline by what is registered here, and Beam's coders
// make elements of these types, not of other types with the same fields.
func init() {
	for _, fn := range []any{
		&partFn{}, &listFn{}, &tallyFn{}, &readNamesFn{}, // List
		&branchSources{},
		&findFn[Keypoints, *extractFn]{}, &findFn[SIFTKeypoints, *extractSIFTFn]{}, &findFn[Corners, *detectFn]{}, &findFn[Tags, *detectTagsFn]{},
		&findLastFn[Keypoints, *extractFn]{}, &findLastFn[SIFTKeypoints, *extractSIFTFn]{}, &findLastFn[Corners, *detectFn]{}, &findLastFn[Tags, *detectTagsFn]{},
		&mergeFn[Keypoints]{}, &mergeFn[SIFTKeypoints]{}, &mergeFn[Corners]{}, &mergeFn[Tags]{}, &sweepFn{},
		&decodeFn{},
		&detectFn{}, &detectTagsFn{}, &extractFn{}, &extractSIFTFn{},
		&keyFiles{}, &ungroupFn[File]{}, &readFn{}, &readPairsFn{},
		&keyPairs{}, &dividePairsFn{}, &serveFn{}, &branchFn[Descriptors]{}, &branchFn[string]{}, &branchFn[NamePair]{}, &matchGroupFn{}, &mergePairsFn{},
		&matchFn{}, &matchShardFn{},
		&updateFn{}, shardOfFile, &rewriteFn[Keypoints]{}, &rewriteFn[SIFTKeypoints]{}, &rewriteFn[Corners]{}, &rewriteFn[Tags]{}, &rewriteFn[DeadLetter]{},
		&commitFn{},
	} {
		beam.RegisterDoFn(fn)
	}
	beam.RegisterFunction(one)
	registerRow[Keypoints]()
	registerRow[SIFTKeypoints]()
	registerRow[Corners]()
	registerRow[Tags]()
	registerRow[DeadLetter]()
	registerRow[Matches]()
	registerRow[Source]()
	registerType[rewriting]()
	registerType[part]()
	registerType[Image]()
	registerType[Descriptors]()
	registerType[NamePair]()
	registerType[Pair]()
	registerType[File]()
}

func registerRow[R Row]() {
	registerType[R]()
	beam.RegisterDoFn(&writeFn[R]{})
	beam.RegisterDoFn(&keyRows[R]{})
	beam.RegisterDoFn(&ungroupFn[R]{})
}

func registerType[E any]() {
	beam.RegisterType(reflect.TypeFor[E]())
}
