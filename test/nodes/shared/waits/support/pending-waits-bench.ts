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
  const infos: string[] = [];
  const instances: PendingWaits[] = [];
  let journalOptions: Partial<WaitJournalOptions>;

  beforeEach(() => {
    mkdirSync(folder);
    for (const list of [warnings, infos, instances]) list.length = 0;
    journalOptions = {};
  });
  afterEach(async () => {
    for (const instance of instances) await instance.close();
    rmSync(folder, { recursive: true });
  });

  return {
    file,
    warnings,
    infos,
    /** Returns the waits as after a start of Node-RED. */
    start: (): PendingWaits => {
      const log = { info: (line: string) => void infos.push(line), warn: (line: string) => void warnings.push(line) };
      const fail = (message: string) => should.fail(message, '');
      const journal = new WaitJournal(file, { report: { warn: fail, error: fail }, ...journalOptions });
      const waits = new PendingWaits({ journal, log });
      instances.push(waits);
      return waits;
    },
    /** Sets further options of the journals that are opened from now on. */
    setJournalOptions: (options: Partial<WaitJournalOptions>): void => {
      journalOptions = options;
    },
    /** Tells the waits that were opened last that the nodes of these flows have started. */
    notifyStarted: (...flows: object[]): void => instances.at(-1)?.onDeployed([{ id: 'tab', type: 'tab' }, ...flows]),
  };
}

/** Creates a node of a flow. `z`: the id of its tab or subflow. */
export function nodeIn(z: string, id: string, more: object = {}): object {
  return { id, z, type: 'model-processing-wait', ...more };
}
