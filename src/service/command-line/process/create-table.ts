import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { Analysis } from '../../../api/index.js';
import { ensureFolder } from '../../machine/ensure-folder.js';
import { claimFilename } from './claim-filename.js';
import type { ProcessedFile } from './process-file.js';

type Cell = string | number | boolean | undefined;

function measure(value: (analysis: Analysis) => number | undefined): (file: ProcessedFile) => Cell {
  return ({ report }) => report && value(report.after);
}

function describeOutcome({ isSuccessful, isSkipped }: ProcessedFile): string {
  if (isSkipped) return 'skipped';
  return isSuccessful ? 'done' : 'failed';
}

/** The columns, with the names of the JSON output. The measures are those of the output. */
const COLUMNS: readonly [name: string, cell: (file: ProcessedFile) => Cell][] = [
  ['input', ({ input, entry }) => (entry === undefined ? input : `${input}: ${entry}`)],
  ['output', ({ output }) => output],
  ['thumbnail', ({ thumbnail }) => thumbnail],
  ['result', describeOutcome],
  ['level', ({ verdict }) => verdict?.level],
  ['needsRepair', ({ verdict }) => verdict?.needsRepair],
  ['reasons', ({ verdict }) => verdict?.reasons.join('; ')],
  ['triangles', measure(({ triangles }) => triangles)],
  ['shells', measure(({ shells }) => shells)],
  ['boundaryEdges', measure(({ boundaryEdges }) => boundaryEdges)],
  ['nonManifoldEdges', measure(({ nonManifoldEdges }) => nonManifoldEdges)],
  ['inconsistentEdges', measure(({ inconsistentEdges }) => inconsistentEdges)],
  ['badContours', measure(({ badContours }) => badContours)],
  ['dimensionXMm', measure(({ dimensionXMm }) => dimensionXMm)],
  ['dimensionYMm', measure(({ dimensionYMm }) => dimensionYMm)],
  ['dimensionZMm', measure(({ dimensionZMm }) => dimensionZMm)],
  ['volumeMm3', measure(({ volumeMm3 }) => volumeMm3)],
  ['surfaceAreaMm2', measure(({ surfaceAreaMm2 }) => surfaceAreaMm2)],
  ['warnings', ({ report }) => report?.warnings.map(({ message }) => message).join('; ')],
  ['errorCode', ({ error }) => error?.code],
  ['errorMessage', ({ error }) => error?.message],
  ['html', ({ html }) => html],
];

/** Beginnings of a cell that spreadsheets take for a formula (OWASP, "CSV Injection"), also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Serializes a row as specified by RFC 4180: CRLF, and quotes where a cell contains a separator. Text that a spreadsheet
 * would take for a formula is quoted and begins with an apostrophe, as OWASP advises.
 */
export function serializeRow(cells: readonly Cell[]): string {
  const texts = cells.map((cell = '') => {
    const isFormula = typeof cell === 'string' && FORMULA.test(cell);
    const text = isFormula ? `'${cell}` : String(cell);
    return isFormula || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${texts.join(',')}\r\n`;
}

/** A CSV file that grows by one row per processed file. */
export interface Table {
  /** The name of the file. */
  file: string;
  add: (processed: ProcessedFile) => Promise<void>;
  close: () => Promise<void>;
}

/** Creates a table under an unused filename. Rejects, and so does `add`, if the file cannot be written. */
export async function createTable(preferred: string): Promise<Table> {
  const fail = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new Error(`Could not write ${preferred}: ${reason}.`, { cause: error });
  };
  const openTable = async (): Promise<[string, FileHandle]> => {
    await ensureFolder(path.dirname(preferred));
    const file = await claimFilename(preferred);
    return [file, await open(file, 'a')];
  };
  const [file, handle] = await openTable().catch(fail);
  const write = async (cells: readonly Cell[]): Promise<void> => {
    await handle.appendFile(serializeRow(cells)).catch(fail);
  };
  await write(COLUMNS.map(([name]) => name));
  return { file, add: (processed) => write(COLUMNS.map(([, cell]) => cell(processed))), close: () => handle.close() };
}
