package video

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
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
		{"30000/1001", "30000/1001", "0.033367", "30000/1001", false, 1001. / 30000, 0}, // rounded up, one frame later
		{"30000/1001", "30000/1001", "0.033366", "30000/1001", false, 1001. / 30000, 1001./30000 - 0.033366},
		{"25/1", "25/1", "0.0401", "25/1", false, 0.08, 0.0399},
	} {
		p, err := parseProbe("streams.stream.0.codec_type=\"video\"\nstreams.stream.0.r_frame_rate=\"" + c.real + "\"\nstreams.stream.0.avg_frame_rate=\"" + c.mean +
			"\"\nstreams.stream.0.start_time=\"" + c.begin + "\"\nstreams.stream.0.tags.title=\"a\\\\n\\n\\\"b\\\"\\$=\"\nformat.duration=\"12.0\"\n" +
			"program_version.version=\"4.4.2-0ubuntu\"\n")
		require.NoError(t, err)
		require.NoError(t, p.findRate(nil))
		p.findBegin()
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
		p, err := parseProbe(text)
		if err == nil {
			err = p.findRate(nil)
		}
		require.EqualError(t, err, want)
	}
	for version, old := range map[string]bool{"4.4": true, "n5.0.1": true, "5.1.9-0+deb12u1": false, "n7.1": false, "N-118193-g5f5a1b4": false, "2024-01-01-git": false} {
		require.Equal(t, old, isOld(version), version)
	}
}

// TestFieldOrder checks that all orders of fields are refused, and only these.
func TestFieldOrder(t *testing.T) {
	for order, interlaced := range map[string]bool{"tt": true, "bb": true, "tb": true, "bt": true, "progressive": false, "unknown": false, "": false} {
		_, err := parseProbe("streams.stream.0.codec_type=\"video\"\nstreams.stream.0.field_order=\"" + order + "\"\n")
		if interlaced {
			require.EqualError(t, err, "the video is interlaced ("+order+"): deinterlace it before, as with ffmpeg -vf yadif")
		} else {
			require.NoError(t, err, order)
		}
	}
}

// TestTimes checks which packets have frames that are shown, and when.
func TestTimes(t *testing.T) {
	for text, want := range map[string][]int64{
		"0,K_\n40,__\n20,__\n60,__\n":  {0, 20, 40, 60},
		"-20,KD\n0,K_\n20,__\n20,__\n": {0, 20},
		"126000,K_,\n129600,__,\n":     {126000, 129600},
		"N/A,K_\nN/A,__\n":             nil,
		"0,K_\nN/A,__\n":               nil,
		"":                             nil,
	} {
		times, err := parseTimes(strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, want, times, text)
	}
}

// TestRates checks which rate frames have, whatever ffprobe says of it.
func TestRates(t *testing.T) {
	at := func(n int, second func(i int) float64) []int64 { // in milliseconds
		var times []int64
		for i := range n {
			times = append(times, int64(math.Round(1000*second(i))))
		}
		return times
	}
	even := func(rate float64) func(i int) float64 {
		return func(i int) float64 { return 7 + float64(i)/rate }
	}
	for name, c := range map[string]struct {
		real, mean string
		times      []int64
		rate       string
		varies     bool
	}{
		"even":                    {"30/1", "30/1", at(300, even(30)), "30/1", false},
		"of film":                 {"24000/1001", "24000/1001", at(5000, even(24000./1001)), "24000/1001", false},
		"fast":                    {"240/1", "240/1", at(1000, even(240)), "240/1", false},
		"a tick in place of it":   {"1000/1", "25/1", at(300, even(25)), "25/1", false},
		"no mean":                 {"25/1", "0/0", at(300, even(25)), "25/1", false},
		"a little slower":         {"30/1", "30/1", at(3000, even(29.98)), "29980/1000", true},
		"slower, and said so":     {"30/1", "2998/100", at(3000, even(29.98)), "2998/100", false},
		"jitter":                  {"30/1", "30/1", at(300, func(i int) float64 { return (float64(i) + 0.2*float64(i%2)) / 30 }), "30/1", false},
		"from slow to fast":       {"30/1", "30/1", at(90, func(i int) float64 { return min(float64(i)/15, 3+float64(i-45)/60) }), "23841/1000", true},
		"a frame that is missing": {"30/1", "30/1", at(60, func(i int) float64 { return float64(i+i/30) / 30 }), "29500/1000", true},
		"every fifth is missing":  {"30/1", "24/1", at(96, func(i int) float64 { return float64(i+(i+1)/4) / 30 }), "23948/1000", true},
		"one an hour":             {"1/1", "1/1", at(9, even(1./3600)), "278/1000000", true},
	} {
		p := &probe{video: map[string]string{"r_frame_rate": c.real, "avg_frame_rate": c.mean, "time_base": "1/1000", "nb_frames": "9999"}}
		require.NoError(t, p.findRate(c.times))
		require.Equal(t, c.varies, p.varies, name)
		require.Equal(t, c.rate, p.rate, name)
		require.Equal(t, len(c.times), p.frames)
	}
}

