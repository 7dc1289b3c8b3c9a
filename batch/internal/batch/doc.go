// Package batch finds the features of many images, and matches them, in pipelines of Apache Beam.
//
// A [FeaturesJob] and a [MatchesJob] are whole pipelines, which the program batch runs. They consist
// of transforms, such as [Decode], [Extract] and [Commit].
//
// The features are the same as those that packages fast, harris, lococo, vpi, orb, sift and tag find
// in each image: bundles, shards and branches affect only the order of rows.
//
// Programs must import a package for each of Beam's file systems that they use, such as
// github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local.
package batch
