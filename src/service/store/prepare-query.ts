import type { Compilable, InferResult } from 'kysely';
import type { Store } from './database.js';

/**
 * A query for at most one row that is asked often: `build` is called once, with stand-ins for its values, since building such a query takes
 * longer than running it. Without `limit(1)` in it more rows may be read, of which the first is answered.
 */
export function prepareFirst<A extends unknown[], Q extends Compilable<object>>(
  store: Store,
  build: (...values: A) => Q,
): (...values: A) => Promise<InferResult<Q>[number] | undefined> {
  const places: unknown[] = Array.from({ length: build.length }, (_, index) => ({ index }));
  const query = build(...(places as A)).compile(); // they are only passed on, to be found among the parameters
  const order = query.parameters.map((parameter) => places.indexOf(parameter));
  return async (...values) => {
    const parameters = query.parameters.map((parameter, offset) => {
      const place = order[offset] ?? -1;
      return place < 0 ? parameter : values[place];
    });
    const { rows } = await store.executeQuery({ ...query, parameters });
    return rows[0] as InferResult<Q>[number] | undefined; // what the query selects
  };
}
