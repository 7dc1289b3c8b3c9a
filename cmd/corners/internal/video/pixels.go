package video

import (
	"slices"
	"strings"
)

// y4mPixels returns the format of pixels that Y4M can have for those of a video.
func y4mPixels(format string) string {
	switch format {
	case "yuvj420p", "yuvj422p", "yuvj444p":
		return format
	}
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(format, p) })
	}
	pixels := "yuv444p"
	switch {
	case has("gray", "mono") || strings.HasPrefix(format, "ya"):
		pixels = "gray"
	case has("411", "410"):
		return "yuv411p"
	case has("420", "nv12", "nv21", "p010", "p012", "p016"):
		pixels = "yuv420p"
	case has("422", "nv16", "nv20", "p210", "p212", "p216"):
		pixels = "yuv422p"
	}
	deep, ok := strings.CutSuffix(format, "le")
	if !ok {
		if deep, ok = strings.CutSuffix(format, "be"); !ok {
			return pixels
		}
	}
	bits := strings.TrimLeft(deep[len(strings.TrimRight(deep, "0123456789")):], "0")
	if !holds("9 10 12 14", bits) || pixels+bits == "gray14" {
		bits = "16"
	}
	return pixels + bits + "le"
}

// isRGB reports whether the pixels of the video are red, green and blue.
func (p *probe) isRGB() bool {
	f := p.video["pix_fmt"]
	return slices.ContainsFunc([]string{"rgb", "bgr", "gbr", "pal8"}, func(part string) bool { return strings.Contains(f, part) })
}

// colors returns the options of ffmpeg that tell what Y4M does not.
func (p *probe) colors() []string {
	v := p.video
	if p.isRGB() { // see decode
		v = map[string]string{"color_range": "tv", "color_space": "bt709", "color_transfer": v["color_transfer"], "color_primaries": v["color_primaries"]}
	}
	var args []string
	for _, c := range [][2]string{
		{"-color_range", "color_range"}, {"-colorspace", "color_space"}, {"-color_trc", "color_transfer"}, {"-color_primaries", "color_primaries"},
	} {
		if value := v[c[1]]; value != "" && value != "unknown" && value != "reserved" {
			args = append(args, c[0], value)
		}
	}
	place := v["chroma_location"]
	if place == "" {
		place = "unspecified"
	}
	return append(args, "-chroma_sample_location", place)
}
