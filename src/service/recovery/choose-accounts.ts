import type { AccountSnapshot } from '../store/accounts.js';
import type { OldDatabase } from './old-database.js';
import { ACCOUNT_SERIALS, CLIENTS, USERS } from './parse-rows.js';

/** The users and clients to recover, and where they come from. */
export interface ChosenAccounts extends Omit<AccountSnapshot, 'storeId'> {
  source: 'accounts.json' | 'database' | 'none';
}

/**
 * Chooses the users and clients of the database if all of them are readable and newer than those of `accounts.json`, or
 * if there is no such file. Otherwise those of the file.
 */
export function chooseAccounts(file: AccountSnapshot | undefined, database: OldDatabase): ChosenAccounts {
  const userTable = database.readTable(USERS);
  const clientTable = database.readTable(CLIENTS);
  const [users, clients] = [[...userTable.rows], [...clientTable.rows]];
  const [{ serial } = { serial: 0 }] = database.readTable(ACCOUNT_SERIALS).rows;
  const isComplete = userTable.isComplete() && clientTable.isComplete();
  const isNewer = file === undefined || (isComplete && Number.isSafeInteger(serial) && serial > file.serial);
  if (file && !isNewer)
    return { source: 'accounts.json', serial: file.serial, users: file.users, clients: file.clients };
  const source = users.length > 0 || clients.length > 0 ? 'database' : 'none';
  return { source, serial, users, clients };
}
