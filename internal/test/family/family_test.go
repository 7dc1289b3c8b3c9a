package family_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/orb/compact"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/vpi"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// A member is a type of the family that a function makes of options.
type member struct {
	name    string // as users write it
	create  any    // the function
	zeroRun bool   // the zero value works
}

var family = []member{
	{"fast.Detector", fast.New, true},
	{"harris.Detector", harris.New, false},
	{"harris.Refiner", harris.NewRefiner, false},
	{"lococo.Detector", lococo.New, false},
	{"vpi.Detector", vpi.New, false},
	{"orb.Extractor", orb.New, false},
	{"compact.Extractor", compact.New, false},
	{"sift.Extractor", sift.New, false},
	{"locate.Locator", locate.New, false},
	{"match.Matcher[github.com/fastcorners/fast/match.Descriptor]", match.New[match.Descriptor], false},
	{"match.Matcher[github.com/fastcorners/fast/match.Descriptor32]", match.New[match.Descriptor32], false},
	{"match.Matcher[github.com/fastcorners/fast/match.Vector]", match.New[match.Vector], false},
	{"match.Matcher[uint8]", match.New[byte], false},
	{"match.Matcher[uint64]", match.New[uint64], false},
	{"flow.Tracker", flow.New, false},
	{"geometry.Estimator", geometry.New, false},
	{"pose.Estimator", pose.New, false},
	{"pose.Refiner", pose.NewRefiner, false},
	{"register.Registrar", register.New, false},
	{"stabilize.Stabilizer", stabilize.New, false},
	{"tag.Detector", tag.New, false},
	{"calibrate.Finder", calibrate.NewFinder, false},
	{"calibrate.Calibrator", calibrate.New, false},
	{"warp.Warper", warp.New, false},
	{"warp.Resizer", warp.NewResizer, false},
}

// pkg returns the package of a member.
func (m *member) pkg() string {
	return m.name[:strings.IndexByte(m.name, '.')]
}

// options returns the type of the options of a member.
func (m *member) options() reflect.Type {
	return reflect.TypeOf(m.create).In(0)
}

// make returns what the function makes of options.
func (m *member) make(options reflect.Value) (reflect.Value, error) {
	out := reflect.ValueOf(m.create).Call([]reflect.Value{options})
	err, _ := out[1].Interface().(error)
	return out[0], err
}

// TestFamilyConstructors checks that members are named after what their functions make, and that
// the zero options are good.
func TestFamilyConstructors(t *testing.T) {
	for _, m := range family {
		f := reflect.TypeOf(m.create)
		require.Equal(t, "func("+m.options().String()+") (*"+m.name+", error)", f.String())
		made, err := m.make(reflect.Zero(m.options()))
		require.NoError(t, err, m.name)
		require.False(t, made.IsNil(), m.name)
	}
}

// panicOf returns the text of f's panic.
func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// call calls a method with zero arguments, and returns the text of its panic.
func call(v reflect.Value, method reflect.Method) string {
	args := []reflect.Value{v}
	for i := 1; i < method.Type.NumIn(); i++ {
		args = append(args, reflect.Zero(method.Type.In(i)))
	}
	return panicOf(func() { method.Func.Call(args) })
}

// TestFamilyPanics checks what becomes of values that no constructor has made, and of nil
// images.
func TestFamilyPanics(t *testing.T) {
	images := []reflect.Type{reflect.TypeFor[*image.Gray](), reflect.TypeFor[image.Image]()}
	for _, m := range family {
		made, err := m.make(reflect.Zero(m.options()))
		require.NoError(t, err)
		typ := made.Type()
		withImages := 0
		for k := range typ.NumMethod() {
			method := typ.Method(k)
			what := m.name + "." + method.Name
			zero := reflect.New(typ.Elem())
			takesImage := method.Type.NumIn() > 1 && slices.ContainsFunc(images, func(i reflect.Type) bool {
				for k := 1; k < method.Type.NumIn(); k++ {
					if method.Type.In(k) == i {
						return true
					}
				}
				return false
			})
			if takesImage {
				withImages++
				require.Equal(t, m.pkg()+": nil image", call(made, method), what)
			}
			if !m.zeroRun {
				_, typeName, _ := strings.Cut(m.name, ".")
				typeName, _, _ = strings.Cut(typeName, "[")
				maker := "New"
				if slices.Contains([]string{"Finder", "Refiner", "Resizer"}, typeName) {
					maker = "New" + typeName
				}
				require.Equal(t, m.pkg()+": "+typeName+" not made by "+maker, call(zero, method), what)
			}
		}
		if m.pkg() != "match" && m.pkg() != "geometry" && m.pkg() != "locate" && m.pkg() != "pose" && m.name != "harris.Refiner" && m.name != "calibrate.Calibrator" { // Refine is no method
			require.NotZero(t, withImages, m.name)
		}
	}
}

