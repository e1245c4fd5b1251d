import { Ajv, type ValidateFunction } from 'ajv';

/** Returns whether a value is valid. Sets `errors` if it is not. */
export type Validator = Pick<ValidateFunction, 'errors'> & ((data: unknown) => boolean);

// The schemas are constants of this program, so that they are not validated themselves.
const ajv = new Ajv({ addUsedSchema: false, validateSchema: false });

/** Compiles a schema of a request. Values are validated as they are: none is converted, removed or added. */
export function compileSchema(schema: object): Validator {
  return ajv.compile(schema);
}
