import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of a hash: the parameters N, r and p of scrypt (RFC 7914). */
export type PasswordCost = Required<Pick<ScryptOptions, 'N' | 'r' | 'p'>>;

/** The default: what OWASP recommends for little memory. 32 MiB and about 0.2 s per attempt, feasible on a Raspberry Pi. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, r: 8, p: 3 };

const KEY_BYTES = 32;
const MAX_MEMORY = 128 * 1024 * 1024;

function deriveKey(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function formatHash({ N, r, p }: PasswordCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$');
}

/** Returns the hash of a password, to be stored: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string, cost: PasswordCost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(16);
  return formatHash(cost, salt, await deriveKey(password, salt, cost));
}

/**
 * Resolves with whether `password` has the hash `stored`, which names its own cost. Without `stored` it resolves with
 * false, after a hash of `cost`: an unknown user takes as long to check as an existing one, so that the timing does not
 * reveal usernames. By default each call takes 32 MiB and a thread of the pool that reads files.
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
  cost: PasswordCost = PASSWORD_COST,
): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (stored ?? formatHash(cost, Buffer.alloc(16), Buffer.alloc(1))).split('$');
  const expectedKey = Buffer.from(key, 'base64');
  const derivedKey = await deriveKey(password, Buffer.from(salt, 'base64'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return expectedKey.length === derivedKey.length && timingSafeEqual(expectedKey, derivedKey);
}
