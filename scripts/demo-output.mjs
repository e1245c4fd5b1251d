// Formats the output of the demo: a line per message and a table of the repair report.

/** Returns a size with up to three digits, e.g. `312 kB`. */
export function formatSize(bytes) {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const step = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toPrecision(2)} ${units[step]}`;
}

/** Returns the line of a message that `node` sent: seconds, node type and what it reports. */
export function formatMessage(seconds, node, msg) {
  return `${seconds.toFixed(1).padStart(6)} s  ${node.type.replace('model-processing-', '').padEnd(9)} ${describe(msg)}`;
}

function describe({ payload, filename }) {
  if (payload?.isCompleted)
    return `${payload.operation} completed: ${formatId(payload, payload.fileId ? 'fileId' : 'resultId')}`;
  if (payload?.operationId) return `${payload.operation} started: ${formatId(payload, 'operationId')}`;
  if (payload?.fileId) return `${payload.filename} uploaded: ${formatId(payload, 'fileId')}`;
  return typeof payload === 'string' ? payload : (filename ?? 'starts');
}

function formatId(payload, field) {
  return `${field} ${payload[field]}`;
}

const ROWS = [
  ['triangles', (a) => a.triangles],
  ['shells', (a) => a.shells],
  ['boundary edges', (a) => a.boundaryEdges],
  ['non-manifold edges', (a) => a.nonManifoldEdges],
  ['inconsistent edges', (a) => a.inconsistentEdges],
  ['intersecting triangles', (a) => a.qualityParams.intersectingTriangles],
  ['size x mm', (a) => a.dimensionXMm],
  ['size y mm', (a) => a.dimensionYMm],
  ['size z mm', (a) => a.dimensionZMm],
  ['volume mm³', (a) => a.volumeMm3],
  ['area mm²', (a) => a.surfaceAreaMm2],
];

/** Returns the analyses before and after the repair side by side, the steps that changed the mesh, and the verdict. */
export function formatReport(report) {
  if (!report) return 'The service sent no report.';
  const cell = (value) => String(Math.abs(value) < 1e6 ? Number(value.toPrecision(6)) : Math.round(value)).padStart(12);
  const rows = ROWS.map(
    ([label, read]) => `  ${label.padEnd(34)}${cell(read(report.before))}${cell(read(report.after))}`,
  );
  const steps = report.steps.filter(({ changed }) => changed > 0).map(({ name, changed }) => `${name} ${changed}`);
  return [
    `\n  ${''.padEnd(34)}${'before'.padStart(12)}${'after'.padStart(12)}`,
    ...rows,
    `  steps: ${steps.join(', ') || 'none'}`,
    ...report.warnings.map(({ message }) => `  warning: ${message}`),
    `  verdict: ${[report.verdict.level, ...report.verdict.reasons].join('; ')}\n`,
  ].join('\n');
}
