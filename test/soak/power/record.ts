import { cpSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { SPARE_BYTES } from '../../../src/service/defaults.js';
import { eventually } from '../../helpers/processes.js';
import { sphere } from '../../service/support/models.js';
import { startProgram } from '../../service/support/program.js';
import { readCredentials } from '../../service/support/running.js';
import type { Random } from '../support/random.js';
import { startTracedShell, type TracedShell } from './traced-shell.js';
import { type Answer, createSender, logInWitness, type SendTraced, type Witness } from './witness.js';

const DAY_MS = 24 * 60 * 60 * 1000;
// In a sandbox, the trace would name files by the paths that they have there.
const SERVE = ['serve', '--port', '0', '--workers', '2', '--memory', '512M', '--sandbox', 'off', '--log-level', 'warn'];

/**
 * A recorded service. `disk/` contains its data folder `data` and a backup of it, `before/` is a copy of `disk/` before
 * the trace, `trace` is the output of strace, and `answers.json` what the service answered.
 */
export interface Recording {
  folder: string;
  /** The path of `disk/` in the trace. */
  root: string;
  answers: Answer[];
}

/** Uploads files, and runs operations on models, also twice on the same one. */
async function work(witness: Witness, random: Random, { uploads, rounds }: { uploads: number; rounds: number }) {
  const upload = async (): Promise<void> => {
    for (let count = 0; count < uploads; count++) await witness.upload(random.bytes(random.integer(1, 60_000)));
  };
  const operate = async (): Promise<void> => {
    let fileId = '';
    for (let round = 0; round < rounds; round++) {
      if (round % 3 !== 2) fileId = await witness.upload(sphere(random.integer(4, 12), 10));
      const repaired = await witness.run('repair', { inputId: await witness.run('import', { fileId }) });
      await witness.download(await witness.run('export', { inputId: repaired, exportToFormat: 'stl' }));
    }
  };
  await Promise.all([upload(), operate(), operate()]);
}

/** Runs a service without a trace. Returns its answers. */
async function workUntraced(program: string, data: string, random: Random): Promise<Answer[]> {
  const service = startProgram([...SERVE, '--data', data], {}, program);
  await eventually('serve is listening', () => service.lines[0]);
  const witness = await logInWitness(await readCredentials(data));
  await work(witness, random, { uploads: 6, rounds: 1 });
  service.child.kill('SIGTERM');
  await service.ended;
  return witness.answers.map((answer) => ({ ...answer, answeredBy: undefined }));
}

/** Fills a data folder with files of a day ago, which a service with `--keep-days 1` deletes, and with new ones. */
async function fillFolder(program: string, data: string, random: Random): Promise<Answer[]> {
  const old = await workUntraced(program, data, random);
  const store = new Database(path.join(data, 'service.db'));
  store.prepare('update retention_time set saved_at = saved_at - ?').run(DAY_MS);
  store.close();
  const current = await workUntraced(program, data, random);
  writeFileSync(path.join(data, 'spare'), '');
  truncateSync(path.join(data, 'spare'), SPARE_BYTES); // a service would write random bytes to the trace
  const credentials: Answer = { type: 'credentials', ...(await readCredentials(data)), answeredBy: undefined };
  const oldFiles = old.flatMap((answer) => (answer.type === 'file' ? { ...answer, mayExpire: true as const } : []));
  return [...oldFiles, ...current, credentials];
}

interface TracedWork {
  program: string;
  data: string;
  random: Random;
  send: SendTraced;
  /** The number of the service in the trace. */
  run: number;
  /** Files that the service deletes. */
  oldIds: string[];
}

/** Adds a user with the command line. */
async function addUser(shell: TracedShell, { program, data, random, run }: TracedWork): Promise<Answer> {
  const account = { username: `user ${run}`, password: `password ${random.next()}` };
  const command = `'${process.execPath}' '${program}' user add '${account.username}' --data '${data}'`;
  shell.send(`echo '${account.password}' | ${command} && echo 'added ${run}'`);
  await shell.mark(`after user ${run}`);
  return { type: 'account', ...account, answeredBy: `added ${run}` };
}

/** Copies the data folder with the command line, while the service works. */
async function backUp(shell: TracedShell, { program, data, run }: TracedWork): Promise<Answer> {
  const [startedBy, answeredBy] = [`backup ${run} starts`, `backup ${run} is complete`];
  await shell.mark(startedBy);
  const name = `backup-${run}`;
  const target = path.join(path.dirname(data), name);
  shell.send(`'${process.execPath}' '${program}' backup '${target}' --data '${data}' && echo '${answeredBy}'`);
  await shell.mark(`after backup ${run}`);
  return { type: 'backup', name, startedBy, answeredBy };
}

/** Runs a traced service until it is stopped by `signal`. */
async function workTraced(shell: TracedShell, traced: TracedWork, signal: 'TERM' | 'KILL'): Promise<Answer[]> {
  const { program, data, random, send, run, oldIds } = traced;
  const output = path.join(path.dirname(data), '..', `url-${run}`);
  const serve = `'${process.execPath}' '${program}' ${SERVE.join(' ')} --keep-days 1 --data '${data}'`;
  shell.send(`${serve} < /dev/null > '${output}' & pid=$!`);
  await eventually('the traced serve is listening', () => readOrEmpty(output).includes('\n'));
  await shell.mark(`ready ${run}`);
  const credentials = await readCredentials(data);
  const witness = await logInWitness(credentials, send);
  const download = async (): Promise<void> => {
    for (const id of oldIds) await witness.download(id);
  };
  const useShell = async (): Promise<Answer[]> => [await addUser(shell, traced), await backUp(shell, traced)];
  const [shellAnswers] = await Promise.all([useShell(), work(witness, random, { uploads: 10, rounds: 3 }), download()]);
  await shell.mark(`answered ${run}`); // the trace of the last reply is complete then
  shell.send(`kill -${signal} $pid; wait $pid`);
  await shell.mark(`stopped ${run}`);
  return [{ type: 'credentials', ...credentials, answeredBy: `ready ${run}` }, ...shellAnswers, ...witness.answers];
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Records a service that works, stops, starts again, works and is killed. `isNew`: in a new data folder; otherwise in one
 * with old files, which expire at the start, and new ones. Requires strace.
 */
export async function record(
  program: string,
  folder: string,
  random: Random,
  { isNew }: { isNew: boolean },
): Promise<Recording> {
  const disk = path.join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  const data = path.join(disk, 'data');
  const before = isNew ? [] : await fillFolder(program, data, random);
  cpSync(disk, path.join(folder, 'before'), { recursive: true });
  const oldIds = before.flatMap((answer) => (answer.type === 'file' && answer.mayExpire ? answer.id : []));
  const shell = startTracedShell(path.join(folder, 'trace'));
  const work = { program, data, random, send: createSender() };
  const first = await workTraced(shell, { ...work, run: 1, oldIds }, 'TERM');
  const second = await workTraced(shell, { ...work, run: 2, oldIds: [] }, 'KILL');
  await shell.close();
  const recording = { folder, root: disk, answers: [...before, ...first, ...second] };
  writeFileSync(path.join(folder, 'answers.json'), JSON.stringify(recording));
  return recording;
}

/** Reads a recording that was kept. */
export function readRecording(folder: string): Recording {
  return { ...JSON.parse(readFileSync(path.join(folder, 'answers.json'), 'utf8')), folder };
}
