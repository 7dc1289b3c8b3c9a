package method

import (
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// A Camera is the flag for a camera: its numbers, or the name of a file that package camera reads.
type Camera camera.Info

// wantCamera is what the flag may be.
const wantCamera = "want 4 to 9 numbers with commas between them: fx,fy,cx,cy,k1,k2,p1,p2,k3, or the name of a file"

func (c *Camera) String() string { return "" }

func (c *Camera) Set(text string) error {
	if !strings.Contains(text, ",") {
		return c.read(text)
	}
	*c = Camera{}
	fields := []*float64{&c.Fx, &c.Fy, &c.Cx, &c.Cy, &c.K1, &c.K2, &c.P1, &c.P2, &c.K3}
	texts := strings.Split(text, ",")
	if len(texts) < 4 || len(texts) > len(fields) {
		return errors.New(wantCamera)
	}
	for i, text := range texts {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return errors.New(wantCamera)
		}
		*fields[i] = v
	}
	if !(c.Fx > 0 && c.Fy > 0) {
		return errors.New("want focal lengths, the first two numbers, of more than 0")
	}
	return nil
}

// read reads a file.
func (c *Camera) read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%w; %s", report.Reason(err), wantCamera)
	}
	defer f.Close()
	info, err := camera.ReadInfo(f)
	*c = Camera(info)
	return err
}

// CheckSize returns an error if the camera takes images of another size.
func (c *Camera) CheckSize(size image.Point) error {
	if want := image.Pt(c.Width, c.Height); want != (image.Point{}) && want != size {
		return fmt.Errorf("%d by %d pixels, but the file of -camera is for images of %d by %d", size.X, size.Y, want.X, want.Y)
	}
	return nil
}
