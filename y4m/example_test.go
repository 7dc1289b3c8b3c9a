package y4m_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/fastcorners/fast/y4m"
)

func Example() {
	stream := "YUV4MPEG2 W2 H2 F25:1 Cmono\n" + "FRAME\n\x01\x02\x03\x04" + "FRAME\n\x05\x06\x07\x08"
	video, err := y4m.NewReader(strings.NewReader(stream))
	if err != nil {
		log.Fatal(err)
	}
	var frame y4m.Frame
	for {
		err := video.Read(&frame)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(frame.Gray().Pix)
	}
	// Output:
	// [1 2 3 4]
	// [5 6 7 8]
}

// This example inverts the frames of a video.
func ExampleWriter() {
	video, err := y4m.NewReader(strings.NewReader("YUV4MPEG2 W2 H1 F25:1 Cmono\n" + "FRAME\nab" + "FRAME\ncd"))
	if err != nil {
		log.Fatal(err)
	}
	var inverted strings.Builder
	writer, err := y4m.NewWriter(&inverted, video.Header())
	if err != nil {
		log.Fatal(err)
	}
	var frame, result y4m.Frame
	for video.Read(&frame) == nil {
		result.Like(&frame)
		from, to := frame.Gray().Pix, result.Gray().Pix
		for i, v := range from {
			to[i] = 255 - v
		}
		if err := writer.Write(&result); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%q\n", inverted.String())
	// Output: "YUV4MPEG2 W2 H1 F25:1 Cmono\nFRAME\n\x9e\x9dFRAME\n\x9c\x9b"
}
