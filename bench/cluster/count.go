package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// countBindings watches the pods of a namespace that have a node. It says "watching" once it does, "first" when the first of PODS has got one, and in
// the end, after all of them or after SECONDS, how many had and how many seconds lay between the first and the last. It reads no more of an event
// than where it ends, so that counting costs what is measured next to nothing.
func countBindings(arguments []string) error {
	if len(arguments) != 6 {
		return errors.New("count: SERVER AUTHORITY TOKEN NAMESPACE PODS SECONDS")
	}
	authority, err := os.ReadFile(arguments[1])
	if err != nil {
		return err
	}
	pods, err := strconv.Atoi(arguments[4])
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(arguments[5], 64)
	if err != nil {
		return err
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(authority)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}}
	limited, cancel := context.WithTimeout(context.Background(), time.Duration(seconds*float64(time.Second)))
	defer cancel()
	// Such a pod appears to this watch when it is bound, and to a new watch once, at its beginning. Only metadata is asked for.
	query := url.Values{"watch": {"1"}, "fieldSelector": {"spec.nodeName!="}}
	call, err := http.NewRequestWithContext(limited, "GET", arguments[0]+"/api/v1/namespaces/"+arguments[3]+"/pods?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	call.Header.Set("Authorization", "Bearer "+arguments[2])
	call.Header.Set("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
	counted := counter{}
	for counted.count < pods && limited.Err() == nil {
		answer, err := client.Do(call)
		if err != nil {
			if limited.Err() != nil {
				break
			}
			return err
		}
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("watch: %s", answer.Status)
		}
		counted.follow(answer.Body, pods) // the API server ends a watch that it takes for too slow
		answer.Body.Close()
	}
	fmt.Printf("%d %.6f\n", counted.count, counted.last.Sub(counted.first).Seconds())
	return nil
}

type counter struct {
	count       int // that this watch has shown
	first, last time.Time
	watching    bool
}

func (c *counter) follow(body io.Reader, pods int) {
	if !c.watching {
		fmt.Println("watching")
		c.watching = true
	}
	c.count = 0
	lines := bufio.NewReaderSize(body, 1<<20)
	for c.count < pods {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		if !bytes.HasPrefix(line, []byte(`{"type":"ADDED"`)) {
			continue // a bound pod that changes
		}
		c.count++
		c.last = time.Now()
		if c.first.IsZero() {
			c.first = c.last
			fmt.Println("first")
		}
	}
}
