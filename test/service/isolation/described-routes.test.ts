import path from 'node:path';
import should from 'should';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import { createComponents } from '../../../src/service/create-components.js';
import { OPEN_API } from '../../../src/service/http/openapi.js';
import { createLogger } from '../../../src/service/logger.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { KERNEL_PROGRAM } from '../support/running.js';
import { listRoutes, type RouteDescription } from './foreign-requests.js';

/** Returns the routes of a service for files and operations, as `GET /web-api/operation/{}/status`. */
async function listRegistered(folder: string): Promise<string[]> {
  const store = await openStore(path.join(folder, 'service.db'));
  const options = {
    ...{ host: '127.0.0.1', port: 0, dataFolder: folder, isCallbackAllowed: parseAddressFilter('loopback') },
    ...{ logger: createLogger('silent'), warmKernels: 0, kernelProgram: KERNEL_PROGRAM },
  };
  const spare = { missingBytes: () => 0, isUsed: async () => false, isFull: async () => false };
  const never = (): Promise<void> => Promise.reject(new Error('Nothing runs.'));
  const { app, warmKernels } = await createComponents(
    store,
    { ...spare, update: never, release: never },
    options,
    () => false,
  );
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    if (!url.startsWith('/web-api')) return;
    routes.push(...[method].flat().map((verb) => `${verb} ${url.replace(/:operation\b/, '*').replace(/:\w+/g, '{}')}`));
  });
  await app.ready();
  await app.close();
  await warmKernels.close();
  await store.destroy();
  return routes;
}

describe('the OpenAPI description', () => {
  it('contains every route for files and operations', async () => {
    const folder = await createFolder();
    try {
      const described = listRoutes(OPEN_API as unknown as RouteDescription).map(({ method, path: template }) => {
        const url = template.replace(/\{id\}\/[\w-]+\/result$/, '{id}/*/result').replace(/\{\w+\}/g, '{}');
        return `${method} ${url}`;
      });
      should([...new Set(await listRegistered(folder))].sort()).deepEqual([...new Set(described)].sort());
    } finally {
      await removeFolder(folder);
    }
  });
});
