import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { importFormatOf } from '../../src/mesh/formats/format-table.js';
import { type Judgment, runJudge } from '../judge/judge.js';
import { median, roundTo } from './figures.js';
import { readVolumes } from './read-volumes.js';
import { findTools, type Repaired } from './tools.js';

/** A volume within this share of the true one is kept. */
const VOLUME_TOLERANCE_FRACTION = 0.05;

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

interface Trial extends Omit<Repaired, 'claims'> {
  says: string | undefined;
  judgment: Judgment | undefined;
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
          const says = repaired.claims?.[column];
          const trial = {
            ...repaired,
            says,
            judgment: runJudgeSafely(judge, repaired.files[column]),
            truth: volumes.get(name),
          };
          trials.get(column)?.push(trial);
          words.push(`${column}: ${formatTrial(trial)}`);
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
function runJudgeSafely(judge: string, file: string | undefined): Judgment | undefined {
  if (file === undefined) return undefined;
  try {
    return runJudge(judge, file);
  } catch {
    return undefined;
  }
}

const isKept = ({ judgment, truth }: Trial): boolean =>
  judgment?.isSolid === true &&
  truth !== undefined &&
  Math.abs(judgment.volumeMm3 / truth - 1) <= VOLUME_TOLERANCE_FRACTION;

function formatTrial(trial: Trial): string {
  const { judgment, truth, ms } = trial;
  const level = judgment === undefined ? 'nothing' : judgment.isSolid ? 'solid' : 'not solid';
  const kept = truth === undefined ? '' : isKept(trial) ? ', kept' : ', lost';
  return `${level}${kept} ${ms.toFixed(0)} ms`;
}

function columnOf(trials: readonly Trial[]): Column {
  const known = trials.filter(({ truth }) => truth !== undefined);
  const peaks = trials.flatMap(({ peakMb }) => peakMb ?? []);
  const wrong = trials.filter(({ says, judgment }) => says === 'solid' && judgment?.isSolid !== true);
  return {
    models: trials.length,
    solid: trials.filter(({ judgment }) => judgment?.isSolid).length,
    ...(known.length > 0 && { kept: known.filter(isKept).length, known: known.length }),
    medianMs: roundTo(median(trials.map(({ ms }) => ms))),
    ...(peaks.length > 0 && { peakMb: roundTo(Math.max(...peaks)) }),
    ...(trials.some(({ says }) => says !== undefined) && { saidWrongly: wrong.length }),
  };
}
