# syntax=docker/dockerfile:1
# The one image: control plane, data-plane agent and Envoy. Before: `npm run setup`, which generates code into src/.
ARG NODE=24
ARG ENVOY=1.40.0

FROM envoyproxy/envoy:distroless-v${ENVOY} AS envoy

FROM node:${NODE}-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install script is needed, and none is trusted.
RUN npm ci --omit=dev --ignore-scripts

FROM gcr.io/distroless/nodejs${NODE}-debian12:nonroot
COPY --from=envoy /usr/local/bin/envoy /usr/local/bin/envoy
COPY --from=dependencies /app/node_modules /app/node_modules
COPY package.json /app/
COPY bin /app/bin
COPY src /app/src
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/gatewright.ts"]
