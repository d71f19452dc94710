// What tools/bench_cluster measures with: the extender that does nothing, and who counts Bindings.
package main

import (
	"fmt"
	"os"
)

func main() {
	commands := map[string]func(arguments []string) error{"nothing": serveNothing, "count": countBindings}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: cluster_bench nothing ADDRESS CERTIFICATE KEY | cluster_bench count SERVER AUTHORITY TOKEN NAMESPACE PODS SECONDS")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "cluster_bench:", err)
		os.Exit(1)
	}
}
