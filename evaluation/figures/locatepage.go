package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
)

// locateGoals are how many times as long as package locate OpenCV is to take, by template: for Response
// and Find with AVX2 and AVX-512, and for Response with a mask.
var locateGoals = map[string][5]float64{
	"8x8":     {9, 12, 9, 12, 20},
	"16x16":   {5, 9, 6, 10, 12},
	"32x32":   {2.5, 6, 7, 10, 7},
	"64x64":   {2.3, 4, 8, 11, 5},
	"128x128": {2.3, 3, 8, 11, 5},
	"300x200": {2, 2.5, 8, 11, 4},
}

// goalOf returns the goal of a template, as text.
func goalOf(template, quantity, set string) string {
	i := 0
	if quantity == inFind {
		i = 2
	}
	if set == "avx512" {
		i++
	}
	return fmt.Sprint(locateGoals[template][i])
}

// choose returns the records of a part, of a quantity and of who made it, in order, that also meet the
// conditions.
func (r *locateRun) choose(part, quantity, by string, more ...func(c *locateRecord) bool) (list []locateRecord) {
	for _, c := range r.records {
		if c.Part == part && c.Quantity == quantity && c.By == by && !slices.ContainsFunc(more, func(f func(*locateRecord) bool) bool { return !f(&c) }) {
			list = append(list, c)
		}
	}
	return list
}

// values returns the values of records.
func values(list []locateRecord) (numbers []float64) {
	for _, c := range list {
		numbers = append(numbers, c.Value)
	}
	return numbers
}

// speedups returns how many times as long OpenCV takes in each case.
func (r *locateRun) speedups(part, quantity, set string, more ...func(c *locateRecord) bool) (list []float64) {
	theirs := values(r.choose(part, inResponse, byOpenCV, more...))
	for i, v := range values(r.choose(part, quantity, set, more...)) {
		list = append(list, theirs[i]/v)
	}
	return list
}

func isPresent(c *locateRecord) bool { return c.Change != isAbsent }

// threeOf returns the median of numbers, the least and the largest one, as text.
func threeOf(list []float64) string {
	if len(list) == 0 {
		return "-"
	}
	return fmt.Sprintf("**%.1f** (%.1f, %.1f)", measure.Median(list), slices.Min(list), slices.Max(list))
}

