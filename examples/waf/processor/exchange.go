package main

import (
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/corazawaf/coraza/v3/types"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	filter "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	processor "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/protobuf/types/known/structpb"
)

// A request and its answer.
type exchange struct {
	tx       types.Transaction
	trace    bool
	bodies   bodies
	protocol string
	// Headers of a request whose body is still to come: the rules see both at once, since only the body says how long it is.
	held []*core.HeaderValue
}

func newExchange(tx types.Transaction, trace bool) *exchange {
	return &exchange{tx: tx, trace: trace, protocol: "HTTP/1.1"}
}

// What the proxy is to do with what it has sent.
func (e *exchange) answer(message *processor.ProcessingRequest) (*processor.ProcessingResponse, error) {
	if config := message.GetProtocolConfig(); config != nil {
		e.bodies = bodies{config.GetRequestBodyMode(), config.GetResponseBodyMode()}
	}
	switch part := message.GetRequest().(type) {
	case *processor.ProcessingRequest_RequestHeaders:
		e.connection(message.GetAttributes())
		stop, err := e.requestHeaders(part.RequestHeaders)
		return e.verdict(stop, err, &processor.ProcessingResponse{
			Response: &processor.ProcessingResponse_RequestHeaders{RequestHeaders: &processor.HeadersResponse{}},
		})
	case *processor.ProcessingRequest_RequestBody:
		stop, err := e.requestBody(part.RequestBody)
		return e.verdict(stop, err, &processor.ProcessingResponse{
			Response: &processor.ProcessingResponse_RequestBody{RequestBody: &processor.BodyResponse{}},
		})
	case *processor.ProcessingRequest_ResponseHeaders:
		stop, err := e.responseHeaders(part.ResponseHeaders)
		return e.verdict(stop, err, &processor.ProcessingResponse{
			Response: &processor.ProcessingResponse_ResponseHeaders{ResponseHeaders: e.traced()},
		})
	case *processor.ProcessingRequest_ResponseBody:
		stop, err := e.responseBody(part.ResponseBody)
		return e.verdict(stop, err, &processor.ProcessingResponse{
			Response: &processor.ProcessingResponse_ResponseBody{ResponseBody: &processor.BodyResponse{}},
		})
	case *processor.ProcessingRequest_RequestTrailers:
		return &processor.ProcessingResponse{
			Response: &processor.ProcessingResponse_RequestTrailers{RequestTrailers: &processor.TrailersResponse{}},
		}, nil
	case *processor.ProcessingRequest_ResponseTrailers:
		return &processor.ProcessingResponse{
			Response: &processor.ProcessingResponse_ResponseTrailers{ResponseTrailers: &processor.TrailersResponse{}},
		}, nil
	default:
		return nil, errors.New("a message of a kind that this processor does not know")
	}
}

func (e *exchange) connection(attributes map[string]*structpb.Struct) {
	for _, group := range attributes {
		host, port, err := net.SplitHostPort(group.GetFields()["source.address"].GetStringValue())
		if err == nil {
			number, _ := strconv.Atoi(port)
			e.tx.ProcessConnection(host, number, "", 0)
		}
		if protocol := group.GetFields()["request.protocol"].GetStringValue(); protocol != "" {
			e.protocol = protocol
		}
	}
}

func (e *exchange) requestHeaders(headers *processor.HttpHeaders) (*types.Interruption, error) {
	if !headers.GetEndOfStream() && e.bodies.request != filter.ProcessingMode_NONE {
		e.held = headers.GetHeaders().GetHeaders()
		return nil, nil
	}
	if stop := e.head(headers.GetHeaders().GetHeaders()); stop != nil {
		return stop, nil
	}
	return e.tx.ProcessRequestBody()
}

func (e *exchange) requestBody(body *processor.HttpBody) (*types.Interruption, error) {
	whole := body.GetEndOfStream() || e.bodies.request == filter.ProcessingMode_BUFFERED
	if e.held != nil {
		headers := e.held
		e.held = nil
		// The proxy has read the message, and takes away by which header it was framed.
		if whole {
			headers = append(headers, &core.HeaderValue{Key: "content-length", Value: strconv.Itoa(len(body.GetBody()))})
		} else {
			headers = append(headers, &core.HeaderValue{Key: "transfer-encoding", Value: "chunked"})
		}
		if stop := e.head(headers); stop != nil {
			return stop, nil
		}
	}
	if stop, _, err := e.tx.WriteRequestBody(body.GetBody()); stop != nil || err != nil {
		return stop, err
	}
	if !whole && e.bodies.request == filter.ProcessingMode_STREAMED {
		return nil, nil
	}
	return e.tx.ProcessRequestBody()
}

// The rules of phase 1.
func (e *exchange) head(headers []*core.HeaderValue) *types.Interruption {
	var method, path string
	for _, header := range headers {
		switch value := textOf(header); header.GetKey() {
		case ":method":
			method = value
		case ":path":
			path = value
		case ":authority":
			e.tx.SetServerName(withoutPort(value))
			e.tx.AddRequestHeader("Host", value)
		default:
			if !strings.HasPrefix(header.GetKey(), ":") {
				e.tx.AddRequestHeader(header.GetKey(), value)
			}
		}
	}
	e.tx.ProcessURI(path, method, e.protocol)
	return e.tx.ProcessRequestHeaders()
}

func (e *exchange) responseHeaders(headers *processor.HttpHeaders) (*types.Interruption, error) {
	code := 0
	for _, header := range headers.GetHeaders().GetHeaders() {
		if header.GetKey() == ":status" {
			code, _ = strconv.Atoi(textOf(header))
		} else {
			e.tx.AddResponseHeader(header.GetKey(), textOf(header))
		}
	}
	if stop := e.tx.ProcessResponseHeaders(code, e.protocol); stop != nil {
		return stop, nil
	}
	if headers.GetEndOfStream() || e.bodies.response == filter.ProcessingMode_NONE {
		return e.tx.ProcessResponseBody()
	}
	return nil, nil
}

func (e *exchange) responseBody(body *processor.HttpBody) (*types.Interruption, error) {
	if e.tx.IsResponseBodyAccessible() && e.tx.IsResponseBodyProcessable() {
		if stop, _, err := e.tx.WriteResponseBody(body.GetBody()); stop != nil || err != nil {
			return stop, err
		}
	}
	if !body.GetEndOfStream() && e.bodies.response == filter.ProcessingMode_STREAMED {
		return nil, nil
	}
	return e.tx.ProcessResponseBody()
}

func textOf(header *core.HeaderValue) string {
	if raw := header.GetRawValue(); len(raw) > 0 {
		return string(raw)
	}
	return header.GetValue()
}

func withoutPort(authority string) string {
	if host, _, err := net.SplitHostPort(authority); err == nil {
		return host
	}
	return authority
}
