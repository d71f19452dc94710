# The image of huygens: its two programs, the libraries that they load and the authorities they trust; no shell, no package manager, not root.
# `make image` builds it, the same bytes each time from one commit and the same Debian packages.
# Another Debian 12, such as one made from packages where no registry is reached: --build-arg BASE=...
ARG BASE=docker.io/library/debian:12
FROM $BASE AS build
WORKDIR /src
# Packages, then sources, then the commit: what comes later does not undo what took long.
COPY tools/setup tools/packages.txt tools/
RUN tools/setup --build && rm -rf /var/lib/apt/lists/*
COPY . .
RUN --mount=type=cache,target=/root/.cache/ccache HUYGENS_COMMIT= JOBS=$(nproc) tools/build image huygens huygens-agent
ARG COMMIT
ARG SOURCE_DATE_EPOCH
RUN --mount=type=cache,target=/root/.cache/ccache HUYGENS_COMMIT=$COMMIT tools/build image huygens huygens-agent && \
    tools/image_root /image build/image/huygens build/image/huygens-agent

FROM scratch
ARG VERSION
ARG COMMIT
LABEL org.opencontainers.image.title=huygens \
      org.opencontainers.image.description="NUMA-aware, quota-aware placement of pods beside kube-scheduler" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$COMMIT \
      org.opencontainers.image.licenses=Apache-2.0
COPY --from=build /image /
USER 65532:65532
EXPOSE 8888 8889
ENTRYPOINT ["/usr/local/bin/huygens"]
CMD ["--help"]
