// Package batch finds the features of many images, and matches them, in pipelines of Apache Beam.
// This program writes the ORB features of images to Parquet files in the directory features:
//
//	package main
//
//	import (
//		"context"
//		"flag"
//		"log"
//
//		"github.com/apache/beam/sdks/v2/go/pkg/beam"
//		_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
//		"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
//		"github.com/fastcorners/fast/batch"
//		"github.com/fastcorners/fast/orb"
//	)
//
//	func main() {
//		flag.Parse() // Beam's flags, such as -runner
//		beam.Init()
//		ctx := context.Background()
//		p, s := beam.NewPipelineWithRoot()
//		job := batch.FeaturesJob{
//			Layout: batch.Layout{Output: "features", Shards: 1, Branches: 1},
//			Input:  flag.Arg(0), // such as 'photos/*.jpg'
//			Memory: 1 << 30,
//			ORB:    &orb.Options{},
//		}
//		if err := job.Build(ctx, s); err != nil {
//			log.Fatal(err)
//		}
//		if err := beamx.Run(ctx, p); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// A [FeaturesJob] and a [MatchesJob] are whole pipelines, which the program batch runs. They
// consist of transforms, which other pipelines can also use:
//
//	names := textio.Read(s, "gs://bucket/names.txt")
//	images, dead := batch.Decode(s, names, 1<<30)
//	keypoints, err := batch.Extract(s, images, orb.Options{})
//
// The features are the same as those that packages fast, harris, lococo, vpi, orb and sift find in
// each image: bundles, shards and branches affect only the order of rows.
//
// Programs must import a package for each of Beam's file systems that they use, such as
// github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local.
package batch
