import path from 'node:path';
import { openBlobFolder } from '../blobs/blob-folder.js';
import { openSharedStore } from '../data-folder/open-data-store.js';
import { createDamageRecorder } from '../integrity/damage-recorder.js';
import { type Verdict, verifyFile } from '../integrity/verify-file.js';
import { createLogger } from '../logger.js';
import { StartError } from '../start-error.js';
import type { Store } from '../store/database.js';
import { createFiles } from '../store/files.js';
import type { FileRow } from '../store/schema.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, parseOptions } from './parse-options.js';
import { writeText } from './write-text.js';

const OPTIONS: OptionTable = { data: { type: 'string', isPath: true }, purge: { type: 'boolean' } };

/** Returns the lines that describe an outcome. None for a sound file with a sound record. */
function describe({ id, kind, filename }: FileRow, verdict: Verdict): string[] {
  const line = (outcome: string, detail = ''): string => [outcome, kind, id, filename, detail].join('\t').trimEnd();
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

/** Checks all stored files and prints the outcome. Resolves with the number of damaged ones. */
async function verifyAll(store: Store, folder: string, isPurging: boolean): Promise<number> {
  const files = createFiles(store);
  const blobs = await openBlobFolder(folder);
  const damage = createDamageRecorder({ files, blobs, now: Date.now, logger: createLogger('silent') });
  const counts: Record<Verdict['state'], number> = { sound: 0, damaged: 0, unknown: 0, deleted: 0 };
  let file = await files.findNextStored('');
  for (; file; file = await files.findNextStored(file.id)) {
    const verdict = await verifyFile(file, { blobs, files, damage }, new AbortController().signal);
    counts[verdict.state] += 1;
    for (const line of describe(file, verdict)) await printLine(line);
  }
  const { sound, damaged, unknown } = counts;
  const total = sound + damaged + unknown;
  await printLine(`Files and models: ${total}. Sound: ${sound}. Damaged: ${damaged}. Without a digest: ${unknown}.`);
  if (isPurging) await printLine(`Deleted from quarantine: ${await blobs.purgeQuarantine()}.`);
  return damaged;
}

/** Runs `model-processing verify`. Resolves with the exit status; throws `StartError` or the error of the disk. */
export async function verifyCommand(args: readonly string[]): Promise<number> {
  const { positionals, stringValues, flags } = parseOptions(args, OPTIONS, process.env);
  const [unexpected] = positionals;
  if (unexpected !== undefined) throw new StartError('USAGE', `Unexpected argument "${unexpected}". See --help.`);
  const folder = path.resolve(stringValues.get('data') ?? defaultDataFolder());
  const store = await openSharedStore(folder); // also while the service runs: SQLite serializes writes
  try {
    return (await verifyAll(store, folder, flags.has('purge'))) > 0 ? 1 : 0;
  } finally {
    await store.destroy();
  }
}
