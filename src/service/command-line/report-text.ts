import type { Analysis, Report } from '../../api/index.js';
import type { ProcessedFile } from './process-file.js';
import type { ProcessOptions } from './process-options.js';

const ROWS: readonly [label: string, value: (analysis: Analysis) => number, digits: number][] = [
  ['triangles', ({ triangles }) => triangles, 0],
  ['shells', ({ shells }) => shells, 0],
  ['bad edges', ({ badEdges }) => badEdges, 0],
  ['holes', ({ badContours }) => badContours, 0],
  ['volume mm³', ({ volumeMm3 }) => volumeMm3, 2],
  ['area mm²', ({ surfaceAreaMm2 }) => surfaceAreaMm2, 2],
];

const row = (label: string, ...values: string[]): string =>
  `  ${label.padEnd(16)}${values.map((value) => value.padStart(16)).join('')}`;

const reportTable = ({ before, after, steps, warnings }: Report): string[] => [
  row('', 'before', 'after'),
  ...ROWS.map(([label, value, digits]) => row(label, value(before).toFixed(digits), value(after).toFixed(digits))),
  ...steps.filter(({ changed }) => changed > 0).map(({ name, changed }) => row(name, '', String(changed))),
  ...warnings.map(({ message }) => `  ${message}`),
];

const analysisTable = (analysis: Analysis): string[] =>
  ROWS.map(([label, value, digits]) => row(label, value(analysis).toFixed(digits)));

/** What became of a file, in a line for people. */
const headline = ({ input, output, error, verdict }: ProcessedFile, { repairs, writes }: ProcessOptions): string => {
  if (error) return `${input}: ${error.message} (${error.code})`;
  const why = verdict && verdict.reasons.length > 0 ? `: ${verdict.reasons.join('; ')}` : '';
  const judged = verdict ? `${verdict.level}${why}` : 'done';
  if (output !== undefined) return `${input} → ${output}: ${judged}`;
  const advice = verdict?.needsRepair && !repairs && !writes ? ' (--repair mends it)' : '';
  return `${input}: ${judged}${advice}`;
};

/** All lines for a file: what became of it, and with `--report` what was found and done. */
export const reportText = (file: ProcessedFile, options: ProcessOptions): string => {
  const lines = [headline(file, options)];
  if (options.printsReport && file.report && options.repairs) lines.push(...reportTable(file.report));
  else if (options.printsReport && file.analysis) lines.push(...analysisTable(file.analysis));
  else if (options.printsReport && file.report) lines.push(...analysisTable(file.report.after));
  return lines.join('\n');
};
