import should from 'should';
import type { Store } from '../../../src/service/store/database.js';
import { createOperations } from '../../../src/service/store/operations.js';
import type { TokenRow } from '../../../src/service/store/schema.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { registerFileBench } from '../support/file-bench.js';
import { queuedOperation } from '../support/queued-operation.js';

const NOW = 1000;

describe('the status of an operation by an access token', () => {
  let store: Store;

  registerFileBench((bench) => ({ store } = bench));

  /** Adds an operation of ann and a token. Resolves with the status that this token finds. */
  const findStatus = async (token: Partial<TokenRow>) => {
    const operation = queuedOperation({ id: 'operation', created_at: 7 });
    await store.insertInto('operation').values(operation).execute();
    const times = { created_at: 1, expires_at: 2 * NOW, used_at: null, revoked_at: null };
    const ids = { hash: 'hash', kind: 'access' as const, family: 'family', user_id: 'ann', client_id: 'client' };
    await createTokens(store).add([{ ...ids, ...times, ...token }]);
    return createOperations(store).findStatusByToken('hash', 'operation', NOW);
  };

  it('is found by a valid token of its owner', async () => {
    const row = await findStatus({});
    // Both tables have these columns.
    should(row).match({ id: 'operation', kind: 'import', state: 'queued', created_at: 7 });
  });

  for (const [name, token] of Object.entries<Partial<TokenRow>>({
    'the token of another user': { user_id: 'bob' },
    'a refresh token': { kind: 'refresh' },
    'an expired token': { expires_at: NOW },
    'a revoked token': { revoked_at: 1 },
    'another token': { hash: 'other' },
  })) {
    it(`is not found by ${name}`, async () => {
      should(await findStatus(token)).equal(undefined);
    });
  }
});
