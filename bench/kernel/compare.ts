import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { importFormatOf } from '../../src/mesh/formats/table.js';
import { type Judgement, runJudge } from '../judge/judge.js';
import { median, rounded } from './figures.js';
import { readVolumes } from './read-volumes.js';
import { findTools, type Repaired } from './tools.js';

/** A volume within this share of the true one is kept. */
const VOLUME_SHARE = 0.05;

/** What one column of the table comes to. `kept`: solid and of the true volume, of the models whose volume is known; absent without any. */
export interface Column {
  models: number;
  solid: number;
  kept?: number;
  known?: number;
  medianMs: number;
  peakMb?: number;
  /** Ours only: said to be a solid where the judge finds none. */
  saidWrongly?: number;
}

interface Trial extends Omit<Repaired, 'says'> {
  says: string | undefined;
  judgement: Judgement | undefined;
  truth: number | undefined;
}

/** Has every tool repair every model of a folder, and the judge look at the results. Prints a line a model, and answers the columns. */
export async function compare(folder: string, judge: string): Promise<Record<string, Column>> {
  const tools = await findTools();
  const volumes = readVolumes(folder);
  const trials = new Map<string, Trial[]>(tools.flatMap(({ columns }) => columns.map((name) => [name, []])));
  for (const name of readdirSync(folder).filter((file) => importFormatOf(file) !== undefined)) {
    const scratch = mkdtempSync(path.join(os.tmpdir(), 'bench-kernel-'));
    try {
      const words: string[] = [];
      for (const tool of tools) {
        const repaired = tool.repair(path.join(folder, name), scratch);
        for (const column of tool.columns) {
          const says = repaired.says?.[column];
          const trial = {
            ...repaired,
            says,
            judgement: judged(judge, repaired.files[column]),
            truth: volumes.get(name),
          };
          trials.get(column)?.push(trial);
          words.push(`${column}: ${wordsOf(trial)}`);
        }
      }
      console.log(`${name.slice(0, 40).padEnd(42)}${words.join(' | ')}`);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return Object.fromEntries([...trials].map(([column, all]) => [column, columnOf(all)]));
}

/** A judge that crashes, or takes too long, has found no solid. */
function judged(judge: string, file: string | undefined): Judgement | undefined {
  if (file === undefined) return undefined;
  try {
    return runJudge(judge, file);
  } catch {
    return undefined;
  }
}

const isKept = ({ judgement, truth }: Trial): boolean =>
  judgement?.isSolid === true && truth !== undefined && Math.abs(judgement.volumeMm3 / truth - 1) <= VOLUME_SHARE;

function wordsOf(trial: Trial): string {
  const { judgement, truth, ms } = trial;
  const level = judgement === undefined ? 'nothing' : judgement.isSolid ? 'solid' : 'not solid';
  const kept = truth === undefined ? '' : isKept(trial) ? ', kept' : ', lost';
  return `${level}${kept} ${ms.toFixed(0)} ms`;
}

function columnOf(trials: readonly Trial[]): Column {
  const known = trials.filter(({ truth }) => truth !== undefined);
  const peaks = trials.flatMap(({ peakMb }) => peakMb ?? []);
  const wrong = trials.filter(({ says, judgement }) => says === 'solid' && judgement?.isSolid !== true);
  return {
    models: trials.length,
    solid: trials.filter(({ judgement }) => judgement?.isSolid).length,
    ...(known.length > 0 && { kept: known.filter(isKept).length, known: known.length }),
    medianMs: rounded(median(trials.map(({ ms }) => ms))),
    ...(peaks.length > 0 && { peakMb: rounded(Math.max(...peaks)) }),
    ...(trials.some(({ says }) => says !== undefined) && { saidWrongly: wrong.length }),
  };
}
