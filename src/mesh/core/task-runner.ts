/**
 * A computation in independent parts. They run in any order, in any thread and at the same time, each once. The input is
 * copied to the other threads, except for the memory of arrays in a `SharedArrayBuffer`; the outputs are copied back.
 *
 * - A part changes nothing of its input except shared arrays, and leaves nothing in variables of modules for other parts:
 *   each thread has its own.
 * - A part may read elements that no part writes, and access elements that no other part accesses.
 * - Several parts may write an element by `Atomics` only, with operations of which each order has the same result, such as
 *   `or` and `add`. A part that reads it finds what some others have written: the outputs of the task must not depend on
 *   that.
 */
export interface Task<Input, Output> {
  /** The name by which the other threads find it. */
  readonly name: string;
  runPart(input: Input, part: number): Output;
}

/**
 * Runs the parts of tasks in several threads. The kernel starts none: its caller may hand in a runner. The outputs do not
 * depend on the number of threads.
 */
export interface TaskRunner {
  /** Smaller meshes are faster in one thread. */
  readonly minTriangles: number;
  /**
   * Offers the parts 0 … `partCount` - 1 to the other threads. Returns a function, to be called once, that runs the
   * remaining parts in this thread, waits for the others, and returns the outputs in the order of the parts. It throws
   * the error of the first part that failed.
   */
  start<Input, Output>(task: Task<Input, Output>, input: Input, partCount: number): () => Output[];
}
