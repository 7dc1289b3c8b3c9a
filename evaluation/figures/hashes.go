package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// elsewhereFile has what was computed on machines that are not at hand.
const elsewhereFile = "hashes-elsewhere.txt"

// A group is a line that the program hashes prints.
type group struct {
	name    string
	results int
	hash    string
}

// parseGroups returns the lines.
func parseGroups(out string) ([]group, error) {
	var list []group
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("hashes printed %q", line)
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("hashes printed %q", line)
		}
		list = append(list, group{fields[0], n, fields[2]})
	}
	return list, nil
}

// parseElsewhere returns the platforms and the groups that a program printed, after lines with
// the names of the platforms.
func parseElsewhere(out string) (list []platform, computed []computation, err error) {
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "\t") {
			list = append(list, platform{name: strings.TrimSpace(line)})
			computed = append(computed, computation{})
			continue
		}
		groups, err := parseGroups(line)
		if err != nil {
			return nil, nil, err
		}
		if len(computed) == 0 {
			return nil, nil, fmt.Errorf("no platform before %q", line)
		}
		last := &computed[len(computed)-1]
		last.groups = append(last.groups, groups...)
	}
	return list, computed, nil
}

// different returns how many of the results are in groups that are not those of the first
// list, by their hashes.
func different(want, got []group) (results, different int) {
	for _, g := range got {
		results += g.results
		if !slices.Contains(want, g) {
			different += g.results
		}
	}
	return results, different
}

// elsewhere returns what other machines computed, and the group of pairs of sets, which GPUs have.
// It fails if something is not what this machine computes: either they are wrong, or their
// program was another one.
func (c *computer) elsewhere(want []group) (list []platform, computed []computation, pairs []group, err error) {
	text, err := os.ReadFile(filepath.Join(c.s.root, "evaluation", "results", elsewhereFile))
	if err != nil {
		return nil, nil, nil, err
	}
	if list, computed, err = parseElsewhere(string(text)); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", elsewhereFile, err)
	}
	here := platform{build: build{env: []string{"GOARCH=" + runtime.GOARCH}}}
	out, err := c.run(here, "-photos", filepath.Join(c.s.root, "testdata", "photos"), "-pairs")
	if err != nil {
		return nil, nil, nil, err
	}
	if pairs, err = parseGroups(out); err != nil {
		return nil, nil, nil, err
	}
	want = slices.Concat(want, pairs)
	for i, p := range list {
		if _, diff := different(want, computed[i].groups); diff > 0 {
			return nil, nil, nil, fmt.Errorf("%s: %s has %d other results: make them again, or leave them out", elsewhereFile, p.name, diff)
		}
	}
	return list, computed, pairs, nil
}

// hashes compares what all packages compute on many platforms.
func hashes(s *session) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "hashes")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := &computer{s: s, dir: dir, built: map[string]string{}}
	list, err := c.native()
	if err != nil {
		return nil, err
	}
	if !s.quick {
		others, err := c.foreign()
		if err != nil {
			return nil, err
		}
		list = append(list, others...)
	}
	s.steps(len(list))
	want, err := c.compute(list[0])
	if err != nil {
		return nil, err
	}
	s.step()
	computed := []computation{{groups: want}}
	machines := ""
	if s.quick {
		computed = append(computed, c.computeAll(list[1:])...)
	} else {
		// They come first, for if they are wrong, the others need not be computed.
		others, there, pairs, err := c.elsewhere(want)
		if err != nil {
			return nil, err
		}
		computed = slices.Concat(computed, c.computeAll(list[1:]), there)
		list, want = append(list, others...), append(want, pairs...)
		machines = " The last rows are from other machines, by the programs `hashes` of this module and, for GPUs, of the module [gpu](../../gpu), " +
			"which find the matches of pairs of sets."
	}
	var rows [][]string
	total, wrong, missing := 0, 0, 0
	for i, p := range list {
		if err := computed[i].err; err != nil {
			missing++
			rows = append(rows, []string{p.name, "not run: " + err.Error(), ""})
		} else {
			results, diff := different(want, computed[i].groups)
			total, wrong = total+results, wrong+diff
			rows = append(rows, []string{p.name, thousands(results), thousands(diff)})
		}
	}
	if wrong > 0 {
		return nil, fmt.Errorf("%d results differ:\n%s", wrong, table(1, platformHeader, rows))
	}
	results, _ := different(want, computed[0].groups)
	paragraphs := []string{
		fmt.Sprintf("Each platform computes the same %s results of all packages, of the photos in `testdata` and of images that were "+
			"made up. All bits count. What the first one, which is portable Go, computes is what the others must. "+
			"Block kernels find FAST-10 corners alone. "+
			"**%d different of %s on %d platforms.** %s", thousands(results), wrong, thousands(total), len(list)-missing, unavailable(missing)+machines),
		table(1, platformHeader, rows),
		"What is computed, and the first 16 digits of its SHA-256 hash:",
		table(1, []string{"results", "number", "hash"}, groupRows(want)),
		"The module [gpu](../../gpu) has tests that compare matches on emulated devices everywhere, and [figures](../../gpu/results/nvidia-h200.md) " +
			"of an NVIDIA H200, where all matches of the pairs of sets compared were those of package match.",
		"Which results are those of OpenCV, too, is [told by version](versions.md).",
	}
	return map[string][]byte{"hashes.md": s.stamp.markdown("One answer everywhere", 0, paragraphs...)}, nil
}

var platformHeader = []string{"platform", "results", "different"}

// unavailable says that platforms could not be compared.
func unavailable(n int) string {
	if n == 0 {
		return "Every one could be run."
	}
	return fmt.Sprintf("%d could not be run on this machine.", n)
}

// groupRows returns the rows of a table.
func groupRows(list []group) [][]string {
	var rows [][]string
	for _, g := range list {
		rows = append(rows, []string{g.name, thousands(g.results), "`" + g.hash + "`"})
	}
	return rows
}

// thousands returns n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return cmp.Or(s, "0")
}
