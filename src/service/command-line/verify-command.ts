import path from 'node:path';
import { openBlobFolder } from '../blobs/blob-folder.js';
import { openSharedStore } from '../data-folder/open-data-store.js';
import { escapeControls } from '../escape-controls.js';
import { createDamageRecorder } from '../integrity/damage-recorder.js';
import { type Verdict, type VerifyDependencies, verifyFile } from '../integrity/verify-file.js';
import { createLogger } from '../logger.js';
import { StartError } from '../start-error.js';
import { createFiles, type Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';
import {
  BUCKET_OPTIONS,
  CONNECTION_OPTIONS,
  type DatabaseOptions,
  hideArguments,
  readDatabaseOptions,
} from './database-options.js';
import { defaultDataFolder } from './default-data-folder.js';
import { formatKey } from './format-key.js';
import { type OptionTable, parseOptions } from './parse-options.js';
import { refusePositionals } from './service-options.js';
import { writeText } from './write-text.js';

const OPTIONS: OptionTable = {
  data: { type: 'string', isPath: true },
  purge: { type: 'boolean' },
  ...CONNECTION_OPTIONS,
  ...BUCKET_OPTIONS,
};

/** Returns the lines that describe an outcome. None for a sound file with a sound record. */
function describe({ id, kind, filename }: FileRow, verdict: Verdict): string[] {
  const line = (outcome: string, detail = ''): string =>
    [outcome, kind, id, escapeControls(filename), escapeControls(detail)].join('\t').trimEnd();
  if (verdict.state === 'damaged') return [line('damaged', verdict.reason)];
  if (verdict.state === 'unknown') return [line('no digest yet')];
  if (verdict.state === 'deleted') return [];
  return [
    ...(verdict.isRestored ? [line('restored')] : []),
    ...(verdict.isRecordRebuilt ? [line('record rebuilt')] : []),
  ];
}

function printLine(text: string): Promise<void> {
  return writeText(process.stdout, `${text}\n`);
}

/** Checks all stored files and prints what is not in order. Resolves with the number of files by their state. */
async function verifyFiles(dependencies: VerifyDependencies & { files: Files }) {
  const { files } = dependencies;
  const counts: Record<Verdict['state'], number> = { sound: 0, damaged: 0, unknown: 0, deleted: 0 };
  let file = await files.findNextStored('');
  for (; file; file = await files.findNextStored(file.id)) {
    const verdict = await verifyFile(file, dependencies, new AbortController().signal);
    counts[verdict.state] += 1;
    for (const line of describe(file, verdict)) await printLine(line);
  }
  return counts;
}

function summarize({ sound, damaged, unknown }: Record<Verdict['state'], number>): string {
  const total = sound + damaged + unknown;
  return `Files and models: ${total}. Sound: ${sound}. Damaged: ${damaged}. Without a digest: ${unknown}.`;
}

/** Checks the files of a data folder. Resolves with the exit status. */
async function verifyFolder(folder: string, isPurging: boolean): Promise<number> {
  const store = await openSharedStore(folder); // also while the service runs: SQLite serializes writes
  try {
    const files = createFiles(store);
    const blobs = await openBlobFolder(folder);
    const damage = createDamageRecorder({ files, blobs, now: Date.now, logger: createLogger('silent') });
    const counts = await verifyFiles({ files, blobs, damage });
    await printLine(summarize(counts));
    if (isPurging) await printLine(`Deleted from quarantine: ${await blobs.purgeQuarantine()}.`);
    return counts.damaged > 0 ? 1 : 0;
  } finally {
    await store.destroy();
  }
}

/** Checks the files of a service on many machines. Resolves with the exit status. */
async function verifyDatabase(options: DatabaseOptions): Promise<number> {
  hideArguments('verify');
  const { withVerifiableBucket } = await import('../database-mode/database-mode.js');
  return withVerifiableBucket({ ...options, logger: createLogger('silent') }, async (bucket) => {
    const counts = await verifyFiles(bucket);
    let withoutRow = 0;
    for await (const key of bucket.findObjectsWithoutRow()) {
      withoutRow += 1;
      await printLine(`no row\tobject\t${formatKey(key)}`);
    }
    await printLine(`${summarize(counts)} Objects without a row: ${withoutRow}.`);
    return counts.damaged > 0 ? 1 : 0;
  });
}

/** Runs `model-processing verify`. Resolves with the exit status; throws `StartError` or the error of the disk. */
export async function verifyCommand(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, OPTIONS, process.env);
  refusePositionals(options);
  const data = options.stringValues.get('data');
  const isPurging = options.flags.has('purge');
  const database = readDatabaseOptions(options);
  if (!database) return verifyFolder(path.resolve(data ?? defaultDataFolder()), isPurging);
  if (data !== undefined || isPurging) {
    throw new StartError('USAGE', 'Invalid --data or --purge: --database-url has no data folder, and no quarantine.');
  }
  return verifyDatabase(database);
}
