# syntax=docker/dockerfile:1
# Before: `npm run build`, which fills build/app. Two images of one program:
#   docker build -t gatewright:0.1.0 .                                  control plane, data-plane agent and Envoy
#   docker build -t gatewright-control:0.1.0 --target control-plane .   the control plane alone, without Envoy
# Neither has a shell. Both run as 65532 with a read-only root; what they write goes to /tmp, which is to be mounted.
# A release names both by digest: `npm run release:pin` writes them here, and `npm run release:check` fails without.
ARG NODE_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot
ARG ENVOY_IMAGE=envoyproxy/envoy:distroless-v1.40.0

FROM ${ENVOY_IMAGE} AS envoy

FROM ${NODE_IMAGE} AS control-plane
LABEL org.opencontainers.image.title="Gatewright" \
      org.opencontainers.image.description="Kubernetes Gateway API on unmodified Envoy" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY build/app /app
USER 65532:65532
VOLUME /tmp
# xDS; admin API, Layout 1 and 2; metrics
EXPOSE 18080 18081 8081 18082
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/gatewright.js"]
CMD ["control-plane"]

FROM control-plane AS gatewright
COPY --from=envoy /usr/local/bin/envoy /usr/local/bin/envoy
# the agent's admin API
EXPOSE 8082
