# Build: compiles the native driver and the sources.
FROM node:22-bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends build-essential python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# What the server needs at run time, and nothing else: no compilers, tests or development packages.
RUN npm run build && npm prune --omit=dev && npm install --no-save --omit=dev @solid/community-server@7.2 \
  && rm -rf src test demo bench .ci scripts

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build --chown=root:root /app /app
# Not root, and nothing of the image is writable for it.
USER node
WORKDIR /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/.health/live').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/css-data-sharing.js"]
CMD ["--config", "/app/config/postgres.json"]
