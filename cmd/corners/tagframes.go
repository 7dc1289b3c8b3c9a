package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/cmd/corners/internal/video"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/y4m"
)

// checkVideo returns an error that names the first flag that makes no sense for a video, or without
// one. It sets draw, since a video is drawn only into a file that is named.
func (cfg *tagConfig) checkVideo(isVideo bool) error {
	if isVideo {
		cfg.draw = cfg.flags.IsGiven("o")
	}
	switch {
	case isVideo && cfg.flags.IsGiven("jobs"):
		return errors.New("flag -jobs is for images, and not for the frames of a video")
	case isVideo && cfg.draw && (files.IsDir(cfg.path) || files.IsPNG(cfg.path) || filepath.Ext(cfg.path) == ""):
		return fmt.Errorf("invalid value %q for flag -o: want the name of a video, such as out.mp4 or out.y4m", cfg.path)
	case cfg.encode != "" && !(isVideo && cfg.draw && video.IsEncoded(cfg.path)):
		return errors.New("flag -encode is for a video (-o) that ffmpeg encodes")
	}
	return nil
}

// tagVideo finds markers in the frames of a video.
func tagVideo(p *program, cfg *tagConfig) error {
	name := cfg.args[0]
	bytes := cfg.method.Memory()
	if cfg.draw {
		if err := compareOutputs(name, []videoOutput{{"flag -o: ", "the video", cfg.path}}, p.reader.Stdin(), p.console.Stream()); err != nil {
			return err
		}
		bytes += video.DrawBytes
	}
	use := video.Use{Even: true, Command: "corners tag -", Writing: "corners tag -o OUT.y4m IN"}
	source, err := openVideo(p, name, use, func(size image.Point) (cli.ByteSize, error) {
		part, _, err := cfg.region(&image.Gray{Rect: image.Rectangle{Max: size}})
		if err == nil {
			err = cfg.fits(size)
		}
		if err != nil {
			return 0, err
		}
		return cli.Memory(size, bytes) + cli.ByteSize(cfg.method.Lists(part, true)), nil
	})
	if err != nil {
		return err
	}
	defer source.close()
	var marked *markedVideo
	if cfg.draw {
		if marked, err = createMarked(p, cfg, source.source); err != nil {
			return err
		}
		p.life.Drains.Store(true)
	}
	lines := newFrameReport(p.life.Late, p.console.Stdout, cfg)
	frames := 0
	var ended error
	for {
		var f *y4m.Frame
		if f, ended = source.await(p.life.Early); ended != nil {
			break
		}
		gray, _, err := cfg.region(f.Gray())
		if err != nil {
			return err
		}
		found := cfg.method.Find(gray, nil)
		if marked != nil {
			if err := marked.add(f, found); err != nil {
				return err
			}
		}
		var seconds any // unknown
		if rate := source.source.Header().Rate(); rate > 0 {
			seconds = rounded(float64(frames)/rate, 1e6)
		}
		if err := lines.add(frames, seconds, found); err != nil {
			return err
		}
		p.console.SayFrame(frames, source.source.Frames)
		p.console.Left = fmt.Sprintf("the report ends with frame %d", frames)
		frames++
	}
	// What came before a frame that cannot be read counts.
	if ended != io.EOF {
		p.console.Fail(ended)
	}
	if !p.life.Interrupted() {
		p.console.Left = ""
	}
	p.console.EndProgress()
	if marked == nil || frames == 0 && ended != io.EOF {
		return nil
	}
	if err := marked.finish(); err != nil {
		return err
	}
	return p.console.SayWritten(cfg.format, []string{cfg.path})
}

// A markedVideo is a video with the markers that are found in another one.
type markedVideo struct {
	header y4m.Header
	sink   *files.Sink
	writer *y4m.Writer // from the first frame on
}

// createMarked creates the video that the command line asks for.
func createMarked(p *program, cfg *tagConfig, in *video.Source) (*markedVideo, error) {
	out := files.Outputs{Drafts: p.drafts, Stdout: p.console.Stdout, Force: cfg.force}
	sink, err := p.ffmpeg.Create(&out, cfg.path, in, cfg.encode)
	return &markedVideo{header: in.Header(), sink: sink}, err
}

// add draws what has been found in a frame, and writes it.
func (m *markedVideo) add(f *y4m.Frame, found method.Finding) error {
	if err := m.begin(); err != nil {
		return err
	}
	if found.Count > 0 {
		video.Draw(f, found.Draw)
	}
	return m.writer.Write(f)
}

// begin writes what comes before the first frame.
func (m *markedVideo) begin() (err error) {
	if m.writer == nil {
		m.writer, err = y4m.NewWriter(m.sink, m.header)
	}
	return err
}

// finish completes the video.
func (m *markedVideo) finish() error {
	if err := m.begin(); err != nil { // of a video without frames
		return err
	}
	return m.sink.Finish()
}

// A frameReport writes what is found in frames, each as soon as it is done.
type frameReport struct {
	ctx    context.Context // ends lists early
	w      io.Writer
	csv    report.CSV
	format string
	method.Info
	begun bool
}

func newFrameReport(ctx context.Context, w io.Writer, cfg *tagConfig) *frameReport {
	return &frameReport{ctx: ctx, w: w, csv: report.NewCSV(w), format: cfg.format, Info: cfg.Info}
}

// add writes a frame, with the seconds since the first one, or nil if they are not known.
func (r *frameReport) add(number int, seconds any, found method.Finding) error {
	first := !r.begun
	r.begun = true
	switch r.format {
	case report.FormatCSV:
		return r.addCSV(first, number, seconds, found)
	case report.FormatJSON:
		return report.WriteObject(r.ctx, r.w, func(o *report.Object) {
			o.Add("frame", number)
			o.Add("time", seconds)
			o.List(r.Things, found.Count, func(i int, o *report.Object) {
				for column, v := range found.Record(i) {
					o.Add(r.Columns[column], v)
				}
			})
		})
	}
	var text strings.Builder
	if first {
		writeCells(&text, "FRAME", "TIME", r.Titles)
	}
	shown := "-"
	if seconds != nil {
		shown = fmt.Sprintf("%.3f", seconds)
	}
	for _, row := range found.Rows {
		writeCells(&text, fmt.Sprint(number), shown, report.Texts(row))
	}
	_, err := io.WriteString(r.w, text.String())
	return err
}

// writeCells writes a line of a table whose widths cannot wait for the last one. The first of the
// cells may be the name of a family.
func writeCells(text *strings.Builder, number, seconds string, cells []string) {
	fmt.Fprintf(text, "%-8s%-10s%-16s", number, seconds, cells[0])
	last := len(cells) - 1
	for _, cell := range cells[1:last] {
		fmt.Fprintf(text, "%-10s", cell)
	}
	fmt.Fprintln(text, cells[last])
}

func (r *frameReport) addCSV(first bool, number int, seconds any, found method.Finding) error {
	if first {
		r.csv.Add(append([]string{"frame", "time"}, r.Columns...)...)
	}
	for i := range found.Count {
		r.csv.Add(report.Texts(append([]any{number, seconds}, found.Record(i)...))...)
		if err := r.ctx.Err(); err != nil {
			r.csv.Flush()
			return err
		}
	}
	return r.csv.Flush()
}
