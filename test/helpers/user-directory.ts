import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Creates a user directory of Node-RED in `parent` (default: the folder for temporary files) with a flow, and installs
 * this checkout in it by a link. Returns its path.
 */
export function createUserDirectory(flow: object[], parent = os.tmpdir()): string {
  const userDir = mkdtempSync(path.join(parent, 'user-directory-'));
  const scope = path.join(userDir, 'node_modules/@model-processing');
  mkdirSync(scope, { recursive: true });
  symlinkSync(process.cwd(), path.join(scope, 'node-red'), 'junction');
  const manifest = { name: 'user', private: true, dependencies: { '@model-processing/node-red': '*' } };
  writeFileSync(path.join(userDir, 'package.json'), JSON.stringify(manifest));
  writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flow));
  return userDir;
}

/** Returns the environment variables of Node-RED for an account of a remote service. */
export function createAccountEnvironment(account: {
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}): Record<string, string> {
  return {
    MODEL_PROCESSING_CLIENT_ID: account.clientId,
    MODEL_PROCESSING_CLIENT_SECRET: account.clientSecret,
    MODEL_PROCESSING_USERNAME: account.username,
    MODEL_PROCESSING_PASSWORD: account.password,
  };
}
