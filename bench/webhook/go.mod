// Needs nothing but Go: tools/bench_webhook builds it.
module huygens/webhook_bench

go 1.26.0
