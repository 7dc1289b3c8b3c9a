package files

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/png"
	"slices"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/stretchr/testify/require"
)

// Pictures have a valid chunk that tells who has drawn them, and no others are mistaken.
func TestMark(t *testing.T) {
	t.Chdir(t.TempDir())
	img := filetest.Square(40, 30)
	file := filetest.Encode(t, encodePNG, img)
	filetest.Write(t, "drawn.png", file)
	require.Equal(t, img, filetest.ReadPNG(t, "drawn.png"))
	require.True(t, isDrawn("drawn.png"))

	var kinds []string
	for rest := file[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		require.Equal(t, crc32.ChecksumIEEE(rest[4:8+n]), binary.BigEndian.Uint32(rest[8+n:]))
		kinds = append(kinds, kind)
		if kind == "tEXt" {
			require.Equal(t, "Software\x00corners (github.com/fastcorners/fast)", string(data))
		}
		rest = rest[12+n:]
	}
	require.Equal(t, []string{"IHDR", "tEXt", "IDAT", "IEND"}, kinds)

	other := bytes.Replace(file, []byte("(github"), []byte("(gitlab"), 1)
	for name, data := range map[string][]byte{
		"other.png": filetest.Encode(t, png.Encode, img), "empty.png": nil, "cut.png": file[:60], "else.png": other, "jpeg.png": append([]byte{0xff}, file[1:]...),
	} {
		filetest.Write(t, name, data)
		require.False(t, isDrawn(name), name)
	}
	require.False(t, isDrawn("."))
	require.False(t, isDrawn("missing.png"))

	// However the encoder writes.
	plain := slices.Concat(file[:headSize], file[headSize+len(mark):])
	for size := 1; size < 100; size++ {
		var out bytes.Buffer
		m := &marker{w: &out, head: headSize}
		for chunk := range slices.Chunk(plain, size) {
			n, err := m.Write(chunk)
			require.NoError(t, err)
			require.Equal(t, len(chunk), n)
		}
		require.Equal(t, file, out.Bytes())
	}
}
