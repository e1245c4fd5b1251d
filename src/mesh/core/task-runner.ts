/**
 * A computation in independent parts, each of which can run in any thread. Inputs and outputs are copied between
 * threads, except for shared arrays. A part may write only to elements of these that no other part accesses.
 */
export interface Task<Input, Output> {
  /** The name by which the other threads find it. */
  readonly name: string;
  runPart(input: Input, part: number): Output;
}

/**
 * Runs the parts of tasks in several threads. The kernel starts none: whoever calls it may hand in a runner. The
 * outputs do not depend on the number of threads.
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
