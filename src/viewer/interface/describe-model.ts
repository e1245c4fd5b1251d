import type { Preview } from '../preview/read-preview.js';
import { fillText, type ViewerTexts } from '../texts/viewer-texts.js';
import type { LengthUnit, NumberFormat } from './measures.js';

/** The number of triangles of a model, and how many of them are shown. */
export function describeTriangles(
  { triangles, trianglesShown, deviationMm }: Preview,
  texts: ViewerTexts,
  numbers: NumberFormat,
  unit: LengthUnit,
): string {
  const all = { triangles: numbers.count(triangles) };
  if (trianglesShown >= triangles) return fillText(texts.trianglesAll, all);
  const part = fillText(texts.trianglesPart, { ...all, shown: numbers.count(trianglesShown) });
  const deviation = fillText(texts.deviation, { deviation: numbers.estimate(deviationMm, unit), unit });
  return `${part}, ${deviation}`;
}

/** The name of a kind of defect, for a number of them. */
export function nameKind(kind: string, count: number, { kinds }: ViewerTexts): string {
  return kinds[kind]?.[count === 1 ? 0 : 1] ?? kind;
}

/** Describes a model and its defects in a paragraph, also for those who do not see the picture. */
export function describeModel(preview: Preview, texts: ViewerTexts, numbers: NumberFormat, unit: LengthUnit): string {
  const { report, defects } = preview;
  const counts = defects.map(({ kind, count }) => `${numbers.count(count)} ${nameKind(kind, count, texts)}`);
  return [
    fillText(texts.dimensions, numbers.dimensions(report.after, unit)),
    describeTriangles(preview, texts, numbers, unit),
    texts.level[report.verdict.level] ?? report.verdict.level,
    counts.length > 0 ? counts.join(', ') : texts.noDefects.replace(/\.$/, ''),
  ].join(' · ');
}
