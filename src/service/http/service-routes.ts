import type { FastifyInstance } from 'fastify';
import type { Format } from '../../mesh/formats/format.js';
import { EXPORT_FORMATS, IMPORT_FORMATS } from '../../mesh/formats/registry.js';
import { createIdentityProof } from '../auth/secrets.js';
import type { Limits } from '../defaults.js';
import { IMPORT } from '../operations/kinds/import.js';
import { OPERATION_KINDS } from '../operations/kinds.js';
import { createProblemEntry } from '../problem-entries.js';
import { isPackageInstalled } from './is-package-installed.js';

/**
 * The additions to the common API that a client may rely on, for `/formats`. A client asks for a feature by its name, never
 * by the version of the service.
 */
export const FEATURES: readonly string[] = [
  'cancel',
  'delete',
  'list',
  'idempotency-key',
  'priority',
  'content-recognition',
];

/** The dependencies of the routes that tell whether a process works. */
export interface HealthRouteDependencies {
  instanceId: string;
  /** The key of `credentials.json`, with which the process proves its identity. Default: there is no such file. */
  identityKey?: string | undefined;
  /** Resolves with whether the service accepts uploads and operations. Throws if the store fails. */
  checkReady: () => Promise<'ok' | 'full'>;
}

/** The dependencies of the routes that describe the service. */
export interface ServiceRouteDependencies extends HealthRouteDependencies {
  limits: Limits;
}

/** A nonce that is too short could be one that was answered before. */
const NONCE_LENGTH = { min: 16, max: 100 };

/** Registers `/healthz` and `/readyz`, which need no token. */
export function registerHealthRoutes(app: FastifyInstance, dependencies: HealthRouteDependencies): void {
  const { instanceId, identityKey, checkReady } = dependencies;

  // Without a schema: the app of a worker, which has this route as well, validates no requests.
  app.get<{ Querystring: { nonce?: unknown } }>('/healthz', async ({ query: { nonce }, socket: { localPort } }) => {
    const isValid = typeof nonce === 'string' && nonce.length >= NONCE_LENGTH.min && nonce.length <= NONCE_LENGTH.max;
    if (!isValid || identityKey === undefined || localPort === undefined) return { status: 'ok', instanceId };
    return { status: 'ok', instanceId, proof: createIdentityProof(identityKey, nonce, localPort) };
  });

  app.get('/readyz', async (_request, reply) => {
    const status = await checkReady();
    if (status === 'ok') return { status, instanceId };
    const error = createProblemEntry('DISK_FULL', 'The disk of the service is full. Free disk space.');
    return reply.code(507).send({ status, instanceId, errors: [error] });
  });
}

/** Registers `/healthz`, `/readyz`, `/formats` and `/openapi.json`, which need no token. */
export function registerServiceRoutes(app: FastifyInstance, dependencies: ServiceRouteDependencies): void {
  const { limits } = dependencies;
  registerHealthRoutes(app, dependencies);

  app.get('/formats', async () => ({
    import: IMPORT_FORMATS.filter(({ needsPackage }) => !needsPackage || isPackageInstalled(needsPackage)).map(
      describeFormat,
    ),
    export: EXPORT_FORMATS.map(describeFormat),
    measurementUnits: IMPORT.parameters.measurementUnits.names,
    operations: OPERATION_KINDS.map(({ name }) => name),
    features: FEATURES,
    limits: { uploadBytes: limits.uploadBytes },
  }));

  app.get('/openapi.json', async () => (await import('./openapi.js')).OPEN_API);
}

/** Returns the description of a format for `/formats`. */
function describeFormat(format: Format): object {
  const { id, extensions, mediaType, hasUnits, isCurved, hasHelpers, hasPlates, needsPackage } = format;
  const canImport = IMPORT_FORMATS.includes(format);
  const canExport = format.write !== undefined;
  return { id, extensions, mediaType, canImport, canExport, hasUnits, isCurved, hasHelpers, hasPlates, needsPackage };
}
