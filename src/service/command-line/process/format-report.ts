import type { Analysis, Report, Verdict } from '../../../api/index.js';
import { escapeControls } from '../../escape-controls.js';
import { formatNumber } from './format-number.js';
import { STANDARD_STREAM } from './output-options.js';
import type { ProcessedFile } from './process-file.js';
import type { ProcessOptions } from './process-options.js';

const ROWS: readonly [label: string, value: (analysis: Analysis) => number][] = [
  ['triangles', ({ triangles }) => triangles],
  ['shells', ({ shells }) => shells],
  ['boundary edges', ({ badEdges, boundaryEdges }) => boundaryEdges ?? badEdges],
  ['non-manifold edges', ({ nonManifoldEdges }) => nonManifoldEdges ?? 0],
  ['inconsistent edges', ({ inconsistentEdges }) => inconsistentEdges ?? 0],
  ['holes', ({ badContours }) => badContours],
  ['intersecting triangles', ({ qualityParams }) => qualityParams.intersectingTriangles],
  ['overlapping triangles', ({ qualityParams }) => qualityParams.overlappingTriangles],
  ['size x mm', ({ dimensionXMm }) => dimensionXMm],
  ['size y mm', ({ dimensionYMm }) => dimensionYMm],
  ['size z mm', ({ dimensionZMm }) => dimensionZMm],
  ['volume mm³', ({ volumeMm3 }) => volumeMm3],
  ['area mm²', ({ surfaceAreaMm2 }) => surfaceAreaMm2],
];

function row(label: string, ...values: string[]): string {
  return `  ${label.padEnd(24)}${values.map((value) => value.padStart(16)).join('')}`;
}

function formatReportTable({ before, after, steps, skipped }: Report): string[] {
  return [
    row('', 'before', 'after'),
    ...ROWS.map(([label, value]) => row(label, formatNumber(value(before)), formatNumber(value(after)))),
    `  steps: ${formatSteps(steps) || 'none needed'}`,
    ...formatParts(after),
    ...formatSkipped(skipped),
  ];
}

function formatSteps(steps: Report['steps']): string {
  return steps
    .filter(({ changed }) => changed > 0)
    .map(({ name, changed }) => `${name} ${changed}`)
    .join(', ');
}

/** Formats how many parts touch or overlap. That is no defect. */
function formatParts({ parts }: Analysis): string[] {
  if (!parts) return [];
  const { count, overlapMm3 } = parts;
  if (overlapMm3 === undefined) return [`  parts: ${count}, which touch or overlap`];
  return [`  parts: ${count}, which ${overlapMm3 > 0 ? `overlap by ${formatNumber(overlapMm3)} mm³` : 'touch'}`];
}

/** Formats what of the file was not read. */
function formatSkipped(skipped: Report['skipped'] = {}): string[] {
  const counts = Object.entries(skipped).map(([name, count]) => `${name} ${formatNumber(count)}`);
  return counts.length === 0 ? [] : [`  not read from the file: ${counts.join(', ')}`];
}

function formatAnalysisTable({ after, skipped }: Report): string[] {
  const rows = ROWS.map(([label, value]) => row(label, formatNumber(value(after))));
  return [...rows, ...formatParts(after), ...formatSkipped(skipped)];
}

function formatName(name: string, streamName: string): string {
  return name === STANDARD_STREAM ? streamName : name;
}

/** Formats a verdict: its level, and the reasons why it is not higher or why the model is not what the file meant. */
function formatVerdict({ level, reasons }: Verdict): string {
  if (reasons.length === 0) return level;
  return `${level}${level === 'solid' ? ', but ' : ': '}${reasons.join('; ')}`;
}

/** Formats the result of a file in one line. */
function formatHeadline(
  { input, entry, output, thumbnail, html, error, verdict, isSkipped }: ProcessedFile,
  { shouldRepair, shouldWrite }: ProcessOptions,
): string {
  const name = [formatName(input, 'stdin'), ...(entry === undefined ? [] : [entry])].join(': ');
  if (error) return `${name}: ${error.message} (${error.code})`;
  if (isSkipped) return `${name}: skipped, the output exists`;
  const result = verdict ? formatVerdict(verdict) : 'done';
  const outputs = [output && formatName(output, 'stdout'), thumbnail, html].filter((file) => file !== undefined);
  const source = [name, ...(outputs.length > 0 ? [outputs.join(', ')] : [])].join(' → ');
  const advice = verdict && verdict.level !== 'solid' && !shouldRepair && !shouldWrite ? ' (try --repair)' : '';
  return `${source}: ${result}${advice}`;
}

/** Formats the result of a file: the headline, the warnings and, with `--report`, the report. */
export function formatReport(file: ProcessedFile, options: ProcessOptions): string {
  const { report } = file;
  const warnings = (report?.warnings ?? []).map(({ message }) => `  warning: ${escapeControls(message)}`);
  const table = options.shouldRepair ? formatReportTable : formatAnalysisTable;
  return [
    escapeControls(formatHeadline(file, options)),
    ...warnings,
    ...(options.printReport && report ? table(report) : []),
  ].join('\n');
}
