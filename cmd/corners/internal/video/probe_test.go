package video

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPixels checks which pixels are passed on by Y4M.
func TestPixels(t *testing.T) {
	for format, want := range map[string]string{
		"yuv420p": "yuv420p", "yuvj444p": "yuvj444p", "nv12": "yuv420p", "yuyv422": "yuv422p", "yuva420p": "yuv420p", "yuv440p": "yuv444p",
		"yuv410p": "yuv411p", "bgr0": "yuv444p", "gbrp": "yuv444p", "pal8": "yuv444p", "gray": "gray", "ya8": "gray", "monob": "gray",
		"yuv420p10le": "yuv420p10le", "yuv422p12be": "yuv422p12le", "p010le": "yuv420p10le", "p016le": "yuv420p16le", "gray10le": "gray10le",
		"gray14le": "gray16le", "gbrp10le": "yuv444p10le", "rgb48le": "yuv444p16le", "yuva444p9le": "yuv444p9le", "ya16le": "gray16le",
	} {
		require.Equal(t, want, y4mPixels(format), format)
	}
}

// TestProbe checks how the rate and the begin are understood, and values with signs of the format.
func TestProbe(t *testing.T) {
	for _, c := range []struct {
		real, mean, begin string
		rate              string
		varies            bool
		late, others      float64
	}{
		{"25/1", "25/1", "0.0", "25/1", false, 0, 0},
		{"30000/1001", "2997/100", "0.0", "30000/1001", false, 0, 0},
		{"90000/1", "2000/77", "0.0", "2000/77", true, 0, 0},
		{"0/0", "10/1", "0.1", "10/1", false, 0.1, 0},
		{"10/1", "0/0", "0.13", "10/1", false, 0.2, 0.07},
		{"10/1", "0/0", "-0.13", "10/1", false, 0, 0},
	} {
		p, err := parseProbe("streams.stream.0.codec_type=\"video\"\nstreams.stream.0.r_frame_rate=\"" + c.real + "\"\nstreams.stream.0.avg_frame_rate=\"" + c.mean +
			"\"\nstreams.stream.0.start_time=\"" + c.begin + "\"\nstreams.stream.0.tags.title=\"a\\\\n\\n\\\"b\\\"\\$=\"\nformat.duration=\"12.0\"\n" +
			"program_version.version=\"4.4.2-0ubuntu\"\n")
		require.NoError(t, err)
		require.Equal(t, c.rate, p.rate)
		require.Equal(t, c.varies, p.varies)
		require.InDelta(t, c.late, p.late, 1e-9)
		require.InDelta(t, c.others, p.others, 1e-9)
		require.Equal(t, "a\\n\n\"b\"$=", p.video["tags.title"])
		require.InDelta(t, 12*fraction(c.rate), p.frames, 1)
		require.Equal(t, "-vsync", p.passthrough)
	}
	for text, want := range map[string]string{
		"": "there is no video in it",
		"streams.stream.0.codec_type=\"video\"\nstreams.stream.0.disposition.attached_pic=1\n":                                    "there is no video in it",
		"streams.stream.0.codec_type=\"video\"\nstreams.stream.0.r_frame_rate=\"0/0\"\nstreams.stream.0.avg_frame_rate=\"0/0\"\n": "its frame rate is not known",
	} {
		_, err := parseProbe(text)
		require.EqualError(t, err, want)
	}
	for version, old := range map[string]bool{"4.4": true, "n5.0.1": true, "5.1.9-0+deb12u1": false, "n7.1": false, "N-118193-g5f5a1b4": false, "2024-01-01-git": false} {
		require.Equal(t, old, isOld(version), version)
	}
}
