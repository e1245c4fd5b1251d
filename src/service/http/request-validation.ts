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
 * Has an app validate requests by Ajv. Loads it for the first request that has a schema: together with the schemas, it
 * would take a tenth of the start of a service.
 */
export function validateRequests(app: FastifyInstance): void {
  let compileSchema: CompileSchema | undefined;
  const findCompiler = (): CompileSchema => compileSchema ?? refuseSchema();
  app.setValidatorCompiler(({ schema }) => createLazyValidator(Object(schema), findCompiler));
  app.addHook('preValidation', (request, _reply, done) => {
    if (compileSchema || !request.routeOptions.schema) return done();
    import('./compile-schema.js').then((module) => {
      compileSchema = module.compileSchema;
      done();
    }, done);
  });
}
