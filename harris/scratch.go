package harris

import (
	"image"

	"github.com/fastcorners/fast/internal/nms"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A scratch is the memory for one image. It is reused. Coordinates are those of its
// plane.
type scratch struct {
	detector  *Detector
	kernels   *kernels
	plane     plane
	mask      raster.Plane // without pixels where all count
	responses []float32
	parts     []image.Rectangle // for the workers
	lanes     worker.Lanes[lane]

	region  image.Rectangle // what counts
	inner   image.Rectangle // where there may be corners
	largest float32         // response that counts, at least 0
	limit   float32         // that the responses of corners exceed

	memory  []float32 // for responses that the caller does not want
	grid    nms.Grid  // of the responses in the region
	luma    []float32 // of an image in color
	gray    []uint8   // the same, rounded
	ranking ranking
}

func newScratch(d *Detector) *scratch {
	return &scratch{detector: d, lanes: worker.NewLanes("harris", newLane)}
}

// A lane is the memory of a worker.
type lane struct {
	kernels   *kernels   // of the pipelines
	pipelines []pipeline // the fastest ones first; the last one serves all images
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

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release() {
	s.plane, s.mask, s.responses = plane{}, raster.Plane{}, nil
	for _, l := range s.lanes.All() {
		for _, p := range l.pipelines {
			p.release()
		}
	}
	s.detector.pool.Put(s)
}
