/**
 * Runs a function of meshoptimizer on valid arguments, which are not empty. It fails then only if its memory cannot grow. Throws a RangeError,
 * as V8 does for a typed array that could not be allocated.
 */
export function callMeshopt<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new RangeError('WebAssembly memory allocation failed', { cause });
  }
}
