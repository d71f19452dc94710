# Every habit of the project is one target. `make help` lists them.
SHELL := /bin/bash
JOBS ?= 2
.DEFAULT_GOAL := help
.PHONY: help setup build run test image image-test release demo bench bench-cluster bench-prometheus bench-webhook bench-overcommit bench-rules format docs lint sanitize fuzz soak abuse simulate coverage e2e-agent e2e-versions clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install the needed packages (apt; sudo where not root)
	@tools/setup

build: setup ## build/release/huygens and build/release/huygens-agent
	@tools/build release huygens huygens-agent

run: build ## place the sample pods on the embedded sample cluster and print the table
	@tools/run_sample

test: setup ## every test this machine can run; ends with counts
	@tools/test

image: ## the container image (buildah): build/dist/huygens-VERSION.tar and its list of packages (SPDX)
	@tools/image

image-test: build ## the image built from the sources twice, in containers on a base made of packages, and a release with it; some twenty minutes, needs root
	@tools/setup --image && HUYGENS_E2E_FULL_IMAGE=1 tests/e2e/run image

release: build ## what is published of a version, into build/dist: archive, Helm chart, kubectl plug-in, image, list of packages, checksums
	@tools/release $(IMAGE_OPTIONS)

demo: build ## the sample pods through the real etcd, kube-apiserver and kube-scheduler; KEEP=1 leaves them running until Ctrl-C
	@tools/control_plane && tests/e2e/run $(if $(KEEP),--keep,demo)

bench: setup ## filter and prioritize against an echo of the same bytes; single calls; a trace placed by real usage
	@tools/build release huygens huygens_bench huygens_topology_bench huygens_replay_bench huygens_rebalance_bench && tools/bench

bench-rebalance: setup ## moves that cool a cluster with hot machines, beside the fewest possible; STATES=FOLDER/* names states of a public trace, some minutes
	@tools/build release huygens_rebalance_bench && tools/bench_rebalance $(STATES)

bench-prometheus: setup ## what a poll of a Prometheus with 150 000 pods costs; some minutes
	@tools/build release huygens_prometheus_bench && tools/bench_prometheus && tools/bench_prometheus --raw

bench-cluster: build ## pods a second of the real kube-scheduler without an extender, with huygens and with others, and what each process works; some hours, needs Go (--help of tools/bench_cluster: less of it)
	@tools/control_plane && tools/bench_cluster --write $(BENCH_OPTIONS)

bench-webhook: build ## what a creation costs with huygens webhook, beside none, one that does nothing, and ResourceQuota; some minutes, needs Go
	@tools/control_plane && tools/bench_webhook

bench-overcommit: build ## what a pod's creation costs where huygens webhook lowers its requests, beside none and one that does nothing; some minutes, needs Go
	@tools/control_plane && tools/bench_overcommit

bench-rules: build ## what a pod's creation costs where huygens webhook applies 200 rules, beside none and one that does nothing; some minutes, needs Go
	@tools/control_plane && tools/bench_rules

format: setup ## clang-format over all C++ files, new ones too
	@git ls-files --cached --others --exclude-standard '*.h' '*.cc' | while read -r file; do [ ! -f "$$file" ] || echo "$$file"; done | xargs -r clang-format-19 -i

docs: setup ## the tables of docs/configuration.md, from the fields and the registries of checks and terms
	@tools/build dev settings_test && HUYGENS_UPDATE_DOCS=1 build/dev/tests/settings_test --gtest_brief=1 --gtest_filter=ConfigurationReference.IsUpToDate

e2e-agent: setup ## the agent's side of a container runtime against a containerd with NRI, built from its Go module (some six minutes the first time); needs root and Go
	@tools/setup --kubelet && tools/control_plane && tools/containerd && tools/build dev runtime_probe && tests/e2e/run runtime runtime_nri

e2e-versions: build ## end-to-end scenarios against the oldest and newest Kubernetes; VERSIONS="1.32 1.34" chooses others
	@tools/e2e_versions $(VERSIONS)

lint: setup ## formatter, include directions, self-contained headers, clang-tidy
	@tools/lint

sanitize: setup ## unit, integration and a short end-to-end run under ASan+UBSan and TSan
	@tools/sanitize

fuzz: setup ## each fuzz target for SECONDS (default 60)
	@tools/fuzz $(SECONDS)

soak: build ## half an hour of webhook, controller and extender, killed in turns while everything changes; SECONDS=7200 for longer, SECONDS=120 for less
	@tools/control_plane && HUYGENS_SOAK_SECONDS=$(or $(SECONDS),1800) tests/e2e/run soak

abuse: build ## an hour of abuse of every kind beside real scheduling; SECONDS=600 shortens it
	@tools/control_plane && HUYGENS_SOAK_SECONDS=$(or $(SECONDS),3600) tests/e2e/run abuse

simulate: setup ## webhooks, controllers and an extender on a simulated API server: SEEDS of them (default 10000), from FIRST on
	@tools/build dev simulation_test && HUYGENS_SIMULATION_SEEDS=$(or $(SEEDS),10000) HUYGENS_SIMULATION_FIRST=$(or $(FIRST),1) build/dev/tests/simulation_test --gtest_brief=1

coverage: setup ## line coverage of the unit tests
	@tools/coverage

clean: ## remove build/
	@rm -rf build
