import path from 'node:path';
import { sphere } from '../../test/service/support/models.js';
import { median, rounded, startService } from './running.js';

const RUNS = 25;
/** A sphere of 9,900 triangles; without the last fifty it has a hole to fill. */
const ROWS = 67;
const COLUMNS = 75;
const MISSING = 50;

/** The STL with its last triangles cut off, and counted so. */
const withoutLast = (stl: Uint8Array, missing: number): Uint8Array => {
  const cut = stl.slice(0, stl.length - missing * 50);
  new DataView(cut.buffer).setUint32(80, (cut.length - 84) / 50, true);
  return cut;
};

/** How long a whole job for a model of ten thousand triangles takes in an idle service, from its start until its end is written down: medians, in ms. */
export const measureSmallJobs = async (folder: string) => {
  const service = await startService(path.join(folder, 'jobs'), ['--workers', '1']);
  const times: Record<string, number[]> = { import: [], repair: [], export: [] };
  const timed = async (operation: string, body: object): Promise<Record<string, string>> => {
    const { status, result } = await service.api.run(operation, body);
    const { createdAt, finishedAt } = status.body;
    times[operation]?.push(Date.parse(finishedAt) - Date.parse(createdAt));
    return result.body;
  };
  try {
    const { fileId } = (await service.api.upload(withoutLast(sphere(ROWS, COLUMNS), MISSING), 'open.stl')).body;
    for (let run = 0; run < RUNS; run++) {
      const imported = await timed('import', { fileId });
      const repaired = await timed('repair', { inputId: imported.resultId });
      await timed('export', { inputId: repaired.resultId, exportToFormat: 'stl' });
    }
    const p50 = Object.entries(times).map(([operation, all]) => [operation, rounded(median(all), 0)]);
    return { smallJobsMs: { triangles: 2 * COLUMNS * (ROWS - 1) - MISSING, ...Object.fromEntries(p50), reach: 150 } };
  } finally {
    await service.close();
  }
};
