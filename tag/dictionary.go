package tag

import (
	_ "embed" // of the codes

	"github.com/fastcorners/fast/tag/internal/dictionary"
)

// The codes are those of AprilTag 3 and, for ArUco, of OpenCV's predefined dictionaries, with their
// bits in the order of AprilTag's. OpenCV's files have other orders.
var (
	//go:embed codes/tag36h11.bin
	codesTag36h11 string
	//go:embed codes/tag25h9.bin
	codesTag25h9 string
	//go:embed codes/tag16h5.bin
	codesTag16h5 string
	//go:embed codes/standard41h12.bin
	codesStandard41h12 string
	//go:embed codes/aruco4x4.bin
	codesArUco4x4 string
	//go:embed codes/aruco5x5.bin
	codesArUco5x5 string
	//go:embed codes/aruco6x6.bin
	codesArUco6x6 string
	//go:embed codes/aruco7x7.bin
	codesArUco7x7 string
	//go:embed codes/aruco-mip36h12.bin
	codesArUcoMIP36h12 string
	//go:embed codes/tag36h10.bin
	codesTag36h10 string
	//go:embed codes/aruco-original.bin
	codesArUcoOriginal string
	//go:embed codes/circle21h7.bin
	codesCircle21h7 string
)

// The cells of the first quarter of the bits in squares of four to seven columns.
var (
	four  = [][2]int8{{1, 1}, {2, 1}, {3, 1}, {2, 2}}
	five  = [][2]int8{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {2, 2}, {3, 2}}
	six   = [][2]int8{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {2, 2}, {3, 2}, {4, 2}, {3, 3}}
	seven = [][2]int8{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {2, 2}, {3, 2}, {4, 2}, {5, 2}, {3, 3}, {4, 3}}
)

var dictionaries = [...]dictionary.Dictionary{
	Tag36h11: {Bits: 36, Cells: 8, Margin: 1, Distance: 11, Quarter: six, Codes: codesTag36h11},
	Tag25h9:  {Bits: 25, Cells: 7, Margin: 1, Distance: 9, Quarter: five, Codes: codesTag25h9},
	Tag16h5:  {Bits: 16, Cells: 6, Margin: 1, Distance: 5, Quarter: four, Codes: codesTag16h5},
	Standard41h12: {
		Bits: 41, Cells: 5, Margin: 2, Distance: 12, Reversed: true,
		Quarter: [][2]int8{{-2, -2}, {-1, -2}, {0, -2}, {1, -2}, {2, -2}, {3, -2}, {4, -2}, {5, -2}, {1, 1}, {2, 1}},
		Codes:   codesStandard41h12,
	},
	ArUco4x4:      {Bits: 16, Cells: 6, Margin: 1, Distance: 2, Quarter: four, Codes: codesArUco4x4},
	ArUco5x5:      {Bits: 25, Cells: 7, Margin: 1, Distance: 5, Quarter: five, Codes: codesArUco5x5},
	ArUco6x6:      {Bits: 36, Cells: 8, Margin: 1, Distance: 9, Quarter: six, Codes: codesArUco6x6},
	ArUco7x7:      {Bits: 49, Cells: 9, Margin: 1, Distance: 14, Quarter: seven, Codes: codesArUco7x7},
	ArUcoMIP36h12: {Bits: 36, Cells: 8, Margin: 1, Distance: 12, Quarter: six, Codes: codesArUcoMIP36h12},
	Tag36h10:      {Bits: 36, Cells: 8, Margin: 1, Distance: 10, Quarter: six, Codes: codesTag36h10},
	ArUcoOriginal: {Bits: 25, Cells: 7, Margin: 1, Quarter: five, Codes: codesArUcoOriginal},
	Circle21h7:    {Bits: 21, Cells: 5, Margin: 2, Distance: 7, Reversed: true, Quarter: [][2]int8{{1, -2}, {2, -2}, {3, -2}, {1, 1}, {2, 1}}, Codes: codesCircle21h7},
}
