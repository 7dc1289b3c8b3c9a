package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// The reports in JSON, as package encoding/json reads them.
type (
	imageObject struct {
		Image   string     `json:"image"`
		Width   int        `json:"width"`
		Height  int        `json:"height"`
		ROI     *roiObject `json:"roi"`
		Picture string     `json:"picture"`
		Method  string     `json:"method"`
	}
	roiObject struct {
		X      int `json:"x"`
		Y      int `json:"y"`
		Width  int `json:"width"`
		Height int `json:"height"`
	}

	fastObject struct {
		imageObject
		Kernel    fast.Kernel  `json:"kernel"`
		Threshold uint8        `json:"threshold"`
		Arc       int          `json:"arc"`
		Nonmax    bool         `json:"nonmax"`
		Corners   []fastCorner `json:"corners"`
	}
	fastCorner struct {
		X     int32 `json:"x"`
		Y     int32 `json:"y"`
		Score uint8 `json:"score"`
	}

	harrisObject struct {
		imageObject
		MaxCorners int            `json:"max_corners"`
		Quality    float64        `json:"quality"`
		Distance   float64        `json:"distance"`
		Block      int            `json:"block"`
		Gradient   string         `json:"gradient"`
		K          float64        `json:"k"`
		Corners    []harrisCorner `json:"corners"`
	}
	harrisCorner struct {
		X        int32   `json:"x"`
		Y        int32   `json:"y"`
		Response float32 `json:"response"`
	}

	lococoObject struct {
		imageObject
		MaxCorners  int            `json:"max_corners"`
		KernelSizes []int          `json:"kernel_sizes"`
		Window      int            `json:"window"`
		Measure     string         `json:"measure"`
		K           float64        `json:"k"`
		Quality     float64        `json:"quality"`
		Radius      int            `json:"radius"`
		Subpixel    bool           `json:"subpixel"`
		Corners     []lococoCorner `json:"corners"`
	}
	lococoCorner struct {
		X          float32 `json:"x"`
		Y          float32 `json:"y"`
		Response   float32 `json:"response"`
		KernelSize int32   `json:"kernel_size"`
	}

	vpiObject struct {
		imageObject
		Radius    int         `json:"radius"`
		Arc       int         `json:"arc"`
		Threshold float64     `json:"threshold"`
		Border    string      `json:"border"`
		Nonmax    bool        `json:"nonmax"`
		Corners   []vpiCorner `json:"corners"`
	}
	vpiCorner struct {
		X     int32  `json:"x"`
		Y     int32  `json:"y"`
		Score uint16 `json:"score"`
	}

	orbObject struct {
		imageObject
		orbValues
		Keypoints []orbKeypoint `json:"keypoints"`
	}
	orbValues struct {
		Features     int     `json:"features"`
		Scale        float64 `json:"scale"`
		Levels       int     `json:"levels"`
		Edge         int     `json:"edge"`
		FirstLevel   int     `json:"first_level"`
		PointsPerBit int     `json:"points_per_bit"`
		Score        string  `json:"score"`
		Patch        int     `json:"patch"`
		Threshold    int     `json:"threshold"`
	}
	orbKeypoint struct {
		X          float32 `json:"x"`
		Y          float32 `json:"y"`
		Size       float32 `json:"size"`
		Angle      float32 `json:"angle"`
		Response   float32 `json:"response"`
		Octave     int32   `json:"octave"`
		Descriptor string  `json:"descriptor"`
	}

	siftObject struct {
		imageObject
		siftValues
		Keypoints []siftKeypoint `json:"keypoints"`
	}
	siftValues struct {
		Features  int     `json:"features"`
		Layers    int     `json:"layers"`
		Contrast  float64 `json:"contrast"`
		EdgeRatio float64 `json:"edge_ratio"`
		Sigma     float64 `json:"sigma"`
		Doubling  bool    `json:"doubling"`
		Upright   bool    `json:"upright"`
		Root      bool    `json:"root"`
	}
	siftKeypoint struct {
		X          float32 `json:"x"`
		Y          float32 `json:"y"`
		Size       float32 `json:"size"`
		Angle      float32 `json:"angle"`
		Response   float32 `json:"response"`
		Octave     int     `json:"octave"`
		Layer      int     `json:"layer"`
		Descriptor string  `json:"descriptor"`
	}

	matchObject struct {
		orbValues
		matchValues
	}
	siftMatchObject struct {
		siftValues
		matchValues
	}
	matchValues struct {
		Query       matchImage   `json:"query"`
		Train       matchImage   `json:"train"`
		Method      string       `json:"method"`
		CrossCheck  bool         `json:"cross_check"`
		Ratio       float64      `json:"ratio"`
		MaxDistance int          `json:"max_distance"`
		Picture     string       `json:"picture"`
		Model       *modelObject `json:"model"`
		Matches     []matchPair  `json:"matches"`
	}
	matchImage struct {
		Image     string `json:"image"`
		Width     int    `json:"width"`
		Height    int    `json:"height"`
		Keypoints int    `json:"keypoints"`
	}
	modelObject struct {
		Kind      string         `json:"kind"`
		Threshold float64        `json:"threshold"`
		Inliers   int            `json:"inliers"`
		Matrix    *[3][3]float64 `json:"matrix"`
		Reason    string         `json:"reason"`

		Pose      *poseObject `json:"pose"`
		Other     *poseObject `json:"other"`
		Turn      bool        `json:"turn"`
		Planar    bool        `json:"planar"`
		Ambiguous bool        `json:"ambiguous"`
		Parallax  int         `json:"parallax"`
		OffPlane  int         `json:"off_plane"`
	}
	poseObject struct {
		Rotation    [3][3]float64 `json:"rotation"`
		Quaternion  [4]float64    `json:"quaternion"`
		Translation [3]float64    `json:"translation"`
	}
	matchPair struct {
		Query    matchPoint `json:"query"`
		Train    matchPoint `json:"train"`
		Distance int32      `json:"distance"`
		Inlier   *bool      `json:"inlier"`
	}
	matchPoint struct {
		Index int32   `json:"index"`
		X     float32 `json:"x"`
		Y     float32 `json:"y"`
	}

	speedObject struct {
		Method     string  `json:"method"`
		Kernel     string  `json:"kernel"`
		Frames     int     `json:"frames"`
		Pixels     int     `json:"pixels"`
		Rounds     int     `json:"rounds"`
		NsPerPixel float64 `json:"ns_per_pixel"`
		Megapixels float64 `json:"megapixels_per_second"`
		PerCycle   float64 `json:"pixels_per_cycle"`
		Speedup    float64 `json:"speedup"`
	}
)

// decodeJSON decodes a report. It must not have anything that v has no field for.
func decodeJSON(t *testing.T, report string, v any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(report))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(v))
	require.False(t, decoder.More())
}
