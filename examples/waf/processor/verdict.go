package main

import (
	"fmt"

	"github.com/corazawaf/coraza/v3/types"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	processor "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	kinds "github.com/envoyproxy/go-control-plane/envoy/type/v3"
)

// What goes on, or the answer in its place if a rule has stopped it.
func (e *exchange) verdict(stop *types.Interruption, err error, onward *processor.ProcessingResponse) (*processor.ProcessingResponse, error) {
	if err != nil {
		return nil, err
	}
	if stop == nil {
		return onward, nil
	}
	mutation := e.traced().GetResponse().GetHeaderMutation()
	code := kinds.StatusCode_Forbidden
	if _, known := kinds.StatusCode_name[int32(stop.Status)]; known && stop.Status >= 300 {
		code = kinds.StatusCode(stop.Status)
	}
	if stop.Action == "redirect" {
		mutation = withHeader(mutation, "location", stop.Data)
	}
	return &processor.ProcessingResponse{Response: &processor.ProcessingResponse_ImmediateResponse{
		ImmediateResponse: &processor.ImmediateResponse{
			Status:  &kinds.HttpStatus{Code: code},
			Headers: mutation,
			// In the access log of the proxy, as %RESPONSE_CODE_DETAILS%.
			Details: fmt.Sprintf("waf_rule_%d", stop.RuleID),
		},
	}}, nil
}

// With -trace, answers say whose they are.
func (e *exchange) traced() *processor.HeadersResponse {
	if !e.trace {
		return &processor.HeadersResponse{}
	}
	return &processor.HeadersResponse{
		Response: &processor.CommonResponse{HeaderMutation: withHeader(nil, "x-waf-transaction", e.tx.ID())},
	}
}

func withHeader(mutation *processor.HeaderMutation, name, value string) *processor.HeaderMutation {
	if mutation == nil {
		mutation = &processor.HeaderMutation{}
	}
	mutation.SetHeaders = append(mutation.SetHeaders, &core.HeaderValueOption{
		Header:       &core.HeaderValue{Key: name, RawValue: []byte(value)},
		AppendAction: core.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD,
	})
	return mutation
}
