# How to use this image: docs/containers.md.

FROM node:24-trixie-slim AS build
WORKDIR /build
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm run release -- /release

# The release contains Node, at the version of the lock file.
FROM debian:trixie-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap git tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin deckhand \
  && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=build /release /opt/deckhand
ENV PATH=/opt/deckhand/node_modules/.bin:$PATH \
  HOST=0.0.0.0 \
  SLACK_HTTP_HOST=0.0.0.0 \
  DECKHAND_HOME=/data \
  DECKHAND_SANDBOX=/data/sandbox
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 3000 3001
# Checks liveness rather than readiness: a restart helps neither a standby nor a process whose platform is down.
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m --start-interval=2s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# PID 1 of a container inherits orphaned processes. tini reaps them; Node would not.
ENTRYPOINT ["tini", "--", "deckhand"]
