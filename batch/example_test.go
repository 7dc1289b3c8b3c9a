package batch_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/fastcorners/fast/batch"
	"github.com/fastcorners/fast/orb"
)

// Like every program of Beam, this one begins with beam.Init.
func Example() {
	ctx := context.Background()
	output, err := os.MkdirTemp("", "features")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(output)
	p, s := beam.NewPipelineWithRoot()
	err = batch.FeaturesJob{
		Layout: batch.Layout{Output: output, Shards: 1, Branches: 1},
		Input:  "../testdata/photos/c*_*.png",
		Memory: 1 << 28,
		ORB:    &orb.Options{Features: 100},
	}.Build(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	if err := beamx.Run(ctx, p); err != nil {
		log.Fatal(err)
	}

	manifest, err := batch.ReadManifest(ctx, output)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(manifest.Method, manifest.Rows)
	for _, f := range manifest.Tables[batch.FeaturesTable] {
		fmt.Println(f.Rows, "rows in a file")
	}
	// Output:
	// orb map[dead:0 features:3 sources:3]
	// 3 rows in a file
}
