# syntax=docker/dockerfile:1
# The one image: control plane, data-plane agent and Envoy. Before: `npm run build`, which fills build/app.
ARG NODE=24
ARG ENVOY=1.40.0

FROM envoyproxy/envoy:distroless-v${ENVOY} AS envoy

FROM gcr.io/distroless/nodejs${NODE}-debian12:nonroot
COPY --from=envoy /usr/local/bin/envoy /usr/local/bin/envoy
COPY build/app /app
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/gatewright.js"]
