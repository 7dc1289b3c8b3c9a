package batch
import (
	"testing"
	"context"
	"os"
	"path/filepath"
	"fmt"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/stretchr/testify/require"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/match"
)
func TestMain(m *testing.M) { ptest.Main(m) }
func TestX(t *testing.T) {
	dir := t.TempDir()
	p, s := beam.NewPipelineWithRoot()
	require.NoError(t, FeaturesJob{Layout: Layout{dir+"/f", 4, 2}, Input: "../testdata/photos/*.png", Memory: 1<<30, ORB: &orb.Options{}}.Build(context.Background(), s))
	require.NoError(t, ptest.Run(p))
	text, _ := os.ReadFile(filepath.Join(dir, "f", "manifest.json"))
	fmt.Println(string(text))
	p, s = beam.NewPipelineWithRoot()
	require.NoError(t, MatchesJob{Layout: Layout{dir+"/m", 4, 2}, Features: dir+"/f", Options: match.Options{CrossCheck:true}}.Build(context.Background(), s))
	require.NoError(t, ptest.Run(p))
	text, _ = os.ReadFile(filepath.Join(dir, "m", "manifest.json"))
	fmt.Println(string(text))
	os.WriteFile(dir+"/p.csv", []byte("../testdata/photos/brick_512x512.png,../testdata/photos/grass_512x512.png\n../testdata/photos/brick_512x512.png,b\n"), 0o666)
	p, s = beam.NewPipelineWithRoot()
	require.NoError(t, MatchesJob{Layout: Layout{dir+"/m", 4, 2}, Features: dir+"/f", Pairs: dir+"/p.csv", Options: match.Options{CrossCheck:true}}.Build(context.Background(), s))
	require.NoError(t, ptest.Run(p))
	text, _ = os.ReadFile(filepath.Join(dir, "m", "manifest.json"))
	fmt.Println(string(text))
}
