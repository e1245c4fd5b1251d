import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { PoolConfig } from 'pg';
import { StartError } from '../../start-error.js';

type TlsOptions = NonNullable<PoolConfig['ssl']>;

/** The parameters of a URL that `readTls` reads. pg would give some of them another meaning. */
const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;

function refuse(reason: string): never {
  throw new StartError('USAGE', `Invalid --database-url: ${reason}.`);
}

/** Parses the URL. Without its text in the error, because it can contain a password. */
function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return refuse('expected postgres://user:password@host:port/database');
  }
  return url;
}

/**
 * Refuses parameters that pg reads in another way than this file, and that could lower the protection: further ones of
 * TLS, and one that is set twice, of which pg takes the last.
 */
function refuseAmbiguous({ searchParams }: URL): void {
  const names = [...searchParams.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) refuse(`${repeated} is set twice`);
  const known: readonly string[] = TLS_PARAMETERS;
  const unknown = names.find((name) => /^(?:ssl|uselibpqcompat)/i.test(name) && !known.includes(name));
  if (unknown !== undefined) {
    refuse(`${unknown} is not supported. Set sslmode to disable, require, verify-ca or verify-full`);
  }
}

/** Returns whether a host is this machine. Sockets of Unix are files. */
function isLocal(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (address === '' || address === 'localhost' || decodeURIComponent(address).startsWith('/')) return true;
  return isIP(address) !== 0 && (address === '::1' || address.startsWith('127.'));
}

function readFile(url: URL, name: (typeof TLS_PARAMETERS)[number]): string | undefined {
  const file = url.searchParams.get(name);
  if (file === null) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return refuse(`could not read ${name} ${file} (${error instanceof Error ? error.message : error})`);
  }
}

/** Reads the options of TLS. The modes are those of libpq; `prefer` and `allow` protect from nothing, and are refused. */
function readTls(url: URL, host: string): TlsOptions {
  const mode = url.searchParams.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  const [ca, cert, key] = [readFile(url, 'sslrootcert'), readFile(url, 'sslcert'), readFile(url, 'sslkey')];
  const files = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (mode === 'verify-full') return { ...files, rejectUnauthorized: true };
  if (mode === 'verify-ca') return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  if (mode === 'require') return { ...files, rejectUnauthorized: false };
  return refuse(`sslmode "${mode}" is not one of disable, require, verify-ca, verify-full`);
}

/** How to connect to a database, and its name in messages, which contains no secret. */
export interface ConnectionOptions {
  connectionString: string;
  ssl: TlsOptions;
  displayName: string;
}

/**
 * Parses the URL of a database: `postgres://user:password@host:port/database`, with `sslmode`, `sslrootcert`, `sslcert`
 * and `sslkey` as in libpq. Default: TLS that verifies certificate and name (`verify-full`), and none on a loopback
 * address or a Unix socket (`?host=/run/postgresql`). A URL without a host means `PGHOST`. Throws `USAGE`.
 */
export function readConnectionOptions(text: string, environment = process.env): ConnectionOptions {
  const url = parseUrl(text);
  refuseAmbiguous(url);
  const host = url.searchParams.get('host') ?? (url.hostname || (environment.PGHOST ?? '')); // as pg
  const ssl = readTls(url, host);
  for (const name of TLS_PARAMETERS) url.searchParams.delete(name);
  const displayName = `${host || 'localhost'}${url.port && `:${url.port}`}${url.pathname}`;
  return { connectionString: url.href, ssl, displayName };
}
