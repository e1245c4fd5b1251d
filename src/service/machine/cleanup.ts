/** Steps that end what was started. */
export interface Cleanup {
  /** Adds steps. */
  add(...steps: (() => unknown)[]): void;
  /** Removes all steps and runs them one after the other, the last one first. Rejects if one fails; those before it do not run. */
  run(): Promise<void>;
}

/**
 * Creates an empty list of steps, for a start that fails and for the stop of what was started. Written here since Node 20
 * has no `AsyncDisposableStack`.
 */
export function createCleanup(): Cleanup {
  const added: (() => unknown)[] = [];
  return {
    add(...steps) {
      added.push(...steps);
    },
    async run() {
      for (const step of added.splice(0).reverse()) await step();
    },
  };
}