// TestFamilyErrors checks that the error for an option names the package, the field, its
// value and what it may be, in every package and for every field that can be wrong.
func TestFamilyErrors(t *testing.T) {
	form := regexp.MustCompile(`^(\w+): (\w+\.\w+) is \S.*, not \S.*$`)
	for _, m := range family {
		refused := 0
		typ := m.options()
		for i := range typ.NumField() {
			field := typ.Field(i)
			options := reflect.New(typ).Elem()
			for _, value := range []any{math.MinInt, math.MaxInt, math.NaN(), math.Inf(1), uint8(255)} {
				v := reflect.ValueOf(value)
				if kindOf(v.Kind()) != kindOf(field.Type.Kind()) || field.Type == reflect.TypeFor[uint8]() {
					continue
				}
				options.Field(i).Set(v.Convert(field.Type))
				_, err := m.make(options)
				if err == nil {
					continue
				}
				refused++
				parts := form.FindStringSubmatch(err.Error())
				require.NotNil(t, parts, err)
				require.Equal(t, m.pkg(), parts[1], err)
				require.Equal(t, typ.Name()+"."+field.Name, parts[2], err)
				var e *option.Error
				require.True(t, errors.As(err, &e), err)
			}
		}
		if m.pkg() != "register" { // whose options are those of others
			require.NotZero(t, refused, m.name)
		}
	}
}

// kindOf returns a kind of numbers regardless of their size.
func kindOf(k reflect.Kind) reflect.Kind {
	if k == reflect.Float32 {
		return reflect.Float64
	}
	return k
}

// TestFamilyNames checks the text forms of every enumeration that options have.
func TestFamilyNames(t *testing.T) {
	var checked []string
	for _, m := range family {
		for _, field := range reflect.VisibleFields(m.options()) {
			if field.Type.Kind() != reflect.Uint8 || field.Type == reflect.TypeFor[uint8]() {
				continue
			}
			name := field.Type.String()
			if slices.Contains(checked, name) {
				continue
			}
			checked = append(checked, name)
			pkg, typeName, _ := strings.Cut(name, ".")
			known := 0
			for i := range 256 {
				v := reflect.New(field.Type)
				v.Elem().SetUint(uint64(i))
				text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
				if err != nil {
					require.EqualError(t, err, fmt.Sprintf("%s: unknown %s %d", pkg, typeName, i))
					require.Equal(t, fmt.Sprintf("%s(%d)", typeName, i), fmt.Sprint(v.Elem().Interface()))
					continue
				}
				known++
				require.Equal(t, i, known-1, "%s has values without names", name)
				require.Equal(t, string(text), fmt.Sprint(v.Elem().Interface()))
				require.Regexp(t, `^[a-z0-9]+([-,][a-z0-9]+)*$`, string(text)) // a set has several, with commas
				read := reflect.New(field.Type)
				require.NoError(t, read.Interface().(encoding.TextUnmarshaler).UnmarshalText(text))
				require.Equal(t, v.Elem().Interface(), read.Elem().Interface())
				quoted, err := json.Marshal(v.Elem().Interface())
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf("%q", text), string(quoted))
			}
			require.Greater(t, known, 1, name)
			for _, unknown := range []string{"", "unknown", strings.ToUpper(fmt.Sprint(reflect.Zero(field.Type)))} {
				err := reflect.New(field.Type).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(unknown))
				require.ErrorContains(t, err, fmt.Sprintf("%s: unknown %s %q, not one of ", pkg, typeName, unknown))
			}
		}
	}
	require.Equal(t, []string{"fast.Kernel", "harris.Measure", "harris.Gradient", "border.Mode", "orb.ScoreType", "locate.Similarity", "geometry.Kind", "camera.Model", "calibrate.Fixed", "warp.Interpolation"}, checked)
}

// TestFamilyMeasure checks that a Measure means the same to both packages that take it, and
// that each has a default of its own.
func TestFamilyMeasure(t *testing.T) {
	require.Equal(t, reflect.TypeFor[harris.Measure](), reflect.TypeOf(lococo.Options{}.Measure))
	require.NotZero(t, harris.MinEigenvalue)
	img := imagetest.Photo(t, "camera_512x512")
	of := func(m harris.Measure) (h, l []float32) {
		d, err := harris.New(harris.Options{Measure: m})
		require.NoError(t, err)
		e, err := lococo.New(lococo.Options{Measure: m})
		require.NoError(t, err)
		return d.Response(img), e.Response(img)
	}
	h, l := of(0)
	minH, minL := of(harris.MinEigenvalue)
	harrisH, harrisL := of(harris.Harris)
	require.Equal(t, minH, h)
	require.Equal(t, harrisL, l)
	require.NotEqual(t, minL, harrisL)
	require.NotEqual(t, minH, harrisH)
	// The smaller eigenvalue of no tensor is negative; Harris' response of an edge is.
	require.Negative(t, slices.Min(harrisL))
	require.GreaterOrEqual(t, slices.Min(minL), float32(-1e-6))
}

