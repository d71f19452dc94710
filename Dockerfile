# The image of huygens: built as on any Debian 12 machine, by `make setup` and `make build`; run without root and without a compiler.
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The packages first: this layer stays while only sources change.
COPY Makefile ./
COPY tools/setup tools/packages.txt tools/
RUN make setup
COPY . .
RUN make build && strip --strip-debug build/release/huygens

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
      ca-certificates libabsl20220623 libboost-json1.81.0 libcurl4 libprometheus-cpp-core1.0 libssl3 libstdc++6 libyaml-cpp0.7 zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/release/huygens /usr/local/bin/huygens
USER 65532:65532
EXPOSE 8888 8889
ENTRYPOINT ["/usr/local/bin/huygens"]
CMD ["--help"]
