package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/stretchr/testify/require"
)

// needFFmpeg skips a test without ffmpeg, unless CORNERS_TEST_FFMPEG says that there must be one.
func needFFmpeg(t *testing.T) {
	t.Helper()
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if _, err := exec.LookPath(name); err != nil && os.Getenv("CORNERS_TEST_FFMPEG") == "" {
			t.Skip(err)
		}
	}
}

// ffmpeg runs ffmpeg with arguments that are separated by spaces, or ffprobe.
func ffmpeg(t *testing.T, name, args string) string {
	t.Helper()
	text, err := exec.Command(name, strings.Fields("-v error "+args)...).CombinedOutput()
	require.NoError(t, err, "%s: %s", args, text)
	return string(text)
}

// known returns what ffprobe tells of the video of a file, but for its codec, the codec of the
// subtitles, and all of everything else in it.
func known(t *testing.T, file string) (video, subtitles, others string) {
	t.Helper()
	for line := range strings.SplitSeq(ffmpeg(t, "ffprobe", "-count_packets -show_entries stream=codec_name,codec_type,pix_fmt,color_range,color_space,color_transfer,color_primaries,"+
		"chroma_location,r_frame_rate,avg_frame_rate,sample_aspect_ratio,nb_read_packets:stream_tags=language:chapter=:chapter_tags=title:format_tags=title -of compact "+file), "\n") {
		codec, facts, _ := strings.Cut(line, "|codec_type=")
		kind, facts, _ := strings.Cut(facts, "|")
		switch kind {
		case "video":
			facts, _, _ = strings.Cut(facts, "|tag:language")
			video += facts
		case "subtitle":
			subtitles += codec
		case "data": // is how MP4 holds the chapters
		default:
			others += line + "\n"
		}
	}
	return video, subtitles, others
}

// sound returns a digest of the packets of sound.
func sound(t *testing.T, file string) string {
	t.Helper()
	return ffmpeg(t, "ffmpeg", "-i "+file+" -map 0:a -c copy -f streamhash -")
}

// clip makes a clip with sound, chapters and subtitles, whose video has options of its own.
func clip(t *testing.T, file, options string) {
	t.Helper()
	filetest.Write(t, "s.srt", []byte("1\n00:00:00,100 --> 00:00:00,300\nhello\n"))
	filetest.Write(t, "meta", []byte(";FFMETADATA1\ntitle=Mine\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=200\ntitle=one\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=200\nEND=400\ntitle=two\n"))
	ffmpeg(t, "ffmpeg", "-f lavfi -i testsrc2=s=128x96:r=30000/1001:d=0.4 -f lavfi -i sine=d=0.4 -i s.srt -i meta -map 0 -map 1 -map 2 -map_metadata 3 -map_chapters 3 "+
		"-preset ultrafast -c:a aac -metadata:s:a language=ita "+options+" "+file)
}

const colorful = "-vf setsar=4/3 -color_range tv -colorspace bt709 -color_trc bt709 -color_primaries bt709 "

// TestFFmpeg checks what a file keeps.
func TestFFmpeg(t *testing.T) {
	needFFmpeg(t)
	inTempDir(t)
	clip(t, "a.mp4", colorful+"-pix_fmt yuv420p -c:s mov_text")
	type out struct{ file, subtitles string }
	outs := map[string][]out{"a.mp4": {{"out.mp4", "mov_text"}}}
	if !testing.Short() {
		clip(t, "b.mkv", colorful+"-pix_fmt yuv420p10le -c:s subrip")
		clip(t, "c.mov", "-pix_fmt yuvj422p -c:v mjpeg -c:s mov_text")
		outs["a.mp4"] = append(outs["a.mp4"], out{"out.mkv", "subrip"})
		outs["b.mkv"] = []out{{"out.mov", "mov_text"}}
		outs["c.mov"] = []out{{"out.mkv", "subrip"}}
	}
	for in, outs := range outs {
		video, _, others := known(t, in)
		require.Regexp(t, `\|nb_read_packets=12$`, video)
		require.Contains(t, others, "|tag:title=two\n")
		if in == "c.mov" { // H.264 has the place of chroma in 4:2:0 only
			video = strings.Replace(video, "chroma_location=center", "chroma_location=left", 1)
		}
		heard := sound(t, in)
		for _, out := range outs {
			status, _, stderr := corners(t, "stabilize", in, out.file, "-f", "-radius", "3")
			require.Zero(t, status, stderr)
			require.Empty(t, stderr)
			newVideo, newSubtitles, newOthers := known(t, out.file)
			require.Equal(t, video, newVideo, "%s, %v", in, out)
			require.Equal(t, others, newOthers, "%s, %v", in, out)
			require.Equal(t, "stream|codec_name="+out.subtitles, newSubtitles, "%s, %v", in, out)
			require.Equal(t, heard, sound(t, out.file), "%s, %v", in, out)
		}
	}

	status, _, stderr := corners(t, "stabilize", "a.mp4", "b.y4m", "-encode", "-an")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "flag -encode is for a video that ffmpeg encodes, not for Y4M")
	if testing.Short() {
		return
	}

	// Ffmpeg's choice of the encoder, and of anything else, is not the last word.
	status, _, stderr = corners(t, "stabilize", "a.mp4", "small.mp4", "-encode", "-c:v mpeg4 -vf scale=64:-2")
	require.Zero(t, status, stderr)
	require.Equal(t, "mpeg4,64\n", ffmpeg(t, "ffprobe", "-select_streams v -show_entries stream=codec_name,width -of csv=p=0 small.mp4"))
}