// TestColors checks that ffmpeg is told what is known of colors, and nothing else.
func TestColors(t *testing.T) {
	p := &probe{video: map[string]string{
		"pix_fmt": "yuv420p", "color_range": "tv", "color_space": "bt709", "color_transfer": "reserved", "color_primaries": "unknown", "chroma_location": "left",
	}}
	require.Equal(t, []string{"-color_range", "tv", "-colorspace", "bt709", "-chroma_sample_location", "left"}, p.colors())
	p.video = map[string]string{"pix_fmt": "gbrp", "color_range": "pc", "color_space": "gbr", "color_transfer": "iec61966-2-1", "color_primaries": "reserved"}
	require.Equal(t, []string{"-color_range", "tv", "-colorspace", "bt709", "-color_trc", "iec61966-2-1", "-chroma_sample_location", "unspecified"}, p.colors())
}

// TestKeep checks which streams files can hold, by their extensions.
func TestKeep(t *testing.T) {
	p := &probe{
		video: map[string]string{"index": "0"},
		streams: []map[string]string{
			{"index": "0", "codec_type": "video"},
			{"index": "1", "codec_type": "audio", "codec_name": "aac"},
			{"index": "2", "codec_type": "audio", "codec_name": "vorbis"},
			{"index": "3", "codec_type": "subtitle", "codec_name": "subrip"},
			{"index": "4", "codec_type": "attachment", "codec_name": "ttf"},
			{"index": "5", "codec_type": "data"},
		},
	}
	const mp4 = "-map 1:1 -c:a:0 copy -map 1:2 -map 1:3 -c:s:0 mov_text"
	for ext, want := range map[string]struct {
		args  string
		notes int
	}{
		".mp4":  {mp4, 3},
		".m4v":  {mp4, 3},
		".mkv":  {"-map 1:1 -c:a:0 copy -map 1:2 -c:a:1 copy -map 1:3 -c:s:0 copy -map 1:4 -c:t:0 copy", 1},
		".webm": {"-map 1:1 -map 1:2 -c:a:1 copy -map 1:3 -c:s:0 webvtt", 3},
		".xyz":  {"-map 1:1 -c:a:0 copy -map 1:2 -c:a:1 copy", 3},
	} {
		notes := 0
		f := FFmpeg{Note: func(string, string, ...any) { notes++ }}
		require.Equal(t, want.args, strings.Join(f.keep("in", ext, p), " "), ext)
		require.Equal(t, want.notes, notes, ext)
	}
	for ext, tags := range map[string]bool{".mp4": true, ".mov": true, ".m4v": true, ".mkv": false} {
		in := &Source{Input: files.Input{Name: "in"}, probe: &probe{video: map[string]string{}, format: map[string]string{"tags.com_apple_quicktime_make": "x"}}}
		f := new(FFmpeg)
		require.Equal(t, tags, slices.Contains(f.encodeArgs(in, "out"+ext, "", "draft"), "use_metadata_tags"), ext)
	}
}
