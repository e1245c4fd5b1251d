import path from 'node:path';
import { type AcknowledgmentLog, createAcknowledgmentLog } from '../support/acknowledgment-log.js';

/** What one user was told. `log.files` contains uploads and outputs that were downloaded. */
export interface Witness {
  username: string;
  log: AcknowledgmentLog;
  /** The ids of uploads, outputs and models whose deletion was acknowledged. */
  deleted: Set<string>;
  /** Operation → whether a callback was requested. */
  callbacks: Set<string>;
  /** The operations whose cancellation was requested. */
  cancelled: Set<string>;
}

/** Records outside of the service what it has acknowledged to a user. */
export function createWitness(folder: string, username: string): Witness {
  const log = createAcknowledgmentLog(path.join(folder, `${username}.jsonl`));
  return { username, log, deleted: new Set(), callbacks: new Set(), cancelled: new Set() };
}
