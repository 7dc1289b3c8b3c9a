package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestName(t *testing.T) {
	require.NotEmpty(t, Name())
	t.Log(Name())
}