// three returns a number with three digits.
func three(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// medianOf returns the median of the values of records as text, or - if there are none.
func medianOf(list []locateRecord) string {
	if len(list) == 0 {
		return "-"
	}
	return three(measure.Median(values(list)))
}

// page returns the page of all records.
func (r *locateRun) page() []byte {
	paragraphs := []string{r.aboutLocate()}
	for _, part := range []func() []string{r.mainTables, r.worstTable, r.maskedTables, r.otherTables, r.inexactTables} {
		paragraphs = append(paragraphs, part()...)
	}
	return r.session.page("Package locate and OpenCV side by side", measure.UsualClock(), paragraphs...)
}

// aboutLocate says what is measured, and on which commits.
func (r *locateRun) aboutLocate() string {
	commits := map[string][]string{}
	var order []string
	for _, c := range r.records {
		if !slices.Contains(order, c.Commit) {
			order = append(order, c.Commit)
		}
		if !slices.Contains(commits[c.Commit], c.Part) {
			commits[c.Commit] = append(commits[c.Commit], c.Part)
		}
	}
	text := "OpenCV is `matchTemplate` with TM_CCOEFF_NORMED and `minMaxLoc`, one thread. All take turns in one process, and a time is the median of " +
		"its rounds. Peers are those that Debian packages: " + peers.Versions() + "."
	if len(order) > 1 {
		text += " The parts were measured in several runs:"
		for _, commit := range order {
			text += fmt.Sprintf(" %s with commit %s;", strings.Join(commits[commit], ", "), commit)
		}
		text = strings.TrimSuffix(text, ";") + "."
	}
	return text + "\n\n" +
		"Pictures are of three sizes: a screen, made of windows with text, icons and photos, and a photo or, where none is as large, several. A template is cut out " +
		"of the picture (copy); or its pixels are multiplied by 0.85, 14 is added, and noise of up to 6 (changed); or the picture, but not the template, goes through JPEG of quality 75. " +
		"So there are 18 cases for each size of templates. The times of package locate include the copy of the picture in a Scene, and the Template. " +
		"In all cases the score of Find's place is the largest one of Response."
}

// rows returns a row for each template: its size, and cells, unless there are none.
func (r *locateRun) rows(cells func(template string) []string) (rows [][]string) {
	for _, size := range locateTemplates {
		name := nameOf(size)
		if c := cells(name); c != nil {
			rows = append(rows, append([]string{name}, c...))
		}
	}
	return rows
}

// mainTables returns the tables of the templates that are in the picture, or nearly.
func (r *locateRun) mainTables() []string {
	header, ms := []string{"template"}, []string{"template", "OpenCV"}
	for _, quantity := range []string{inResponse, inFind} {
		for _, set := range r.sets {
			header = append(header, quantity+" "+set.Name, "goal")
			ms = append(ms, quantity+" "+set.Name)
		}
	}
	ratios := r.rows(func(template string) (cells []string) {
		for _, quantity := range []string{inResponse, inFind} {
			for _, set := range r.sets {
				if list := r.speedups(template, quantity, set.Name, isPresent); len(list) > 0 {
					cells = append(cells, threeOf(list), goalOf(template, quantity, set.Name))
				}
			}
		}
		return cells
	})
	var tables []string
	for _, size := range r.sizes(locateSizes...) {
		of := func(c *locateRecord) bool { return isPresent(c) && c.Size == nameOf(size) }
		rows := r.rows(func(template string) (cells []string) {
			theirs := r.choose(template, inResponse, byOpenCV, of)
			if len(theirs) == 0 {
				return nil
			}
			cells = append(cells, medianOf(theirs))
			for _, quantity := range []string{inResponse, inFind} {
				for _, set := range r.sets {
					cells = append(cells, medianOf(r.choose(template, quantity, set.Name, of)))
				}
			}
			return cells
		})
		tables = append(tables, "Milliseconds in pictures of "+nameOf(size)+", the medians of six cases:", table(1, ms, rows))
	}
	absentHeader := []string{"template"}
	for _, picture := range []string{onScreen, onPhoto} {
		for _, set := range r.sets {
			absentHeader = append(absentHeader, picture+" "+set.Name, "ms")
		}
	}
	absent := r.rows(func(template string) (cells []string) {
		for _, picture := range []string{onScreen, onPhoto} {
			of := func(c *locateRecord) bool { return c.Change == isAbsent && c.Picture == picture }
			for _, set := range r.sets {
				if list := r.speedups(template, inFind, set.Name, of); len(list) > 0 {
					cells = append(cells, three(list[0]), medianOf(r.choose(template, inFind, set.Name, of)))
				}
			}
		}
		return cells
	})
	return append([]string{
		"## Response and Find",
		"How many times as long OpenCV takes, over the 18 cases: the median, and in parentheses the least and the largest. Goals are those that were set before the package was written.",
		table(1, header, ratios),
	}, append(tables, "Find of a template that is not in the picture, a part of another photo, in pictures of "+nameOf(r.sizes(fullHD)[0])+
		" with the default MinScore of 0.8: how many times as long OpenCV takes, and milliseconds.", table(1, absentHeader, absent))...)
}

// worstTable returns the table of the cases in which bounds exclude little.
func (r *locateRun) worstTable() []string {
	header := []string{"template", "picture", "template is", "OpenCV, ms"}
	for _, set := range r.sets {
		header = append(header, "Response "+set.Name, "Find "+set.Name, "Find / Response")
	}
	var rows [][]string
	theirs := r.choose("worst", inResponse, byOpenCV)
	for i, c := range theirs {
		row := []string{c.Template, c.Picture, c.Change, three(c.Value)}
		for _, set := range r.sets {
			response, find := r.choose("worst", inResponse, set.Name)[i].Value, r.choose("worst", inFind, set.Name)[i].Value
			row = append(row, three(response), three(find), fmt.Sprintf("%.2f", find/response))
		}
		rows = append(rows, row)
	}
	if rows == nil {
		return nil
	}
	return []string{
		"## Worst cases",
		"Pictures of " + theirs[0].Size + " in which bounds exclude few places: noise, a gray picture with noise of up to 2, and a part of a photo of bricks that repeats, with templates that are cut out; and a photo with a template " +
			"of noise, and one of its parts turned by 180°. Find has no MinScore. Find is to take up to 1.05 times as long as Response at 8x8, and 1.2 times for other templates.",
		table(3, header, rows),
	}
}

// maskedTables returns the tables of masks and of colors.
func (r *locateRun) maskedTables() (paragraphs []string) {
	for _, part := range []struct {
		name, heading, about string
		goal                 bool
	}{
		{"masked", "## Masks", "A template with a disc, or an ellipse, as mask, on a screen. Templates are made before.", true},
		{"masked color", "The same in color:", "", false},
		{"color", "## Color", "Templates in color, cut out of a screen, without masks. Templates are made before.", false},
	} {
		header := []string{"template", "picture", "OpenCV, ms"}
		for _, quantity := range []string{inResponse, inFind} {
			for _, set := range r.sets {
				header = append(header, quantity+" "+set.Name+", ms", "times as fast")
			}
		}
		if part.goal {
			header = append(header, "goal of Response")
		}
		var rows [][]string
		for i, c := range r.choose(part.name, inResponse, byOpenCV) {
			row := []string{c.Template, c.Size, three(c.Value)}
			for _, quantity := range []string{inResponse, inFind} {
				for _, set := range r.sets {
					ours := r.choose(part.name, quantity, set.Name)[i].Value
					row = append(row, three(ours), three(c.Value/ours))
				}
			}
			if part.goal {
				row = append(row, fmt.Sprint(locateGoals[c.Template][4]))
			}
			rows = append(rows, row)
		}
		if rows == nil {
			continue
		}
		paragraphs = append(paragraphs, part.heading)
		if part.about != "" {
			paragraphs = append(paragraphs, part.about)
		}
		paragraphs = append(paragraphs, table(2, header, rows))
	}
	return paragraphs
}

// otherTables returns the tables of regions, of several templates, of workers, and of portable Go.
func (r *locateRun) otherTables() (paragraphs []string) {
	header := []string{"region", "template", "OpenCV"}
	for _, set := range r.sets {
		header = append(header, "Find "+set.Name, "times as fast")
	}
	var rows [][]string
	for i, c := range r.choose("regions", inResponse, byOpenCV) {
		row := []string{c.Size, c.Template, three(1e3 * c.Value)}
		for _, set := range r.sets {
			ours := r.choose("regions", inFind, set.Name)[i].Value
			row = append(row, three(1e3*ours), three(c.Value/ours))
		}
		rows = append(rows, row)
	}
	if rows != nil {
		paragraphs = append(paragraphs, "## Regions", "Microseconds to find a template, which is made before, in a part of a screen, which is copied each time.", table(2, header, rows))
	}
	one := func(quantity, set string) float64 {
		if list := r.choose("scenes", quantity, set); len(list) > 0 {
			return list[0].Value
		}
		return 0
	}
	rows = nil
	for _, set := range r.sets {
		if ten := one("ten templates", set.Name); ten > 0 {
			rows = append(rows, []string{set.Name, three(one("one template", set.Name)), three(one("another template", set.Name)), three(ten)})
		}
	}
	if rows != nil {
		best := r.sets[0].Name
		paragraphs = append(paragraphs, "## Several templates, and workers",
			"Milliseconds of Find for templates of 64x64, which are made before, in a screen of "+nameOf(r.sizes(fullHD)[0])+": one template in a new picture; the same in a Scene that has been searched for templates of this size; ten templates in a new picture.",
			table(1, []string{"by", "one", "another one", "ten"}, rows),
			fmt.Sprintf("With %s, two workers take %s ms in place of %s for Find, %.2f times as fast, and %s in place of %s for Response, %.2f times.", best,
				three(one("Find, 2 workers", best)), three(one("Find, 1 workers", best)), one("Find, 1 workers", best)/one("Find, 2 workers", best),
				three(one("Response, 2 workers", best)), three(one("Response, 1 workers", best)), one("Response, 1 workers", best)/one("Response, 2 workers", best)))
	}
	rows = nil
	for i, c := range r.choose("portable", inResponse, byOpenCV) {
		response, find := r.choose("portable", inResponse, "portable")[i].Value, r.choose("portable", inFind, "portable")[i].Value
		rows = append(rows, []string{c.Template, three(c.Value), three(response), three(c.Value / response), three(find), three(c.Value / find)})
	}
	if rows != nil {
		paragraphs = append(paragraphs, "## Portable Go", "Milliseconds in a screen of "+r.choose("portable", inResponse, byOpenCV)[0].Size+", without assembly.",
			table(1, []string{"template", "OpenCV", "Response", "times as fast", "Find", "times as fast"}, rows))
	}
	return paragraphs
}

// inexactTables returns what OpenCV computes inexactly.
func (r *locateRun) inexactTables() []string {
	paragraphs := []string{
		"## Where OpenCV is inexact",
		"Package locate sums up in integers, and rounds three operations. OpenCV's sums of products are those of a transform in float32. " +
			"The largest difference between its responses and those of package locate, in each of the 18 cases: the median over the cases, and the largest. " +
			"Where its best place is another one, that scores less by what the last column has.",
	}
	paragraphs = append(paragraphs, table(1, []string{"template", "median", "largest", "other best places", "score less by up to"}, r.rows(func(template string) []string {
		list := values(r.choose(template, "largest error", byOpenCV, isPresent))
		if len(list) == 0 {
			return nil
		}
		less := values(r.choose(template, "score less than the best", byOpenCV, isPresent))
		most := "-"
		if len(less) > 0 {
			most = fmt.Sprintf("%.1g", slices.Max(less))
		}
		return []string{fmt.Sprintf("%.2g", measure.Median(list)), fmt.Sprintf("%.2g", slices.Max(list)), fmt.Sprint(len(less)), most}
	})))
	var lines []string
	for _, c := range r.records {
		if c.Part == "inexact" {
			lines = append(lines, fmt.Sprintf("- %s, %s in a screen of %s: %.3g", c.Quantity, c.Template, c.Size, c.Value))
		}
	}
	for i, c := range r.choose("masked", "not a number", byOpenCV) {
		infinite := r.choose("masked", "infinite", byOpenCV)[i].Value
		lines = append(lines, fmt.Sprintf("- With a mask, %s in a screen of %s: %.0f responses are not a number and %.0f infinite; the largest error of others is %.2g.",
			c.Template, c.Size, c.Value, infinite, r.choose("masked", "largest error", byOpenCV)[i].Value))
	}
	worst := map[string]float64{}
	var order []string
	for _, c := range r.choose("worst", "largest error", byOpenCV) {
		if worst[c.Picture] == 0 {
			order = append(order, c.Picture)
		}
		worst[c.Picture] = max(worst[c.Picture], c.Value)
	}
	for _, picture := range order {
		lines = append(lines, fmt.Sprintf("- The largest error among the worst cases, %s: %.2g.", picture, worst[picture]))
	}
	return append(paragraphs, strings.Join(lines, "\n"))
}
