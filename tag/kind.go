package tag

import "github.com/fastcorners/fast/internal/option"

// A Kind is a dictionary of markers. The zero value means Tag36h11.
type Kind uint8

// In the names of AprilTag's dictionaries, the numbers are those of bits and the least number of
// bits in which two markers differ, in any orientations. In those of ArUco's, they are the columns
// and rows of bits; in parentheses, the number of markers.
const (
	Tag36h11      Kind = iota + 1 // AprilTag's most used (587)
	Tag25h9                       // AprilTag's (35)
	Tag16h5                       // AprilTag's, few and seen by chance most often (30)
	Standard41h12                 // AprilTag 3's, with data around the border (2,115)
	ArUco4x4                      // OpenCV's DICT_4X4_1000, whose first ones are DICT_4X4_50, _100 and _250
	ArUco5x5                      // OpenCV's DICT_5X5_1000
	ArUco6x6                      // OpenCV's DICT_6X6_1000
	ArUco7x7                      // OpenCV's DICT_7X7_1000
	ArUcoMIP36h12                 // ArUco's recommended (250)
	Tag36h10                      // AprilTag's (2,320)
	ArUcoOriginal                 // ArUco's first, of which number 1023 looks the same upside down (1,024)
	Standard52h13                 // AprilTag 3's, in package tag/large/standard52h13 (48,714)
	Custom48h12                   // AprilTag 3's with a free center, in package tag/large/custom48h12 (42,211)
	Circle49h12                   // AprilTag 3's for round surfaces, in package tag/large/circle49h12 (65,535)
	Circle21h7                    // AprilTag 3's for round surfaces (38)
)

var kindNames = option.Enum[Kind]{
	"default", "tag36h11", "tag25h9", "tag16h5", "standard41h12", "aruco4x4", "aruco5x5", "aruco6x6", "aruco7x7",
	"aruco-mip36h12", "tag36h10", "aruco-original", "standard52h13", "custom48h12", "circle49h12", "circle21h7",
}

// String returns the name of k, such as "tag36h11", or "default" if k is 0.
func (k Kind) String() string { return kindNames.String(k) }

// MarshalText returns the name of k. It fails if k is not a Kind of this package.
func (k Kind) MarshalText() ([]byte, error) { return kindNames.MarshalText(k) }

// UnmarshalText sets k to the Kind named by text. It fails if there is no such Kind.
func (k *Kind) UnmarshalText(text []byte) error { return kindNames.UnmarshalText(k, text) }
