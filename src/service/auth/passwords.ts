import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

// scrypt (RFC 7914) with the parameters that OWASP recommends for little memory: 32 MiB and about 0.2 s per attempt,
// feasible on a Raspberry Pi.
const COST = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const MAX_MEMORY = 128 * 1024 * 1024;

function deriveKey(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** Returns the hash of a password, to be stored: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join('$');
}

// A hash that no password matches, of the same cost. An unknown user takes as long to check as an existing one, so that
// the timing does not reveal usernames.
const DUMMY_HASH = ['scrypt', COST.N, COST.r, COST.p, Buffer.alloc(16).toString('base64'), 'AA=='].join('$');

/**
 * Resolves with whether `password` has the hash `stored`; without `stored` always false. Each call takes 32 MiB and a
 * thread of the pool that reads files.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (stored ?? DUMMY_HASH).split('$');
  const expectedKey = Buffer.from(key, 'base64');
  const derivedKey = await deriveKey(password, Buffer.from(salt, 'base64'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return expectedKey.length === derivedKey.length && timingSafeEqual(expectedKey, derivedKey);
}
