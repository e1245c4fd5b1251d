import type { Accounts } from '../store/accounts.js';
import type { UserRow } from '../store/schema.js';
import type { LoginCaller, LoginChecks } from './login-checks.js';
import { type PasswordCost, verifyPassword } from './passwords.js';

/** Resolves with the user of `caller` if the password is theirs. Throws the errors of `LoginChecks`. */
export type FindUserByPassword = (caller: LoginCaller, password: string) => Promise<UserRow | undefined>;

/**
 * Creates the function that finds a user by name and password, when it is the turn of the caller. `cost`: of the check
 * of an unknown user. Default: that of `verifyPassword`.
 */
export function createUserFinder(
  accounts: Pick<Accounts, 'findUser'>,
  checkLogin: LoginChecks,
  cost?: PasswordCost,
): FindUserByPassword {
  return async (caller, password) => {
    let found: UserRow | undefined;
    await checkLogin(caller, async () => {
      const user = await accounts.findUser(caller.username);
      if (await verifyPassword(password, user?.password_hash, cost)) found = user;
      return found !== undefined;
    });
    return found;
  };
}
