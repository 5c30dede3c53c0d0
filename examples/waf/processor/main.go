// A web application firewall for ExtensionPolicies: Coraza with the OWASP Core Rule Set, as a processor of Envoy's ext_proc protocol.
//
//	waf [-listen ADDRESS] [-paranoia 1..4] [-rules FILE] [-trace]
package main

import (
	"context"
	"flag"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	processor "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

const (
	// More than the proxy sends of a body with what Gatewright allows by default; Coraza's own limit is 12.5 MiB.
	mostMessageBytes = 16 << 20
	// Each may hold a body.
	mostRequestsPerConnection = 1000
)

func main() {
	listen := flag.String("listen", ":9000", "address of the gRPC server")
	paranoia := flag.Int("paranoia", 1, "paranoia level of the Core Rule Set, 1 to 4: higher levels find more, also in harmless requests")
	rules := flag.String("rules", "", "file of directives that take the place of ours, such as with exclusions of your own")
	trace := flag.Bool("trace", false, "name the transaction in each answer (x-waf-transaction), and log its end")
	flag.Parse()
	logger := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	if err := run(*listen, *paranoia, *rules, *trace, logger); err != nil {
		logger.Error(err.Error())
		os.Exit(1)
	}
}

func run(listen string, paranoia int, rules string, trace bool, logger *slog.Logger) error {
	engine, err := newEngine(paranoia, rules, logger)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(mostMessageBytes), grpc.MaxConcurrentStreams(mostRequestsPerConnection))
	processor.RegisterExternalProcessorServer(server, &firewall{engine: engine, logger: logger, trace: trace})
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	context, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-context.Done()
		server.GracefulStop()
	}()
	logger.Info("listening", "address", listener.Addr().String())
	return server.Serve(listener)
}
