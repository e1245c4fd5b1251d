import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { importFormatOf } from '../../src/mesh/formats/registry.js';
import { type Judgment, runJudge } from '../judge/judge.js';
import { median, roundTo } from './figures.js';
import { readVolumes } from './read-volumes.js';
import { findTools, type Repaired } from './tools.js';

/** Relative tolerance within which a volume counts as preserved. */
const VOLUME_TOLERANCE_FRACTION = 0.05;

/**
 * The figures of one column. `kept`: the number of solid results with the true volume, of the `known` models with a
 * known volume; absent if there are none.
 */
export interface Column {
  models: number;
  solid: number;
  kept?: number;
  known?: number;
  medianMs: number;
  peakMb?: number;
  /** Only for this package: results that it reports as solid but the judge does not. */
  saidWrongly?: number;
}

interface Trial extends Omit<Repaired, 'claims'> {
  says: string | undefined;
  judgment: Judgment | undefined;
  truth: number | undefined;
}

/**
 * Repairs every model of a folder with every tool and checks the results. Prints a line per model. Returns the columns
 * by name.
 */
export async function compare(folder: string, judge: string): Promise<Record<string, Column>> {
  const tools = await findTools();
  const volumes = readVolumes(folder);
  const trials = new Map<string, Trial[]>(tools.flatMap(({ columns }) => columns.map((name) => [name, []])));
  for (const name of readdirSync(folder).filter((file) => importFormatOf(file) !== undefined)) {
    const scratch = mkdtempSync(path.join(os.tmpdir(), 'bench-kernel-'));
    try {
      const summaries: string[] = [];
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
          summaries.push(`${column}: ${formatTrial(trial)}`);
        }
      }
      console.log(`${name.slice(0, 40).padEnd(42)}${summaries.join(' | ')}`);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return Object.fromEntries([...trials].map(([column, all]) => [column, createColumn(all)]));
}

/** Returns undefined if there is no file, or if the judge crashes or times out. */
function runJudgeSafely(judge: string, file: string | undefined): Judgment | undefined {
  if (file === undefined) return undefined;
  try {
    return runJudge(judge, file);
  } catch {
    return undefined;
  }
}

function isVolumePreserved({ judgment, truth }: Trial): boolean {
  return (
    judgment?.isSolid === true &&
    truth !== undefined &&
    Math.abs(judgment.volumeMm3 / truth - 1) <= VOLUME_TOLERANCE_FRACTION
  );
}

function formatTrial(trial: Trial): string {
  const { judgment, truth, ms } = trial;
  const level = judgment === undefined ? 'nothing' : judgment.isSolid ? 'solid' : 'not solid';
  const kept = truth === undefined ? '' : isVolumePreserved(trial) ? ', kept' : ', lost';
  return `${level}${kept} ${ms.toFixed(0)} ms`;
}

function createColumn(trials: readonly Trial[]): Column {
  const known = trials.filter(({ truth }) => truth !== undefined);
  const peaks = trials.flatMap(({ peakMb }) => peakMb ?? []);
  const wrong = trials.filter(({ says, judgment }) => says === 'solid' && judgment?.isSolid !== true);
  return {
    models: trials.length,
    solid: trials.filter(({ judgment }) => judgment?.isSolid).length,
    ...(known.length > 0 && { kept: known.filter(isVolumePreserved).length, known: known.length }),
    medianMs: roundTo(median(trials.map(({ ms }) => ms))),
    ...(peaks.length > 0 && { peakMb: roundTo(Math.max(...peaks)) }),
    ...(trials.some(({ says }) => says !== undefined) && { saidWrongly: wrong.length }),
  };
}
