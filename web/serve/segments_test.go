package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJoinSegments(t *testing.T) {
	const head = "\x00asm\x01\x00\x00\x00" + "\x00\x03\x01xy" // with a custom section before the data
	// data returns a program with segments in its section of data: each is an instruction with the
	// address, the length and the bytes.
	data := func(count byte, segments ...string) []byte {
		content := string(count) + strings.Join(segments, "")
		return []byte(head + "\x0b" + string(rune(len(content))) + content + "\x00\x01\x00")
	}
	for _, test := range []struct {
		name      string
		got, want []byte
	}{
		{"none", data(0), data(0)},
		{"one", data(1, "\x00\x41\x05\x0b\x02ab"), data(1, "\x00\x41\x05\x0b\x02ab")},
		{
			"side by side, and three bytes apart",
			data(3, "\x00\x41\x05\x0b\x02ab", "\x00\x41\x07\x0b\x01c", "\x00\x41\x0b\x0b\x01d"),
			data(1, "\x00\x41\x05\x0b\x07abc\x00\x00\x00d"),
		},
		{
			// 0x3f and 0x40 are 63 and 64: the second one needs two bytes, since it is signed.
			"64 bytes apart, and 65",
			data(3, "\x00\x41\x00\x0b\x01a", "\x00\x41\xc1\x00\x0b\x01b", "\x00\x41\x83\x01\x0b\x01c"),
			data(2, "\x00\x41\x00\x0b\x42a"+strings.Repeat("\x00", 64)+"b", "\x00\x41\x83\x01\x0b\x01c"),
		},
		{"a number with the bit of the sign", data(1, "\x00\x41\xc0\x00\x0b\x01a"), data(1, "\x00\x41\xc0\x00\x0b\x01a")},
		{
			"segments that overlap",
			data(2, "\x00\x41\x05\x0b\x02ab", "\x00\x41\x06\x0b\x01c"),
			data(2, "\x00\x41\x05\x0b\x02ab", "\x00\x41\x06\x0b\x01c"),
		},
	} {
		got, err := joinSegments(test.got)
		require.NoError(t, err, test.name)
		require.Equal(t, test.want, got, test.name)
	}

	whole := data(2, "\x00\x41\x05\x0b\x02ab", "\x00\x41\xc0\x00\x0b\x01c")
	for n := range whole {
		if n != len(head) && n != len(head)-5 && n != len(whole)-3 { // where a section ends
			_, err := joinSegments(whole[:n])
			require.Error(t, err, "%d bytes", n)
		}
	}
	for _, bad := range [][]byte{
		data(1, "\x01\x02ab"),                                 // not active
		data(1, "\x00\x23\x05\x0b\x02ab"),                     // the address of a global
		data(1, "\x00\x41\x05\x6a\x02ab"),                     // more than a number
		data(1, "\x00\x41\x05\x0b\x03ab"),                     // too short
		data(1, "\x00\x41\x05\x0b\x01ab"),                     // too long
		data(2, "\x00\x41\x05\x0b\x02ab"),                     // one is missing
		data(0, "\x00"),                                       // there are none
		[]byte("\x00asm\x01\x00\x00\x00\x0b\x00"),             // no number of them
		[]byte("\x00asm\x01\x00\x00\x00\x0b\xff\xff\xff"),     // no size
		[]byte("\x00asm\x01\x00\x00\x00\x0b\x03\x01\x00\x41"), // no address
	} {
		_, err := joinSegments(bad)
		require.ErrorIs(t, err, errSegments)
	}
}
