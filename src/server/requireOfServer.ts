import { createRequire } from 'node:module';

/** Path of the `package.json` of Community Solid Server. */
export const serverManifest = require.resolve('@solid/community-server/package.json');

/** Resolves packages in the way the server does. */
export const requireOfServer = createRequire(serverManifest);
