package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/clockrate"
)

// writeSpeeds writes the report of corners bench.
func writeSpeeds(w io.Writer, format string, speeds []speed) error {
	switch format {
	case report.FormatCSV:
		return writeSpeedsCSV(w, speeds)
	case report.FormatJSON:
		return writeSpeedsJSON(w, speeds)
	}
	return writeSpeedsTable(w, speeds)
}

func writeSpeedsTable(w io.Writer, speeds []speed) error {
	if len(speeds) == 0 {
		return nil
	}
	fastest := 0.0
	for _, s := range speeds {
		fastest = max(fastest, s.Megapixels)
	}
	table := report.NewTable(w)
	perCycle := ""
	if clockrate.Known {
		perCycle = "PX/CYCLE\t"
	}
	fmt.Fprintf(table, "KERNEL\t   NS/PX\t  MPX/S\t%s SPEEDUP\t\n", perCycle)
	for _, s := range speeds {
		if clockrate.Known {
			perCycle = fmt.Sprintf("%8.3f\t", s.PerCycle)
		}
		fmt.Fprintf(table, "%s\t%8.4f\t%7.0f\t%s%8.2f\t%s\n",
			s.Kernel, s.NsPerPixel, s.Megapixels, perCycle, s.Speedup, drawBar(s.Megapixels/fastest))
	}
	s := speeds[0]
	fmt.Fprintf(table, "method %s, %s with %.2f million pixels, median of %s\n",
		s.Method, report.Count(s.Frames, "frame", "frames"), float64(s.Pixels)/1e6, report.Count(s.Rounds, "round", "rounds"))
	return table.Flush()
}

// writeShare writes a block of Markdown with the speeds, the machine and the versions.
func writeShare(w io.Writer, speeds []speed) error {
	if len(speeds) == 0 {
		return nil
	}
	name := cpu.Name()
	if name == runtime.GOARCH {
		name += " (which processor?)" // for whoever pastes the block
	}
	var features cpu.Set
	for _, set := range cpu.InstructionSets() {
		features |= set.Set
	}
	used := "no assembly"
	if features != 0 {
		used = fmt.Sprintf("used if there: %v", features)
	}
	fmt.Fprintf(w, "```\n%s\n%s, %d CPUs; %s\n\n", version(), report.Printable(name), runtime.NumCPU(), used)
	table := report.NewTable(w)
	fmt.Fprint(table, "METHOD\tKERNEL\t   NS/PX\t SPEEDUP\t\n")
	for _, s := range speeds {
		fmt.Fprintf(table, "%s\t%s\t%8.4f\t%8.2f\t\n", s.Method, s.Kernel, s.NsPerPixel, s.Speedup)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	s := speeds[0]
	_, err := fmt.Fprintf(w, "%s with %.2f million pixels, median of %s\n```\n", report.Count(s.Frames, "frame", "frames"), float64(s.Pixels)/1e6, report.Count(s.Rounds, "round", "rounds"))
	return err
}

// drawBar returns a bar of up to 30 block characters for a share from 0 to 1.
func drawBar(share float64) string {
	eighths := int(share*30*8 + 0.5)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string('█' + rune(8-rest)) // the blocks from 7/8 to 1/8 come next
	}
	return bar
}

func writeSpeedsCSV(w io.Writer, speeds []speed) error {
	c := report.NewCSV(w)
	c.Add(
		"method", "kernel", "frames", "pixels", "rounds",
		"ns_per_pixel", "megapixels_per_second", "pixels_per_cycle", "speedup",
	)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, s := range speeds {
		perCycle := ""
		if clockrate.Known {
			perCycle = number(s.PerCycle)
		}
		c.Add(
			s.Method, s.Kernel, strconv.Itoa(s.Frames), strconv.Itoa(s.Pixels), strconv.Itoa(s.Rounds),
			number(s.NsPerPixel), number(s.Megapixels), perCycle, number(s.Speedup),
		)
	}
	return c.Flush()
}

func writeSpeedsJSON(w io.Writer, speeds []speed) error {
	list := report.NewList(context.Background(), w)
	for _, s := range speeds {
		err := list.Add(func(o *report.Object) {
			o.Add("method", s.Method)
			o.Add("kernel", s.Kernel)
			o.Add("frames", s.Frames)
			o.Add("pixels", s.Pixels)
			o.Add("rounds", s.Rounds)
			o.Add("ns_per_pixel", s.NsPerPixel)
			o.Add("megapixels_per_second", s.Megapixels)
			if clockrate.Known {
				o.Add("pixels_per_cycle", s.PerCycle)
			}
			o.Add("speedup", s.Speedup)
		})
		if err != nil {
			return err
		}
	}
	return list.Close()
}
