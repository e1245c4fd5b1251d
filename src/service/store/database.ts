import type { Kysely } from 'kysely';
import type { Schema } from './schema.js';

/** The database: all queries go through it. `sqlite.ts` opens it. */
export type Store = Kysely<Schema>;