// TestFamilyOptions checks that all tell their options, with numbers for what stands for them,
// and that those make another one of the same options.
func TestFamilyOptions(t *testing.T) {
	tell := func(m member, options any) any {
		made, err := m.make(reflect.ValueOf(options))
		require.NoError(t, err)
		told := made.MethodByName("Options").Call(nil)[0].Interface()
		again, err := m.make(reflect.ValueOf(told))
		require.NoError(t, err)
		require.Equal(t, told, again.MethodByName("Options").Call(nil)[0].Interface())
		return told
	}
	kernel := new(fast.Detector).Options().Kernel
	require.NotEqual(t, fast.Auto, kernel)
	defaults := map[string]any{
		"fast.Detector":     fast.Options{ArcLength: 10, Kernel: kernel, Workers: 1},
		"harris.Detector":   harris.Options{Measure: harris.MinEigenvalue, K: 0.04, GradientSigma: 1, GradientRadius: 3, BlockSize: 3, Border: border.Reflect101, Quality: 0.01, SuppressionRadius: 1, Workers: 1},
		"harris.Refiner":    harris.RefinerOptions{WindowRadius: 5, Iterations: 40, Epsilon: 0.001},
		"lococo.Detector":   lococo.Options{KernelSizes: []int{9}, Measure: harris.Harris, K: 0.04, Quality: 0.01, SuppressionRadius: 4, Workers: 1},
		"vpi.Detector":      vpi.Options{CircleRadius: 3, ArcLength: 9, Threshold: 10, Border: border.Limited, Workers: 1},
		"orb.Extractor":     orb.Options{Features: 500, ScaleFactor: 1.2, Levels: 8, EdgeThreshold: 31, PointsPerBit: 2, PatchSize: 31, FASTThreshold: 20, Workers: 1},
		"compact.Extractor": compact.Options{FASTThreshold: 20, Features: 128},
		"sift.Extractor":    sift.Options{Layers: 3, Contrast: 0.04, Edge: 10, Sigma: 1.6, Workers: 1},
		"locate.Locator":    locate.Options{MinScore: 0.8, Overlap: 0.25, Workers: 1},

		"match.Matcher[github.com/fastcorners/fast/match.Descriptor]":   match.Options{MaxDistance: 256, Workers: 1},
		"match.Matcher[github.com/fastcorners/fast/match.Descriptor32]": match.Options{MaxDistance: 32, Workers: 1},
		"match.Matcher[github.com/fastcorners/fast/match.Vector]":       match.Options{MaxDistance: 255 * 255 * 128, Workers: 1},
		"match.Matcher[uint8]":  match.Options{Length: 64, MaxDistance: 512, Workers: 1},
		"match.Matcher[uint64]": match.Options{Length: 64, MaxDistance: 512, Workers: 1},

		"flow.Tracker": flow.Options{Window: image.Pt(21, 21), Levels: 4, Iterations: 30, Epsilon: 0.01, MinEigenvalue: 1e-4, Workers: 1},

		"geometry.Estimator": geometry.Options{Kind: geometry.Homography, InlierThreshold: 3, Confidence: 0.999, MaxSamples: 20000, MinInliers: 8},

		"pose.Estimator": pose.Options{InlierThreshold: 2, Confidence: 0.999},
		"pose.Refiner":   pose.RefinerOptions{HuberThreshold: 1, Iterations: 20, Epsilon: 0.001},

		"register.Registrar": register.Options{
			ORB:      orb.Options{Features: 1000, ScaleFactor: 1.2, Levels: 8, EdgeThreshold: 31, PointsPerBit: 2, PatchSize: 31, FASTThreshold: 20, Workers: 1},
			Match:    match.Options{CrossCheck: true, MaxDistance: 256, Workers: 1},
			Geometry: geometry.Options{Kind: geometry.Homography, InlierThreshold: 3, Confidence: 0.999, MaxSamples: 20000, MinInliers: 8},
		},
		"stabilize.Stabilizer": stabilize.Options{Kind: geometry.Affine, Points: 500, Interval: 10, SmoothingRadius: 30, Zoom: 1.1, MaxZoom: 1.1, Workers: 1},
		"tag.Detector":         tag.Options{Families: []tag.Family{{Kind: tag.Tag36h11, Border: 1}}, MinContrast: 16, Samples: 800, Workers: 1},
		"calibrate.Finder":     calibrate.FinderOptions{MinCorners: 20, Threshold: 40, Levels: 3, Workers: 1},
		"calibrate.Calibrator": calibrate.Options{Distortion: 5, MaxFocalError: 0.01, Iterations: 200, Workers: 1},
		"warp.Warper":          warp.Options{Interpolation: warp.Linear, Border: border.Constant, Workers: 1},
		"warp.Resizer":         warp.ResizerOptions{Workers: 1},
	}
	for _, m := range family {
		require.Equal(t, defaults[m.name], tell(m, reflect.Zero(m.options()).Interface()), m.name)
		if workers := reflect.New(m.options()).Elem(); workers.FieldByName("Workers").IsValid() {
			workers.FieldByName("Workers").SetInt(-1)
			told := reflect.ValueOf(tell(m, workers.Interface()))
			require.Equal(t, int64(runtime.GOMAXPROCS(0)), told.FieldByName("Workers").Int(), m.name)
		}
	}
	require.Equal(t, fast.Options{ArcLength: 10, Kernel: kernel, Workers: 1}, new(fast.Detector).Options())

	h, err := harris.New(harris.Options{K: -1, Quality: -1, WindowSigma: 1.5})
	require.NoError(t, err)
	require.Zero(t, h.Options().K)
	require.Zero(t, h.Options().Quality)
	require.Equal(t, 5, h.Options().WindowRadius)
	kernels := []int{9, 5}
	l, err := lococo.New(lococo.Options{KernelSizes: kernels, MinResponse: -1})
	require.NoError(t, err)
	l.Options().KernelSizes[0] = 7
	require.Equal(t, lococo.Options{KernelSizes: kernels, Measure: harris.Harris, K: 0.04, MinResponse: -1, SuppressionRadius: 4, Workers: 1}, l.Options())
	v, err := vpi.New(vpi.Options{CircleRadius: 2, Threshold: -3})
	require.NoError(t, err)
	require.Equal(t, vpi.Options{CircleRadius: 2, ArcLength: 7, Border: border.Limited, Workers: 1}, v.Options())
	m, err := match.New[match.Descriptor](match.Options{MaxDistance: -1})
	require.NoError(t, err)
	require.Zero(t, m.Options().MaxDistance)
}

