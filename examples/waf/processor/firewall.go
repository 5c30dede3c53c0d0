package main

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/corazawaf/coraza/v3"
	filter "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	processor "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type firewall struct {
	processor.UnimplementedExternalProcessorServer
	engine coraza.WAF
	logger *slog.Logger
	trace  bool
}

// Process looks at one request and its answer: the proxy opens a stream for each. A stream that ends with an error closes its request alone.
func (f *firewall) Process(stream processor.ExternalProcessor_ProcessServer) (failure error) {
	defer func() {
		if broken := recover(); broken != nil {
			f.logger.Error("a rule failed", "error", fmt.Sprint(broken), "stack", string(debug.Stack()))
			failure = status.Error(codes.Internal, "a rule failed")
		}
	}()
	exchange := newExchange(f.engine.NewTransaction(), f.trace)
	defer f.end(exchange)
	for {
		message, err := stream.Recv()
		if err != nil {
			return nil // The proxy has ended the stream: the exchange is over.
		}
		answer, err := exchange.answer(message)
		if err != nil {
			return status.Error(codes.Internal, err.Error())
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

func (f *firewall) end(exchange *exchange) {
	exchange.tx.ProcessLogging()
	if err := exchange.tx.Close(); err != nil {
		f.logger.Error("a transaction left something behind", "error", err.Error())
	}
	if f.trace {
		f.logger.Info("end", "transaction", exchange.tx.ID())
	}
}

// Which bodies the proxy will send, as its first message says.
type bodies struct {
	request, response filter.ProcessingMode_BodySendMode
}
