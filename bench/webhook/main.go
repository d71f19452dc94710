// What tools/bench_webhook measures huygens webhook with: the webhook that does nothing, and clients that make as many requests as they can.
package main

import (
	"fmt"
	"os"
)

func main() {
	commands := map[string]func(arguments []string) error{"nothing": serveNothing, "load": makeRequests}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: webhook_bench nothing ADDRESS CERTIFICATE KEY | webhook_bench load < requests.json")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "webhook_bench:", err)
		os.Exit(1)
	}
}
