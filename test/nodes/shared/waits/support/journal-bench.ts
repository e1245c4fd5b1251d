import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Scheduler } from '../../../../../nodes/shared/delay.js';
import { WaitJournal, type WaitJournalOptions } from '../../../../../nodes/shared/waits/wait-journal.js';

/** Registers hooks that create an empty folder before each test, and that close its journals and delete it afterwards. */
export function registerJournalBench() {
  const folder = path.join(os.tmpdir(), `journal-${randomUUID()}`);
  const file = path.join(folder, 'waits.jsonl');
  const tempDir = path.join(folder, 'temporary');
  const warnings: string[] = [];
  const errors: string[] = [];
  const opened: WaitJournal[] = [];
  let runScheduled: () => void;

  beforeEach(() => {
    mkdirSync(tempDir, { recursive: true });
    for (const list of [warnings, errors, opened]) list.length = 0;
    runScheduled = () => undefined;
  });
  afterEach(async () => {
    for (const journal of opened) await journal.close();
    rmSync(folder, { recursive: true });
  });

  const open = (more: Partial<WaitJournalOptions> = {}, name = file): WaitJournal => {
    const report = {
      warn: (message: string) => void warnings.push(message),
      error: (message: string) => void errors.push(message),
    };
    const schedule: Scheduler = (run) => {
      runScheduled = run;
      return () => (runScheduled = () => undefined);
    };
    const journal = new WaitJournal(name, { report, schedule, tempDir, boot: 'this', ...more });
    opened.push(journal);
    return journal;
  };

  return {
    folder,
    file,
    warnings,
    errors,
    open,
    /** Returns the file of damaged lines. */
    damaged: (): string => path.join(folder, 'waits.damaged.jsonl'),
    /** Runs the scheduled retry, as if its time had come. */
    runScheduled: (): void => runScheduled(),
  };
}
