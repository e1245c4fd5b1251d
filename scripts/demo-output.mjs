// What the demo prints: a line a message, and a table of the repair's report.

/** `312 kB`: three digits are enough for people. */
export const formatSize = (bytes) => {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const step = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toPrecision(2)} ${units[step]}`;
};

/** `  1.2 s  wait      import is done: resultId 5d7e…`, for a message that `node` sent. */
export const formatMessage = (seconds, node, msg) =>
  `${seconds.toFixed(1).padStart(6)} s  ${node.type.replace('model-processing-', '').padEnd(9)} ${describe(msg)}`;

const describe = ({ payload, filename }) => {
  if (payload?.isCompleted)
    return `${payload.operation} is done: ${formatId(payload, payload.fileId ? 'fileId' : 'resultId')}`;
  if (payload?.operationId) return `${payload.operation} runs: ${formatId(payload, 'operationId')}`;
  if (payload?.fileId) return `${payload.filename} is uploaded: ${formatId(payload, 'fileId')}`;
  return typeof payload === 'string' ? payload : (filename ?? 'starts');
};

const formatId = (payload, field) => `${field} ${payload[field]}`;

const ROWS = [
  ['triangles', (a) => a.triangles],
  ['shells', (a) => a.shells],
  ['open edges', (a) => a.boundaryEdges],
  ['edges of more than two triangles', (a) => a.nonManifoldEdges],
  ['edges with opposite winding', (a) => a.inconsistentEdges],
  ['intersecting triangles', (a) => a.qualityParams.intersectingTriangles],
  ['volume, mm3', (a) => a.volumeMm3],
  ['surface, mm2', (a) => a.surfaceAreaMm2],
];

/** Before and after, side by side, with the steps that changed something and the verdict. */
export const formatReport = (report) => {
  if (!report) return 'the service sent no report';
  const cell = (value) => (Number.isInteger(value) ? value : Number(value).toPrecision(6)).toString().padStart(12);
  const rows = ROWS.map(
    ([label, read]) => `  ${label.padEnd(34)}${cell(read(report.before))}${cell(read(report.after))}`,
  );
  const steps = report.steps.filter(({ changed }) => changed > 0).map(({ name, changed }) => `${name} ${changed}`);
  return [
    `\n  ${''.padEnd(34)}${'before'.padStart(12)}${'after'.padStart(12)}`,
    ...rows,
    `  steps: ${steps.join(', ') || 'none was needed'}`,
    ...report.warnings.map(({ message }) => `  warning: ${message}`),
    `  verdict: ${[report.verdict.level, ...report.verdict.reasons].join('; ')}\n`,
  ].join('\n');
};
