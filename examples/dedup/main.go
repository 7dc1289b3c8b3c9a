// Command dedup finds duplicates among photos: the same photo scaled, rotated, cropped or drawn on.
//
//	go run ./examples/dedup                 # pictures of this repository
//	go run ./examples/dedup holiday/*.jpg
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"path/filepath"

	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/register"
)

func main() {
	flag.Parse()
	names := flag.Args()
	if len(names) == 0 {
		photos, _ := filepath.Glob("testdata/photos/*.png")
		others, _ := filepath.Glob("testdata/*.png")
		names = append(photos, others...)
	}
	if len(names) == 0 {
		log.Fatal("no photos")
	}

	registrar, err := register.New(register.Options{
		// ORB finds the same keypoints again if a photo is scaled or turned, and describes each of
		// them by 256 bits. A few hundred of them distinguish a photo from others.
		ORB: orb.Options{Features: 500},
		// Two keypoints match if each is the nearest to the other one, and the second nearest is
		// clearly farther.
		Match: match.Options{CrossCheck: true, Ratio: 0.85, MaxDistance: 64},
		// Some matches are still wrong. Two photos show the same thing if many matches agree with
		// one scale, rotation and shift.
		Geometry: geometry.Options{Kind: geometry.Similarity},
	})
	if err != nil {
		log.Fatal(err)
	}

	photos := make([]*register.Features, len(names))
	pairs := 0
	for i, name := range names {
		photos[i] = registrar.Features(pictures.Load(name), nil)
		for k := range i {
			found, err := registrar.Match(photos[k], photos[i])
			if err != nil {
				continue // They have nothing in common.
			}
			pairs++
			scale, angle, _, _ := found.Transform.Similarity()
			fmt.Printf("%s is %s, scaled by %.2f and turned by %d degrees: %d of %d matches agree\n",
				name, names[k], scale, int(math.Round(angle*180/math.Pi)), found.Inliers, len(found.Matches))
		}
	}
	fmt.Println(len(names), "photos,", pairs, "pairs of duplicates")
}
