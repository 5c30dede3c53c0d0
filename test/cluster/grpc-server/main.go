// A gRPC server as many are: every call gets an empty message, and SIGTERM ends it by GracefulStop, without waiting for anything else.
package main

import (
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// So long that some calls are under way at any time.
const work = 3 * time.Millisecond

func answer(_ any, stream grpc.ServerStream) error {
	if err := stream.RecvMsg(&emptypb.Empty{}); err != nil {
		return err
	}
	time.Sleep(work)
	return stream.SendMsg(&emptypb.Empty{})
}

func main() {
	server := grpc.NewServer(grpc.UnknownServiceHandler(answer))
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	stopped := make(chan struct{})
	go func() {
		<-terminated
		server.GracefulStop()
		close(stopped)
	}()
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")))
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
	<-stopped
}
