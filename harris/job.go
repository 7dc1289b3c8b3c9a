package harris

import (
	"image"

	"github.com/fastcorners/fast/internal/nms"
	"github.com/fastcorners/fast/internal/rank"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A job is the memory of a call: the state of the work on an image. It is used again for other
// images. Coordinates are relative to the upper left pixel.
type job struct {
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

func newJob(d *Detector) *job {
	return &job{
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
func (j *job) pipeline(l *lane) pipeline {
	if l.kernels != j.kernels {
		l.kernels, l.pipelines = j.kernels, j.detector.newPipelines(j.kernels)
	}
	for _, p := range l.pipelines {
		if p.serves(j.plane.W) {
			return p
		}
	}
	panic("harris: no pipeline")
}

// release puts j back into the pool, without what belongs to the caller.
func (j *job) release() {
	j.plane, j.mask, j.responses = plane{}, raster.Plane{}, nil
	for _, l := range j.lanes.All() {
		for _, p := range l.pipelines {
			p.release()
		}
	}
	j.detector.pool.Put(j)
}
