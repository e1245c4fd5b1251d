import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { type PendingWait, PendingWaits } from '../../../../../nodes/shared/waits/pending-waits.js';
import { WaitJournal, type WaitJournalOptions } from '../../../../../nodes/shared/waits/wait-journal.js';

/** Creates a wait for an operation. `more`: further properties of its message. */
export function waitFor(operationId: string, more: object = {}): PendingWait {
  return {
    msg: { _msgid: operationId, payload: { operationId }, ...more },
    operation: 'repair',
    operationId,
    filename: 'part.stl',
    startedAt: 5,
    deadline: 7,
    service: 'config',
  };
}

/** Registers hooks that create an empty folder before each test, and that close its waits and delete it afterwards. */
export function registerPendingWaitsBench() {
  const folder = path.join(os.tmpdir(), `pending-${randomUUID()}`);
  const file = path.join(folder, 'waits.jsonl');
  const warnings: string[] = [];
  const instances: PendingWaits[] = [];
  let journalOptions: Partial<WaitJournalOptions>;
  let notifyStarted: (isMissing: (path: string) => boolean) => void;

  beforeEach(() => {
    mkdirSync(folder);
    for (const list of [warnings, instances]) list.length = 0;
    journalOptions = {};
    notifyStarted = () => undefined;
  });
  afterEach(async () => {
    for (const instance of instances) await instance.close();
    rmSync(folder, { recursive: true });
  });

  const listen = (onStarted: typeof notifyStarted) => {
    notifyStarted = onStarted;
    return () => undefined;
  };

  return {
    file,
    warnings,
    listen,
    /** Returns the waits as after a start of Node-RED. */
    start: (): PendingWaits => {
      const fail = (message: string) => should.fail(message, '');
      const journal = new WaitJournal(file, { report: { warn: fail, error: fail }, ...journalOptions });
      const waits = new PendingWaits({ journal, listen, warn: (message) => warnings.push(message) });
      instances.push(waits);
      return waits;
    },
    /** Sets further options of the journals that are opened from now on. */
    setJournalOptions: (options: Partial<WaitJournalOptions>): void => {
      journalOptions = options;
    },
    /** Notifies the listeners that all nodes have started. */
    notifyStarted: (isMissing: (path: string) => boolean): void => notifyStarted(isMissing),
  };
}
