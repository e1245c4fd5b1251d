import { ClientError } from '../client-error.js';
import type { ClientOptions } from '../client-options.js';
import { abortedError } from '../clock.js';
import { raceAbort } from '../combine-signals.js';
import type { Account, TokenSource } from '../types.js';
import { readAccount } from './read-account.js';
import { createTokenSource } from './token-source.js';

/** An account and its token source. */
export interface OpenAccount {
  account: Account;
  tokens: TokenSource;
}

/**
 * Provides the account that a client uses. If the option `account` is a function, it is called before each attempt. If
 * it returns a different account, for example because the local service restarted on a different port, the previous
 * token source is closed and a new one is created.
 */
export class AccountSource {
  readonly #provider: (signal: AbortSignal) => Promise<Account>;
  readonly #createTokens: (account: Account) => TokenSource;
  #open: OpenAccount | undefined;
  #isClosed: boolean = false;

  /** Throws a `TypeError` if a fixed account is invalid. */
  constructor(options: ClientOptions) {
    const { account } = options;
    if (typeof account === 'function') this.#provider = account;
    else {
      const fixed = readAccount(account);
      this.#provider = () => Promise.resolve(fixed);
    }
    this.#createTokens = options.tokenSource ?? ((resolved) => createTokenSource(resolved, options));
  }

  /** The account that `current` returned last. Undefined before the first call and after `close`. */
  get open(): OpenAccount | undefined {
    return this.#open;
  }

  /**
   * Returns the current account and its token source. Throws the `ClientError` of the function, `NOT_CONFIGURED` for an
   * invalid account or another error of the function, and `ABORTED`.
   */
  async current(signal: AbortSignal): Promise<OpenAccount> {
    const account = await this.#resolveAccount(signal);
    if (this.#isClosed) throw abortedError();
    if (!this.#open || !isSame(this.#open.account, account)) {
      this.#open?.tokens.close();
      this.#open = { account, tokens: this.#createTokens(account) };
    }
    return this.#open;
  }

  /** Closes the current token source. Further calls throw `ABORTED`. */
  close(): void {
    this.#isClosed = true;
    this.#open?.tokens.close();
    this.#open = undefined;
  }

  async #resolveAccount(signal: AbortSignal): Promise<Account> {
    try {
      return readAccount(await raceAbort(this.#provider(signal), signal, abortedError));
    } catch (error) {
      if (error instanceof ClientError) throw error;
      if (signal.aborted) throw abortedError();
      const reason = error instanceof Error ? error.message : 'unknown reason';
      throw new ClientError('NOT_CONFIGURED', `Could not determine the account: ${reason}`);
    }
  }
}

function isSame(a: Account, b: Account): boolean {
  return (['baseUrl', 'clientId', 'clientSecret', 'username', 'password'] as const).every(
    (name) => a[name] === b[name],
  );
}
