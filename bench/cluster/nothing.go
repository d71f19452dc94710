package main

import (
	"encoding/json"
	"errors"
	"net/http"
)

// The parts of extender/v1 that an extender has to know to do nothing: the pod stays as it came.
type extenderArgs struct {
	Pod       json.RawMessage
	NodeNames *[]string
}

type extenderFilterResult struct {
	NodeNames   *[]string
	FailedNodes map[string]string
	Error       string
}

type hostPriority struct {
	Host  string
	Score int64
}

// serveNothing lets every node pass and finds all of them equally good.
func serveNothing(arguments []string) error {
	if len(arguments) != 3 {
		return errors.New("nothing: ADDRESS CERTIFICATE KEY")
	}
	answer := func(path string, reply func(args extenderArgs) any) {
		http.HandleFunc(path, func(writer http.ResponseWriter, request *http.Request) {
			var args extenderArgs
			if err := json.NewDecoder(request.Body).Decode(&args); err != nil || args.NodeNames == nil {
				http.Error(writer, "no ExtenderArgs with NodeNames", http.StatusBadRequest)
				return
			}
			writer.Header().Set("Content-Type", "application/json")
			json.NewEncoder(writer).Encode(reply(args))
		})
	}
	answer("/filter", func(args extenderArgs) any { return extenderFilterResult{NodeNames: args.NodeNames} })
	answer("/prioritize", func(args extenderArgs) any {
		scores := make([]hostPriority, len(*args.NodeNames))
		for i, name := range *args.NodeNames {
			scores[i] = hostPriority{Host: name}
		}
		return scores
	})
	return http.ListenAndServeTLS(arguments[0], arguments[1], arguments[2], nil)
}
