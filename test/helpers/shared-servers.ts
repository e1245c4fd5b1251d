// Servers that all test files of a process share, since each takes seconds to start. Loaded by .mocharc.json, for its
// global fixture.

const stops: (() => Promise<void>)[] = [];

/** Calls `stop` once, after all tests of all files. Not in files that mocha runs in parallel. */
export function stopAfterAllTests(stop: () => Promise<void>): void {
  stops.push(stop);
}

export async function mochaGlobalTeardown(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}
