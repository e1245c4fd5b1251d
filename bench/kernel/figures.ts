import os from 'node:os';

/** The value in the middle; NaN of none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** With so many digits behind the point. */
export const roundTo = (value: number, digits = 0): number => Number(value.toFixed(digits));

/** The machine that figures were taken on. */
export const describeMachine = () => ({
  cpu: os.cpus()[0]?.model,
  cores: os.cpus().length,
  memoryGib: roundTo(os.totalmem() / 2 ** 30, 1),
  node: process.version,
  system: os.type(),
  load: roundTo(os.loadavg()[0] ?? 0, 1),
});
