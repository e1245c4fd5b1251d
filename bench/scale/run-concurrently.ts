/** Calls `run` for 0 to `count` - 1, at most `concurrency` at a time. */
export async function runConcurrently(
  count: number,
  concurrency: number,
  run: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const stream = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, stream));
}
