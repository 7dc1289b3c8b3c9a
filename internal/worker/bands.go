package worker

// workerPixels is how many pixels an image has for each worker at least. To wake another
// processor can take 0.1 ms.
const workerPixels = 1 << 17

// Count returns how many of the workers that are asked for share an image of w by h
// pixels, one at least.
func Count(asked, w, h int) int {
	return int(max(min(int64(asked), int64(w)*int64(h)/workerPixels), 1))
}

// Rows returns how many of n rows a worker takes at a time, a multiple of align: all of
// them if there is one worker. Several get several bands each, so that nobody waits long for
// the last ones, but none lower than least, so that the rows around a band cost little.
func Rows(n, workers, least, align int) int {
	if workers > 1 {
		n = max(n/(4*workers), least)
	}
	return (n + align - 1) / align * align
}
