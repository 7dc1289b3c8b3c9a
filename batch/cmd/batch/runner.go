package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
)

// isDryRun reports whether the job is only to be printed, by the one runner that does so.
func isDryRun() bool {
	return flag.Lookup("dry_run").Value.String() == "true"
}

// checkRunner returns an error if flags are for another runner.
func checkRunner() error {
	if isDryRun() && !strings.HasPrefix(*runners.Runner, "dataflow") && *runners.Runner != "DataflowRunner" {
		return errors.New("flag -dry_run is for -runner dataflow")
	}
	return nil
}

// answerTime is how long a runner may take to answer at first.
const answerTime = 10 * time.Second

// reachRunner returns an error if nobody answers at the address of the runner. Beam would wait for
// two minutes.
func reachRunner(ctx context.Context) error {
	endpoint := *jobopts.Endpoint
	if endpoint == "" || strings.Contains(endpoint, "://") || strings.HasPrefix(endpoint, "unix:") {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return fmt.Errorf("the runner cannot be reached: %w", err)
	}
	conn.Close()
	client, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("the runner cannot be reached: %w", err)
	}
	defer client.Close()
	client.Connect()
	for state := client.GetState(); state != connectivity.Ready; state = client.GetState() {
		if !client.WaitForStateChange(ctx, state) {
			return fmt.Errorf("the runner at %s does not answer", endpoint)
		}
	}
	return nil
}

// worksHere reports whether the workers of a pipeline are in this process.
func worksHere() bool {
	return isPrism() && *jobopts.Endpoint == "" || jobopts.IsLoopback()
}
