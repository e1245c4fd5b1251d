import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Makes a user directory of Node-RED in `parent`, with this checkout installed in it by a link, and a flow. Answers its path. */
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

/** A service's account as the environment of a Node-RED. */
export function accountEnvironment(account: {
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
