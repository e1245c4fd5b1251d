import { createBadge, createElement, formatNumber } from './elements.js';

// The measures in the report: the key of the label, the property of the analysis, and the number of digits.
const MEASURES = [
  ['volume', 'volumeMm3', 1],
  ['area', 'surfaceAreaMm2', 1],
  ['triangles', 'triangles', 0],
  ['shells', 'shells', 0],
  ['holes', 'badContours', 0],
  ['boundaryEdges', 'badEdges', 0],
  ['intersecting', 'intersectingTriangles', 0],
  ['overlapping', 'overlappingTriangles', 0],
];

function formatSize({ dimensionXMm: x, dimensionYMm: y, dimensionZMm: z }) {
  const sides = [x, y, z];
  return sides.includes(undefined) ? '' : sides.map((side) => formatNumber(side, 2)).join(' × ');
}

function createMeasures({ analysis, before }, text) {
  // An import changes nothing.
  const isCompared = MEASURES.some(([, field]) => before[field] !== undefined && before[field] !== analysis[field]);
  const format = (values, [, field, digits]) =>
    values[field] === undefined ? '' : formatNumber(values[field], digits);
  const rows = [
    [text('measure.size'), formatSize(before), formatSize(analysis)],
    ...MEASURES.map((measure) => [text(`measure.${measure[0]}`), format(before, measure), format(analysis, measure)]),
  ].filter(([, ...values]) => values.some((value) => value !== ''));
  if (rows.length === 0) return [];
  const toCells = (tag, cells) => cells.map((cell) => createElement(tag, {}, cell));
  const head = isCompared ? [createElement('tr', {}, ...toCells('th', ['', text('before'), text('after')]))] : [];
  const body = rows.map(([label, old, value]) =>
    createElement(
      'tr',
      {},
      createElement('th', { attributes: { scope: 'row' } }, label),
      ...toCells('td', isCompared ? [old, value] : [value]),
    ),
  );
  return [createElement('table', {}, ...head, ...body)];
}

function createSection(title, lines, tag = 'ul') {
  if (lines.length === 0) return [];
  const items = lines.map((line) => createElement('li', {}, line));
  return [createElement('h4', {}, title), createElement(tag, {}, ...items)];
}

/** Returns the sentence about the state of a model, or '' if it is complete. */
export function describeState({ state, error }, text) {
  if (state === 'complete') return '';
  return text(`state.${state}`, { reason: error ? `${error.message} (${error.code})` : '' });
}

/** Creates the report of a model: verdict, measures, steps, warnings and the places of defects. */
export function createReport(model, text) {
  const { summary } = model;
  const places = summary.places.map(({ defect, x, y, z }) => {
    const name = text(`defect.${defect}`);
    const [left, front, height] = [x, y, z].map((value) => formatNumber(value, 2));
    return text('place', { defect: name.startsWith('models.') ? defect : name, x: left, y: front, z: height });
  });
  // Without a mesh, the sentence is below the picture.
  const failure = model.state === 'failed' && model.has.mesh ? [describeState(model, text)] : [];
  return createElement(
    'div',
    { className: 'model-processing-report' },
    ...failure.map((sentence) => createElement('p', {}, sentence)),
    createElement('p', {}, createBadge(summary, text), ' ', summary.reasons.join(', ')),
    ...createMeasures(summary, text),
    ...createSection(
      text('steps'),
      summary.steps
        .filter(({ changed }) => changed > 0)
        .map(({ name, changed }) => `${name}: ${formatNumber(changed)}`),
    ),
    ...createSection(
      text('warnings'),
      summary.warnings.map(({ message }) => message),
    ),
    createElement('div', { className: 'model-processing-places' }, ...createSection(text('places'), places, 'ol')),
  );
}
