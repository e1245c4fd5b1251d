import os from 'node:os';

/** Returns the median, or NaN of an empty list. Of an even count, the upper one. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Rounds to `digits` decimals. */
export function roundTo(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}

/** Describes the machine of a measurement. */
export function describeMachine() {
  return {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryGib: roundTo(os.totalmem() / 2 ** 30, 1),
    node: process.version,
    system: os.type(),
    load: roundTo(os.loadavg()[0] ?? 0, 1),
  };
}
