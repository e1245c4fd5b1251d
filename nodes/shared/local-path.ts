import os from 'node:os';
import path from 'node:path';
import { asRecord } from './message/message-input.js';
import { findScheme } from './node/field-rules.js';
import { createNodeError } from './node/flow-error.js';

/** Replaces `~` at the start of a path by the home folder, as shells do. `~name` and `~file.stl` are left unchanged. */
export function expandHome(file: string, home: string = os.homedir()): string {
  const isBelowHome = file === '~' || file.startsWith('~/') || file.startsWith(`~${path.sep}`);
  return isBelowHome ? path.join(home, file.slice(1)) : file;
}

/**
 * Throws `INPUT_INVALID` if a value is a URL, which would otherwise be resolved like a relative path. The message has
 * `name` and `remedy`, but not the URL, because it may contain a secret.
 */
export function assertNoUrl(value: string, name: string, remedy: string): void {
  const scheme = findScheme(value);
  if (scheme === undefined) return;
  throw createNodeError('INPUT_INVALID', `Invalid ${name}: expected a path, not a URL (${scheme}://…). ${remedy}`);
}

/** Returns the user directory of Node-RED. An application that embeds Node-RED may set none. */
export function findUserDir(settings: object): string {
  const { userDir } = asRecord(settings);
  return typeof userDir === 'string' && userDir !== '' ? path.resolve(userDir) : path.join(os.homedir(), '.node-red');
}
