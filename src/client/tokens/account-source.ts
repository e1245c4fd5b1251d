import { ClientError } from '../client-error.js';
import type { ClientOptions } from '../client-options.js';
import { abortedError } from '../clock.js';
import { raceAbort } from '../combine-signals.js';
import type { Account, TokenSource } from '../types.js';
import { readAccount } from './read-account.js';
import { createTokenSource } from './token-source.js';

/** An account with the source of its tokens. */
export interface OpenAccount {
  account: Account;
  tokens: TokenSource;
}

/**
 * Knows the account that a client works with now. Where a function tells it, that is asked each time; when it tells another
 * account than before (the local service came back at another address), the old token source is closed and a new one made.
 */
export class AccountSource {
  readonly #provider: (signal: AbortSignal) => Promise<Account>;
  readonly #createTokens: (account: Account) => TokenSource;
  #open: OpenAccount | undefined;
  #isClosed: boolean = false;

  /** A fixed account that makes no sense is a `TypeError` at once. */
  constructor(options: ClientOptions) {
    const { account } = options;
    if (typeof account === 'function') this.#provider = account;
    else {
      const fixed = readAccount(account);
      this.#provider = () => Promise.resolve(fixed);
    }
    this.#createTokens = options.tokenSource ?? ((told) => createTokenSource(told, options));
  }

  /** The account of the latest `current`, if there was one. */
  get open(): OpenAccount | undefined {
    return this.#open;
  }

  /** Throws the function's own `ClientError`, `NOT_CONFIGURED` for an account that makes no sense, `ABORTED`. */
  async current(signal: AbortSignal): Promise<OpenAccount> {
    const account = await this.#resolveAccount(signal);
    if (this.#isClosed) throw abortedError();
    if (!this.#open || !isSame(this.#open.account, account)) {
      this.#open?.tokens.close();
      this.#open = { account, tokens: this.#createTokens(account) };
    }
    return this.#open;
  }

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
      const reason = error instanceof Error ? error.message : 'no reason was given';
      throw new ClientError('NOT_CONFIGURED', `There is no account to work with: ${reason}`);
    }
  }
}

function isSame(a: Account, b: Account): boolean {
  return (['baseUrl', 'clientId', 'clientSecret', 'username', 'password'] as const).every(
    (name) => a[name] === b[name],
  );
}
