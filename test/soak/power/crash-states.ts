import { readFileSync } from 'node:fs';
import path from 'node:path';
import { computeDigest } from '../support/acknowledgment-log.js';
import { createRandom, type Random } from '../support/random.js';
import { type DiskFolder, findPlace, readFile, type Tree } from './disk.js';
import { choosePowerLoss, losePower, type PowerLoss } from './power-loss.js';
import type { Recording } from './record.js';
import { readSystemCalls, type SystemCall } from './system-calls.js';
import { TraceReplay } from './trace-replay.js';
import { readTree } from './tree-files.js';
import type { Answer, Fact } from './witness.js';

/** A disk after a power loss. */
export interface CrashState {
  number: number;
  /** The power is lost before this line of the trace. */
  line: number;
  loss: PowerLoss;
  /** The database was removed, so that it has to be rebuilt from the records. */
  isDatabaseLost: boolean;
  tree: Tree;
  /** What had been answered before. */
  answered: Fact[];
  /** The backups that had been started before, with what had been answered when each was started, and what had not. */
  backups: { name: string; isComplete: boolean; answered: Fact[]; unanswered: Fact[] }[];
  /** What had not. */
  unanswered: Fact[];
}

/** A trace that was replayed once without a power loss. */
export interface ReplayedTrace {
  /** The number of calls that changed or synced the data folder. */
  changes: number;
  /** Id of each output → SHA-256 of its bytes. */
  digests: Map<string, string>;
  /** Returns the states of `count` power losses. The same `seed` gives the same states. */
  createStates(count: number, seed: number): Generator<CrashState>;
}

const LOST_DATABASES = 0.1;
/** The changes while the service starts. */
const FIRST_CHANGES = 100;
const UNNAMED_CALLS = /^(p?writev?|pwrite64|ftruncate)$/;

/** Returns the line on which each answer was sent. Throws if the trace does not contain one of them. */
function findLines(answers: Answer[], replies: Map<string, number>): { fact: Fact; line: number }[] {
  return answers.map(({ answeredBy, ...fact }) => {
    const line = answeredBy === undefined ? -1 : replies.get(answeredBy);
    if (line === undefined) throw new Error(`The trace does not contain the answer ${answeredBy}.`);
    return { fact, line };
  });
}

/**
 * Chooses the lines before which the power is lost: often just after an answer, around a rename or a
 * sync, or during the first start.
 */
function chooseLines(count: number, changes: SystemCall[], answerLines: number[], random: Random): number[] {
  const important = changes.filter(({ name }) => !UNNAMED_CALLS.test(name));
  const choose = (): number => {
    const kind = random.next();
    if (kind > 0.9) return random.pick(changes.slice(0, FIRST_CHANGES)).returned;
    if (kind < 0.35 && answerLines.length > 0) return random.pick(answerLines) + 1;
    const call = random.pick(kind < 0.7 ? important : changes);
    return call.returned + random.integer(0, 1);
  };
  return Array.from({ length: count }, choose).sort((one, other) => one - other);
}

function computeBlobDigest(root: DiskFolder, id: string): string {
  const { folder, name } = findPlace(root, `data/blobs/${id.slice(0, 2)}/${id}`);
  const blob = folder.entries.get(name);
  if (blob?.type !== 'file') throw new Error(`The replay of the trace is wrong: the file ${id} is missing.`);
  return computeDigest(readFile(blob));
}

/** Removes the database from the data folder of a disk. */
function removeDatabase(disk: Tree): void {
  const data = disk.get('data');
  if (!(data instanceof Map)) return;
  for (const name of [...data.keys()]) if (name.startsWith('service.db')) data.delete(name);
}

/** Replays a recording. Throws if the trace contradicts an answer. */
export function replayTrace(recording: Recording): ReplayedTrace {
  const calls = readSystemCalls(readFileSync(path.join(recording.folder, 'trace'), 'latin1'));
  const startReplay = (): TraceReplay =>
    new TraceReplay(calls, recording.root, readTree(path.join(recording.folder, 'before')));
  const replay = startReplay();
  const changes: SystemCall[] = [];
  const replies = new Map<string, number>();
  replay.onChange = (call) => changes.push(call);
  replay.onOutput = ({ line, peer, bytes }) => {
    const text = bytes.subarray(0, 100).toString();
    const isAnswer = peer === undefined || /^HTTP\/1\.1 [2-5]/.test(text);
    const key = peer ?? text.trimEnd();
    if (isAnswer && !replies.has(key)) replies.set(key, line);
  };
  replay.advanceTo(Number.POSITIVE_INFINITY);
  const answers = findLines(recording.answers, replies);
  const digests = new Map<string, string>();
  for (const { fact } of answers) {
    const outputId = fact.type === 'completed' ? (fact.result.resultId ?? fact.result.fileId) : undefined;
    if (outputId !== undefined) digests.set(outputId, computeBlobDigest(replay.root, outputId));
    if (fact.type === 'file' && !fact.mayExpire && computeBlobDigest(replay.root, fact.id) !== fact.sha256)
      throw new Error(`The replay of the trace is wrong: it has other bytes of the file ${fact.id}.`);
  }

  function* createStates(count: number, seed: number): Generator<CrashState> {
    const random = createRandom(seed);
    const answerLines = answers.map(({ line }) => line).filter((line) => line >= 0);
    const disk = startReplay();
    for (const [number, line] of chooseLines(count, changes, answerLines, random).entries()) {
      disk.advanceTo(line);
      const loss = choosePowerLoss(random);
      const tree = losePower(disk.root, loss, random);
      const isDatabaseLost = random.next() < LOST_DATABASES;
      if (isDatabaseLost) removeDatabase(tree);
      const splitFacts = (end: number): { answered: Fact[]; unanswered: Fact[] } => ({
        answered: answers.filter((one) => one.line < end).map(({ fact }) => fact),
        unanswered: answers.filter((one) => one.line >= end).map(({ fact }) => fact),
      });
      const startLineOf = (backup: Fact & { type: 'backup' }): number => replies.get(backup.startedBy) ?? 0;
      const backups = answers.flatMap(({ fact, line: end }) =>
        fact.type === 'backup' && startLineOf(fact) < line
          ? [{ name: fact.name, isComplete: end < line, ...splitFacts(startLineOf(fact)) }]
          : [],
      );
      yield {
        number,
        line,
        loss,
        isDatabaseLost,
        tree,
        ...splitFacts(line),
        backups,
      };
    }
  }
  return { changes: changes.length, digests, createStates };
}
