package batch

import (
	"fmt"
	"strconv"
	"strings"
)

// A DeadLimit is the largest number of dead letters with which a job still replaces earlier
// results: a number, as in "100", or a percentage of its rows, as in "5%". If it is empty, there is
// no limit. It is a flag.Value.
type DeadLimit string

func (l DeadLimit) String() string { return string(l) }

// Set accepts a number, or a percentage from 0% to 100%.
func (l *DeadLimit) Set(text string) error {
	if _, err := DeadLimit(text).of(1); err != nil {
		return err
	}
	*l = DeadLimit(text)
	return nil
}

// of returns how many of the given number of rows may be dead letters.
func (l DeadLimit) of(rows int64) (int64, error) {
	if l == "" {
		return rows, nil
	}
	if share, ok := strings.CutSuffix(string(l), "%"); ok {
		v, err := strconv.ParseFloat(share, 64)
		if err != nil || !(v >= 0 && v <= 100) { // NaN is not
			return 0, fmt.Errorf("%q is not a share: want 0%% to 100%%", string(l))
		}
		return int64(v * float64(rows) / 100), nil
	}
	v, err := strconv.ParseInt(string(l), 10, 64)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("%q is not a limit: want a number, or a share such as 5%%", string(l))
	}
	return v, nil
}