// TestFFmpegOdd checks that an encoder that takes no odd sides fails with what helps.
func TestFFmpegOdd(t *testing.T) {
	needFFmpeg(t)
	inTempDir(t)
	odd := strings.Replace(string(shakyStream(t, 3, "420jpeg", 6)), "W160 H120", "W159 H119", 1)
	line, rest, _ := strings.Cut(odd, "\n")
	odd = line + "\n"
	for range 3 {
		frame, pix, _ := strings.Cut(rest, "\n")
		odd += frame + "\n" + pix[:159*119+2*80*60]
		rest = pix[160*120*6/4:]
	}
	filetest.Write(t, "a.y4m", []byte(odd))
	status, _, stderr := corners(t, "stabilize", "a.y4m", "b.mp4")
	require.Equal(t, 1, status)
	const advice = `; it may take only even sides: try -encode "-crf 18 -vf crop=158:118"` + "\n"
	require.Regexp(t, `^corners: b\.mp4: ffmpeg: width not divisible by 2 \(159x119\).*`+advice+`$`, stderr)
	require.Equal(t, []string{"a.y4m"}, filetest.List(t))
	status, _, stderr = corners(t, "stabilize", "a.y4m", "b.mp4", "-encode", "-crf 18 -vf crop=158:118")
	require.Zero(t, status, stderr)
	require.Equal(t, "158,118,3\n", ffmpeg(t, "ffprobe", "-select_streams v -count_packets -show_entries stream=width,height,nb_read_packets -of csv=p=0 b.mp4"))

	// It is not said of other errors, or where the sides are even, and what is asked for stays.
	_, _, stderr = corners(t, "stabilize", "a.y4m", "c.mp4", "-encode", "-c:v nothing")
	require.NotContains(t, stderr, "even")
	filetest.Write(t, "even.y4m", shakyStream(t, 3, "420jpeg", 6))
	_, _, stderr = corners(t, "stabilize", "even.y4m", "c.mp4", "-encode", "-c:v libx264 -vf scale=99:99")
	require.Contains(t, stderr, "width not divisible by 2")
	require.NotContains(t, stderr, "even")
	_, _, stderr = corners(t, "stabilize", "a.y4m", "c.mp4", "-encode", "-crf 20")
	require.Contains(t, stderr, `try -encode "-crf 20 -vf crop=158:118"`)
}

