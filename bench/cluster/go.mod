// Needs nothing but Go: tools/bench_cluster builds it.
module huygens/cluster_bench

go 1.26.0
