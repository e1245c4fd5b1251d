import type { Bucket } from '../blobs/s3/bucket.js';
import { ACCOUNTS_KEY } from '../blobs/s3/object-keys.js';
import { parseAccounts, serializeAccounts } from '../data-folder/accounts-file.js';
import type { Logger } from '../logger.js';
import { holdAccounts } from '../store/accounts.js';
import type { Store } from '../store/database.js';
import { createIdentity } from '../store/identity.js';

/**
 * Writes all users and clients, with hashes of their secrets only, to the bucket. Nobody can change them meanwhile, so
 * that writers in several processes never replace newer accounts by older ones.
 */
export function writeAccountsObject(bucket: Bucket, store: Store): Promise<void> {
  return holdAccounts(store, (accounts) => bucket.put(ACCOUNTS_KEY, serializeAccounts(accounts)));
}

/**
 * Writes the copy if it is missing, damaged, of another store or older than the database: a command that changed the
 * accounts had no bucket, or ended before it had written the copy. Logs a database that is older than the copy, as after
 * the restoration of a backup.
 */
export async function updateAccountsObject(bucket: Bucket, store: Store, logger: Pick<Logger, 'warn'>): Promise<void> {
  const text = await bucket.getText(ACCOUNTS_KEY);
  const saved = text === undefined ? undefined : parseAccounts(text);
  if (saved === 'damaged')
    logger.warn({ key: ACCOUNTS_KEY }, 'Damaged copy of the users and clients: writing it again');
  const { serial } = await store.selectFrom('account_serial').select('serial').executeTakeFirstOrThrow();
  const { store_id } = await createIdentity(store).find();
  const isOwn = saved !== undefined && saved !== 'damaged' && saved.storeId === store_id;
  if (!isOwn || saved.serial < serial) return writeAccountsObject(bucket, store);
  const serials = { serial, savedSerial: saved.serial };
  if (saved.serial > serial)
    logger.warn(serials, 'Users and clients are older than their copy in the bucket: check them');
}
