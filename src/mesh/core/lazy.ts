/** Returns a function that returns what `compute` returned when it was first called. */
export function lazy<T>(compute: () => T): () => T {
  let computed: { value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