// TestFamilyPoints checks what all corners, keypoints, tracks and points have: of those that lie
// between pixels, Pt is the nearest pixel.
func TestFamilyPoints(t *testing.T) {
	strong := []point.Strong{
		fast.Corner{X: 3, Y: -4, Score: 200},
		harris.Corner{X: 3, Y: -4, Response: 200},
		lococo.Corner{X: 3, Y: -4, DX: 0.25, DY: -0.25, Response: 200},
		vpi.Corner{X: 3, Y: -4, Score: 200},
		locate.Match{X: 3, Y: -4, DX: 0.25, DY: -0.25, Score: 200},
		point.Keypoint{X: 3.25, Y: -4.25, Response: 200},
	}
	var all []point.Positioned
	for _, p := range strong {
		require.Equal(t, float32(200), p.Strength(), "%T", p)
		all = append(all, p)
	}
	all = append(all, flow.Point{X: 3.25, Y: -4.25}, flow.Track{X: 3.25, Y: -4.25}, geometry.Point{X: 3.25, Y: -4.25})
	for _, p := range all {
		require.Equal(t, image.Pt(3, -4), p.Pt(), "%T", p)
		type position struct{ X, Y float32 }
		var got position
		got.X, got.Y = p.Position()
		want := position{3.25, -4.25}
		switch p.(type) {
		case fast.Corner, harris.Corner, vpi.Corner:
			want = position{3, -4}
		}
		require.Equal(t, want, got, "%T", p)
	}
	for _, p := range []point.Positioned{
		point.Keypoint{X: 2.5, Y: -2.5}, flow.Point{X: 2.5, Y: -2.5}, flow.Track{X: 2.5, Y: -2.5}, geometry.Point{X: 2.5, Y: -2.5},
	} {
		require.Equal(t, image.Pt(3, -2), p.Pt(), "%T", p)
	}
	nan, far := float32(math.NaN()), float32(1<<32)
	for _, p := range []point.Positioned{
		point.Keypoint{X: nan, Y: far}, flow.Point{X: nan, Y: far}, flow.Track{X: nan, Y: far}, geometry.Point{X: math.NaN(), Y: 1 << 32},
	} {
		require.Equal(t, image.Pt(math.MaxInt32, math.MaxInt32), p.Pt(), "%T", p)
	}
}
