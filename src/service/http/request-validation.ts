import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { Validator } from './compile-schema.js';

function refuseSchema(): never {
  throw new TypeError('A route has a schema, but its app has no compiler for it.');
}

/**
 * Has Fastify load no compilers of schemas: of replies, which have no schemas, and of requests, for which
 * `validateRequests` sets another one. For every app.
 */
export const WITHOUT_COMPILERS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
};

type CompileSchema = (schema: object) => Validator;

/** Returns a validator that compiles its schema for the first request. */
function createLazyValidator(schema: object, findCompiler: () => CompileSchema) {
  let compiled: Validator | undefined;
  const validate = (data: unknown): boolean => {
    compiled ??= findCompiler()(schema);
    const isValid = compiled(data);
    validate.errors = compiled.errors ?? null;
    return isValid;
  };
  validate.errors = null as NonNullable<Validator['errors']> | null; // as Ajv sets it
  return validate;
}

/**
 * Has an app validate requests by Ajv. Loads it once the app listens: together with the schemas, it would take a tenth of
 * the start of a service. Requests that arrive before wait for it.
 */
export function validateRequests(app: FastifyInstance): void {
  let compileSchema: CompileSchema | undefined;
  const load = async (): Promise<void> => {
    ({ compileSchema } = await import('./compile-schema.js'));
  };
  app.setValidatorCompiler(({ schema }) => createLazyValidator(Object(schema), () => compileSchema ?? refuseSchema()));
  // Not with the first request: an update of the package may have replaced the file until then.
  app.addHook('onListen', load);
  app.addHook('preValidation', (request, _reply, done) => {
    if (compileSchema || !request.routeOptions.schema) return done();
    load().then(() => done(), done);
  });
}
