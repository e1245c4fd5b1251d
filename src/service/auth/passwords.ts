import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

// OWASP's scrypt parameters for little memory: 32 MiB and about 0.2 s a try, so that a Raspberry Pi can carry it.
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

/** What is stored of a password: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join('$');
}

// A hash that no password has, of the same cost: who asks for an unknown user waits as long as for a known one.
const DUMMY_HASH = ['scrypt', COST.N, COST.r, COST.p, Buffer.alloc(16).toString('base64'), 'AA=='].join('$');

async function verify(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = stored.split('$');
  const wanted = Buffer.from(key, 'base64');
  const derivedKey = await deriveKey(password, Buffer.from(salt, 'base64'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return wanted.length === derivedKey.length && timingSafeEqual(wanted, derivedKey);
}

/** Checks passwords one after the other: each takes 32 MiB and a thread of the pool that reads files. */
export function createPasswordCheck() {
  let last: Promise<unknown> = Promise.resolve();
  /** Whether `password` is the one that `stored` was made of; without `stored` it never is. */
  return (password: string, stored: string | undefined): Promise<boolean> => {
    const next = last.then(() => verify(password, stored ?? DUMMY_HASH));
    last = next.catch(() => undefined); // the caller is told; the next one in line is served all the same
    return next;
  };
}

export type PasswordCheck = ReturnType<typeof createPasswordCheck>;
