import type { Compilable, CompiledQuery, InferResult, Insertable, Kysely } from 'kysely';
import { type Dialect, dialectOf } from './dialect.js';
import type { Schema } from './schema.js';

/** A store or a transaction. */
export type Executor = Kysely<Schema>;

interface PreparedQuery {
  query: CompiledQuery<object>;
  /** parameter of the query → index of its value, or -1 for a constant */
  valueIndices: number[];
}

/** Returns a function that calls `compile` once for each dialect. */
function cacheByDialect<A extends unknown[], P>(
  compile: (executor: Executor, ...more: A) => P,
): (executor: Executor, ...more: A) => P {
  const cache = new Map<Dialect, P>();
  return (executor, ...more) => {
    const dialect = dialectOf(executor);
    const cached = cache.get(dialect);
    if (cached) return cached;
    const compiled = compile(executor, ...more);
    cache.set(dialect, compiled);
    return compiled;
  };
}

/**
 * Compiles a query once, because building a query with kysely takes longer than running it. `build` is called with
 * placeholders. Returns a function that runs the query with values, on a store or in a transaction, and resolves with the
 * rows.
 */
export function prepareAll<A extends unknown[], Q extends Compilable<object>>(
  build: (executor: Executor, ...values: A) => Q,
): (executor: Executor, ...values: A) => Promise<InferResult<Q>> {
  const compile = (executor: Executor): PreparedQuery => {
    const placeholders: unknown[] = Array.from({ length: build.length - 1 }, (_, index) => ({ index }));
    const query = build(executor, ...(placeholders as A)).compile(); // build only passes them on, as parameters
    return { query, valueIndices: query.parameters.map((parameter) => placeholders.indexOf(parameter)) };
  };
  const findPrepared = cacheByDialect(compile);
  return async (executor, ...values) => {
    const { query, valueIndices } = findPrepared(executor);
    const parameters = query.parameters.map((parameter, offset) => {
      const index = valueIndices[offset] ?? -1;
      return index < 0 ? parameter : values[index];
    });
    const { rows } = await executor.executeQuery({ ...query, parameters });
    return rows as InferResult<Q>; // the row type of the query
  };
}

/**
 * Compiles a query for at most one row, as `prepareAll` does. The function that it returns resolves with the first row; add
 * `limit(1)` to a select to read no more.
 */
export function prepareFirst<A extends unknown[], Q extends Compilable<object>>(
  build: (executor: Executor, ...values: A) => Q,
): (executor: Executor, ...values: A) => Promise<InferResult<Q>[number] | undefined> {
  const query = prepareAll(build);
  return async (executor, ...values) => (await query(executor, ...values))[0];
}

/**
 * Compiles the insert of a row once. Returns a function that inserts a row, in a store or in a transaction. All rows must
 * have the columns of the first.
 */
export function prepareInsert<T extends keyof Schema>(
  table: T,
): (executor: Executor, row: Insertable<Schema[T]>) => Promise<void> {
  const findPrepared = cacheByDialect((executor, row: Insertable<Schema[T]>) => ({
    query: executor.insertInto(table).values(row).compile(),
    columns: Object.keys(row) as (keyof typeof row)[], // only columns, in the order of the parameters
  }));
  return async (executor, row) => {
    const { query, columns } = findPrepared(executor, row);
    const parameters = columns.map((column) => row[column]);
    await executor.executeQuery({ ...query, parameters });
  };
}
