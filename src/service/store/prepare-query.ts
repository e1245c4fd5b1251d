import type { Compilable, InferResult } from 'kysely';
import type { Store } from './database.js';

/**
 * Compiles a query for at most one row once, because building a query with kysely takes longer than running it. `build`
 * is called with placeholders. Returns a function that runs the query with values and resolves with the first row; add
 * `limit(1)` to read no more.
 */
export function prepareFirst<A extends unknown[], Q extends Compilable<object>>(
  store: Store,
  build: (...values: A) => Q,
): (...values: A) => Promise<InferResult<Q>[number] | undefined> {
  const placeholders: unknown[] = Array.from({ length: build.length }, (_, index) => ({ index }));
  const query = build(...(placeholders as A)).compile(); // build only passes them on, as parameters of the query
  /** parameter of the query → index of its value, or -1 for a constant */
  const valueIndices = query.parameters.map((parameter) => placeholders.indexOf(parameter));
  return async (...values) => {
    const parameters = query.parameters.map((parameter, offset) => {
      const index = valueIndices[offset] ?? -1;
      return index < 0 ? parameter : values[index];
    });
    const { rows } = await store.executeQuery({ ...query, parameters });
    return rows[0] as InferResult<Q>[number] | undefined; // the row type of the query
  };
}
