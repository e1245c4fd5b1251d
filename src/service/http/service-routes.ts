import type { FastifyInstance } from 'fastify';
import { FORMATS } from '../../mesh/formats/format-table.js';
import type { Limits } from '../defaults.js';
import { IMPORT } from '../operations/kinds/import.js';
import { OPERATION_KINDS } from '../operations/kinds.js';
import { isPackageInstalled } from './is-package-installed.js';
import { OPEN_API } from './openapi.js';

/** The dependencies of the routes that describe the service. */
export interface ServiceRouteDependencies {
  instanceId: string;
  limits: Limits;
  /** Throws if the service cannot accept operations. */
  checkReady: () => Promise<void>;
}

/** Registers `/healthz`, `/readyz`, `/formats` and `/openapi.json`, which need no token. */
export function registerServiceRoutes(
  app: FastifyInstance,
  { instanceId, limits, checkReady }: ServiceRouteDependencies,
): void {
  app.get('/healthz', async () => ({ status: 'ok', instanceId }));

  app.get('/readyz', async () => {
    await checkReady();
    return { status: 'ok', instanceId };
  });

  app.get('/formats', async () => ({
    import: FORMATS.filter(
      ({ canImport, needsPackage }) => canImport && (!needsPackage || isPackageInstalled(needsPackage)),
    ),
    export: FORMATS.filter(({ canExport }) => canExport),
    measurementUnits: IMPORT.parameters.measurementUnits.names,
    operations: OPERATION_KINDS.map(({ name }) => name),
    limits: { uploadBytes: limits.uploadBytes },
  }));

  app.get('/openapi.json', async () => OPEN_API);
}