// TestFFmpegTimes checks videos that are turned, that begin late, and whose rate varies.
func TestFFmpegTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	needFFmpeg(t)
	inTempDir(t)
	clip(t, "a.mp4", "-pix_fmt yuv420p -c:s mov_text")
	ffmpeg(t, "ffmpeg", "-i a.mp4 -c copy -metadata:s:v rotate=90 turned.mp4")
	ffmpeg(t, "ffmpeg", "-itsoffset 0.5 -i a.mp4 -i a.mp4 -map 0:v -map 1:a -c copy late.mp4")
	ffmpeg(t, "ffmpeg", "-i a.mp4 -vf select=not(eq(mod(n\\,5)\\,3)) -vsync vfr -preset ultrafast varies.mp4")
	for in, c := range map[string][2]string{
		"turned.mp4": {"96,128,0.000000,12\n", ""},
		"late.mp4":   {"128,96,0.500000,12\n", ""},
		"varies.mp4": {"", "corners: varies.mp4: the time between its frames varies: they become "},
	} {
		status, _, stderr := corners(t, "stabilize", in, "out.mp4", "-f", "-radius", "3")
		require.Zero(t, status, stderr)
		require.Contains(t, stderr, c[1])
		if c[0] != "" {
			require.Empty(t, stderr)
			require.Equal(t, c[0], ffmpeg(t, "ffprobe", "-select_streams v -count_packets -show_entries stream=width,height,start_time,nb_read_packets:stream_side_data=rotation -of csv=p=0 out.mp4"))
		}
	}

	// Files that state no rate are those of which it is not seen without the times. 30 frames take 2 s,
	// and 30 more half a second. Packets of VP8 have frames that are not shown, too.
	ffmpeg(t, "ffmpeg", "-f lavfi -i testsrc2=s=128x96:r=30 -frames:v 60 -vf setpts='if(lt(N,30),N/15/TB,(2+(N-30)/60)/TB)' -vsync vfr -enc_time_base 1/1000 -c:v libvpx varies.webm")
	ffmpeg(t, "ffmpeg", "-i varies.webm -vsync vfr -enc_time_base 1/1000 -c:v libx264 -preset ultrafast varies.mkv")
	ffmpeg(t, "ffmpeg", "-i varies.webm -vsync vfr -enc_time_base 1/1000 -c:v libx264 -preset ultrafast varies.ts")
	ffmpeg(t, "ffmpeg", "-f lavfi -i testsrc2=s=128x96:r=30 -frames:v 60 -c:v libvpx -auto-alt-ref 1 -lag-in-frames 25 hidden.webm")
	for in, varies := range map[string]bool{"varies.webm": true, "varies.mkv": true, "varies.ts": true, "hidden.webm": false} {
		// Corners are followed in the frames that there are.
		status, stdout, stderr := corners(t, "track", in, "-no-picture")
		require.Zero(t, status)
		require.Empty(t, stderr)
		require.Equal(t, 1+60, strings.Count(stdout, "\n"), "with the titles")
		status, stdout, stderr = corners(t, "stabilize", in, "out.mkv", "-f", "-radius", "3")
		require.Zero(t, status, stderr)
		if varies {
			require.Regexp(t, "^corners: "+in+": the time between its frames varies: they become 23.[89][0-9]? a second, some twice or not at all\n$", stderr)
			require.Regexp(t, "^wrote (59|60|61) frames: ", stdout)
		} else {
			require.Empty(t, stderr)
			require.Contains(t, stdout, "wrote 60 frames: ")
		}
	}
}

// TestFFmpegTag draws the markers of a clip into another one, which keeps what stabilized ones keep.
func TestFFmpegTag(t *testing.T) {
	needFFmpeg(t)
	inTempDir(t)
	filetest.Write(t, "a.y4m", stream(markerFrames(5)))
	ffmpeg(t, "ffmpeg", "-i a.y4m -f lavfi -i sine=d=0.2 -preset ultrafast -crf 10 -pix_fmt yuv420p -c:a aac a.mp4")
	status, stdout, stderr := corners(t, "tag", "a.mp4", "-o", "b.mp4", "-format", "csv", "-encode", "-preset ultrafast")
	require.Zero(t, status)
	require.Equal(t, "wrote b.mp4\n", stderr)
	require.Regexp(t, `^frame,time,.*\n0,0,tag36h11,7,.*\n2,0.08,tag36h11,7,.*\n4,0.16,tag36h11,7,.*\n$`, stdout)
	require.Equal(t, sound(t, "a.mp4"), sound(t, "b.mp4"))
	require.Equal(t, "240,160,25/1,5\n", ffmpeg(t, "ffprobe", "-select_streams v -count_packets -show_entries stream=width,height,avg_frame_rate,nb_read_packets -of csv=p=0 b.mp4"))
	ffmpeg(t, "ffmpeg", "-i b.mp4 -frames:v 1 b.png")
	r, g, b, _ := filetest.ReadPNG(t, "b.png").At(16, 26).RGBA() // the dot at the first corner
	require.NotEqual(t, [2]uint32{r >> 12, r >> 12}, [2]uint32{g >> 12, b >> 12})

	status, _, stderr = corners(t, "tag", "a.mp4", "-o", "a.mp4", "-f")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: a.mp4: this video is read, and never overwritten\n", stderr)
	filetest.Write(t, "text.txt", []byte("no video\n"))
	status, _, stderr = corners(t, "tag", "text.txt")
	require.Equal(t, 1, status)
	require.Regexp(t, "^corners: text.txt: .*Invalid data", stderr)
}
