import type { Analysis, Report, VerdictSummary } from '../../api/index.js';
import { type Child, createElement } from '../dom.js';
import { findWarningText, formatMeasure, formatNumber, texts } from '../texts/current.js';

type MeasureName = 'triangles' | 'shells' | 'holes' | 'badEdges' | 'intersecting' | 'overlapping' | 'degenerate';

/** The counts of the table. All but the first two should be 0. */
const COUNTS: readonly (readonly [MeasureName, (analysis: Analysis) => number])[] = [
  ['holes', ({ badContours }) => badContours],
  ['badEdges', ({ badEdges }) => badEdges],
  ['intersecting', ({ qualityParams }) => qualityParams.intersectingTriangles],
  ['overlapping', ({ qualityParams }) => qualityParams.overlappingTriangles],
  ['degenerate', ({ degenerateTriangles }) => degenerateTriangles ?? 0],
  ['shells', ({ shells }) => shells],
  ['triangles', ({ triangles }) => triangles],
];
const NEUTRAL: ReadonlySet<MeasureName> = new Set(['shells', 'triangles']);

/** Creates the badge of a verdict: a symbol and words, not only a color. */
export function createBadge(verdict: VerdictSummary): HTMLElement {
  const isReady = !verdict.needsRepair;
  const symbol = createElement('span', { attributes: { 'aria-hidden': 'true' } }, isReady ? '✓' : '!');
  return createElement('span', { className: `badge ${isReady ? 'good' : 'bad'}` }, symbol, describeVerdict(verdict));
}

/** Describes a verdict in a few words. A repair does not help a solid that is not what its file meant. */
export function describeVerdict({ level, needsRepair }: VerdictSummary): string {
  const { verdict } = texts();
  if (!needsRepair) return verdict.solid;
  return level === 'solid' ? verdict.unconfirmed : verdict.broken;
}

function createDefectFacts(report: Report, hasBefore: boolean): HTMLElement {
  const { verdict } = texts();
  const rows = COUNTS.map(([name, read]) => {
    const [before, after] = [read(report.before), read(report.after)];
    if (!NEUTRAL.has(name) && before === 0 && after === 0) return undefined;
    const isBroken = !NEUTRAL.has(name) && after > 0;
    const change =
      hasBefore && before !== after ? `${formatNumber(before)} → ${formatNumber(after)}` : formatNumber(after);
    const cell = createElement('dd', isBroken ? { className: 'bad-count' } : {}, change);
    return createElement('div', {}, createElement('dt', {}, verdict[name]), cell);
  });
  return createElement('dl', { className: 'facts' }, ...rows);
}

function createSizeFacts({ after, maxDisplacementMm, skipped = {} }: Report, hasBefore: boolean): HTMLElement {
  const { verdict } = texts();
  const { parts } = after;
  const sizes = [after.dimensionXMm, after.dimensionYMm, after.dimensionZMm].map(formatMeasure).join(' × ');
  const facts: [string, string][] = [
    [verdict.size, `${sizes} mm`],
    [verdict.volume, `${formatMeasure(after.volumeMm3 / 1000)} cm³`],
    [verdict.area, `${formatMeasure(after.surfaceAreaMm2 / 100)} cm²`],
    ...(parts ? [[verdict.parts, formatNumber(parts.count)] as [string, string]] : []),
    ...(parts?.overlapMm3
      ? [[verdict.overlap, `${formatMeasure(parts.overlapMm3 / 1000)} cm³`] as [string, string]]
      : []),
    ...(['triangles', 'faces', 'objects'] as const).flatMap((name): [string, string][] => {
      const count = skipped[name];
      return count === undefined ? [] : [[verdict.skipped[name], formatNumber(count)]];
    }),
    ...(hasBefore && maxDisplacementMm > 0
      ? [[verdict.displacement, `${formatMeasure(maxDisplacementMm)} mm`] as [string, string]]
      : []),
  ];
  const rows = facts.map(([name, value]) =>
    createElement('div', {}, createElement('dt', {}, name), createElement('dd', {}, value)),
  );
  return createElement('dl', { className: 'facts' }, ...rows);
}

/** The warnings that say which bodies of the file the model is. Their list is shown open. */
const ABOUT_BODIES = /^(?:PLATES?|NEGATIVES|HELPERS|UNPRINTABLE|PARTS)_/;

/** Creates the verdict on a version with its measures. `hasBefore`: the operation changed the model. */
export function createVerdict(report: Report, hasBefore: boolean): Child[] {
  const { verdict, translateReason } = texts();
  const { level, reasons } = report.verdict;
  const warnings = report.warnings.map((warning) => {
    const text = findWarningText(warning);
    return text === undefined
      ? createElement('li', { attributes: { lang: 'en' } }, warning.message)
      : createElement('li', {}, text);
  });
  return [
    createElement('h2', { className: 'verdict' }, createBadge(report.verdict)),
    createElement('p', {}, verdict.level[level]),
    reasons.length > 0 &&
      createElement(
        'ul',
        { className: 'reasons' },
        ...reasons.map((reason) => createElement('li', {}, translateReason(reason))),
      ),
    createDefectFacts(report, hasBefore),
    createSizeFacts(report, hasBefore),
    warnings.length > 0 &&
      createElement(
        'details',
        { attributes: { open: report.warnings.some(({ code }) => ABOUT_BODIES.test(code)) } },
        createElement('summary', {}, `${verdict.warnings} (${warnings.length})`),
        createElement('ul', {}, ...warnings),
      ),
  ];
}
