package fast_test

import (
	"fmt"
	"image"
	"image/png"
	"log"
	"os"

	"github.com/fastcorners/fast"
)

// A liveView finds corners in a region of the frames of a camera. It reuses its memory
// for every frame.
type liveView struct {
	detector *fast.Detector
	region   image.Rectangle

	view    image.Gray // of the pixels of an NV12 frame
	luma    image.Gray // copied from a YUYV frame
	corners []fast.Corner
}

// NV12 finds the corners of a frame that begins with a plane of luma, whose rows
// are stride bytes apart. The chroma behind it does not matter.
func (v *liveView) NV12(frame []byte, stride int) []fast.Corner {
	// This is the SubImage of the region, which would be allocated for every frame.
	// Corners have the coordinates of the whole frame, since Rect has them.
	v.view = image.Gray{
		Pix:    frame[v.region.Min.Y*stride+v.region.Min.X:],
		Stride: stride,
		Rect:   v.region,
	}
	v.corners = v.detector.Append(v.corners[:0], &v.view)
	return v.corners
}

// YUYV finds the corners of a frame of two bytes for each pixel, luma and chroma.
func (v *liveView) YUYV(frame []byte, stride int) []fast.Corner {
	// Only the luma of the region is copied.
	fast.GrayYUYV(&v.luma, frame[v.region.Min.Y*stride+2*v.region.Min.X:], stride, v.region)
	v.corners = v.detector.Append(v.corners[:0], &v.luma)
	return v.corners
}

// Example_live finds corners in the frames of two cameras, as drivers give them.
func Example_live() {
	file, err := os.Open("testdata/photos/aitzgorri_752x480.png")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	photo := fast.Gray(img)

	// All processors share a frame that is large enough to gain from it.
	detector, err := fast.New(fast.Options{Threshold: 20, NonmaxSuppression: true, Workers: -1})
	if err != nil {
		log.Fatal(err)
	}
	v := liveView{detector: detector, region: image.Rect(160, 120, 480, 360)}

	// The frames that drivers give lie in the same memory again and again. Here they
	// are windows of a photo, which move to the right.
	const width, height, nv12Stride, yuyvStride = 640, 480, 768, 2 * 640
	nv12 := make([]byte, nv12Stride*height*3/2)
	yuyv := make([]byte, yuyvStride*height)
	for left := 0; left <= 90; left += 30 {
		for y := range height {
			for x := range width {
				gray := photo.GrayAt(left+x, y).Y
				nv12[y*nv12Stride+x] = gray
				yuyv[y*yuyvStride+2*x] = gray
			}
		}
		planar := len(v.NV12(nv12, nv12Stride))
		packed := v.YUYV(yuyv, yuyvStride)
		fmt.Printf("%d corners in NV12, %d in YUYV, the first at %v\n", planar, len(packed), packed[0].Pt())
	}
	// Output:
	// 201 corners in NV12, 201 in YUYV, the first at (364,123)
	// 205 corners in NV12, 205 in YUYV, the first at (334,123)
	// 217 corners in NV12, 217 in YUYV, the first at (304,123)
	// 308 corners in NV12, 308 in YUYV, the first at (274,123)
}
