# Compiles the sources.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

# Contains only what is needed to run: the server is a dependency of this image, in the version of the lock file.
FROM node:24-bookworm-slim AS production
RUN apt-get update && apt-get install --yes --no-install-recommends build-essential python3
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm pkg set "dependencies.@solid/community-server=$(node -p \
    "require('./package-lock.json').packages['node_modules/@solid/community-server'].version")" \
  && npm pkg delete devDependencies peerDependencies scripts.prepack \
  && npm install --package-lock-only --ignore-scripts \
  && npm ci
COPY --from=build /app/dist dist
COPY bin bin
COPY components components
COPY config config
COPY templates templates
# Makes starts quick, although the image is read-only then.
RUN node bin/css-data-sharing.js --prepare --config /app/config/postgres.json \
  && node bin/css-data-sharing.js --prepare --config /app/config/postgres-acp.json

FROM node:24-bookworm-slim
ENV NODE_ENV=production
COPY --from=production /app /app
# Not root. Of the image, this user can write only the folder of the keys, whose owner a new volume there inherits.
RUN install --directory --owner=node --group=node --mode=0700 /data/keys
USER node
WORKDIR /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/.health/live').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/css-data-sharing.js"]
CMD ["--config", "/app/config/postgres.json"]
