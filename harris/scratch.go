package harris

import (
	"image"

	"github.com/fastcorners/fast/internal/nms"
	"github.com/fastcorners/fast/internal/rank"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A scratch is the state of the work on an image, with memory that is used again for other
// images. Coordinates are relative to the upper left pixel.
type scratch struct {
	detector  *Detector
	kernels   *kernels
	plane     plane
	mask      raster.Plane // without pixels if all pixels of the image count
	responses []float32
	parts     []image.Rectangle // for the workers
	lanes     worker.Lanes[lane]

	region  image.Rectangle // outside the margin
	inner   image.Rectangle // where there can be corners
	largest float32         // of the responses that count, or 0
	limit   float32         // that the responses of corners exceed

	memory  []float32 // for responses that the caller does not get
	grid    nms.Grid  // of the responses in the region
	luma    []float32 // of an image in color
	gray    []uint8   // the rounded luma
	ranking ranking
}

func newScratch(d *Detector) *scratch {
	return &scratch{
		detector: d,
		lanes:    worker.NewLanes("harris", newLane),
		ranking:  ranking{buckets: rank.NewBuckets("harris")},
	}
}

// A lane is the state and the memory of a worker.
type lane struct {
	kernels   *kernels   // of the pipelines
	pipelines []pipeline // the fastest first; the last one serves all images
	peaks     *peaksRun
	finder    nms.Finder
	places    []image.Point
	keys      []uint64     // of the corners
	extremes  *extremesRun // of the responses that count
}

func newLane() *lane {
	return &lane{peaks: newPeaksRun(), extremes: new(extremesRun)}
}

// pipeline returns the fastest pipeline for the image.
func (s *scratch) pipeline(l *lane) pipeline {
	if l.kernels != s.kernels {
		l.kernels, l.pipelines = s.kernels, s.detector.newPipelines(s.kernels)
	}
	for _, p := range l.pipelines {
		if p.serves(s.plane.W) {
			return p
		}
	}
	panic("harris: no pipeline")
}

// release puts s back into the pool, without what belongs to the caller.
func (s *scratch) release() {
	s.plane, s.mask, s.responses = plane{}, raster.Plane{}, nil
	for _, l := range s.lanes.All() {
		for _, p := range l.pipelines {
			p.release()
		}
	}
	s.detector.pool.Put(s)
}
