package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is read from the standard input.
type load struct {
	Servers   []string  `json:"servers"` // API servers; the clients are dealt out to them
	Authority string    `json:"authority"`
	Token     string    `json:"token"`
	Clients   int       `json:"clients"`
	Version   string    `json:"version"` // of the object that @VERSION@ stands for at first; then that of the last answer
	Requests  []request `json:"requests"`
}

type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body"`
}

// result is written to the standard output.
type result struct {
	Seconds      float64     `json:"seconds"`
	Milliseconds []float64   `json:"milliseconds"` // of each request
	Codes        map[int]int `json:"codes"`
	Failure      string      `json:"failure,omitempty"` // the last answer that was none of 200 to 299
}

// client has a connection of its own, as every kubectl has; it asks once and never again.
type client struct {
	*load
	server  string
	http    *http.Client
	version string
}

func newClient(load *load, server string, authorities *x509.CertPool) *client {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: authorities},
		TLSNextProto:    map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1
	}
	return &client{load: load, server: server, http: &http.Client{Transport: transport}, version: load.Version}
}

func (c *client) do(r request) (int, []byte, error) {
	body := strings.ReplaceAll(r.Body, "@VERSION@", c.version)
	call, err := http.NewRequest(r.Method, c.server+r.Path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, err
	}
	call.Header.Set("Authorization", "Bearer "+c.Token)
	call.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(call)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// follow keeps the version of an object that was just written.
func (c *client) follow(text []byte) error {
	var object struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	err := json.Unmarshal(text, &object)
	c.version = object.Metadata.ResourceVersion
	return err
}

func makeRequests([]string) error {
	var load load
	if err := json.NewDecoder(os.Stdin).Decode(&load); err != nil {
		return err
	}
	authority, err := os.ReadFile(load.Authority)
	if err != nil {
		return err
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(authority)
	clients := make([]*client, load.Clients)
	for i := range clients {
		clients[i] = newClient(&load, load.Servers[i%len(load.Servers)], authorities)
		if code, text, err := clients[i].do(request{Method: "GET", Path: "/readyz"}); err != nil || code != 200 {
			return fmt.Errorf("%s/readyz: %d %s %v", clients[i].server, code, text, err)
		}
	}

	answers := result{Milliseconds: make([]float64, len(load.Requests)), Codes: map[int]int{}}
	var next atomic.Int64
	var lock sync.Mutex
	var all sync.WaitGroup
	start := time.Now()
	for _, each := range clients {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(load.Requests); i = int(next.Add(1)) - 1 {
				asked := time.Now()
				code, text, err := each.do(load.Requests[i])
				answers.Milliseconds[i] = time.Since(asked).Seconds() * 1000
				if err == nil && load.Version != "" {
					err = each.follow(text)
				}
				lock.Lock()
				answers.Codes[code]++
				if err != nil {
					answers.Failure = err.Error()
				} else if code < 200 || code > 299 {
					answers.Failure = string(text)
				}
				lock.Unlock()
			}
		})
	}
	all.Wait()
	answers.Seconds = time.Since(start).Seconds()
	return json.NewEncoder(os.Stdout).Encode(answers)
}
