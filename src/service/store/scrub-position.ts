import type { Store } from './database.js';

/** Creates the queries for the position of the scrub. */
export function createScrubPosition(store: Store) {
  return {
    /** Resolves with the id of the file that was checked last; empty before the first one. */
    find: async (): Promise<string> =>
      (await store.selectFrom('scrub').select('last_id').executeTakeFirst())?.last_id ?? '',

    replace: (last_id: string): Promise<void> =>
      store.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('scrub').execute();
        await transaction.insertInto('scrub').values({ last_id }).execute();
      }),
  };
}

export type ScrubPosition = ReturnType<typeof createScrubPosition>;
