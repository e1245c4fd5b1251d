/** What happened in `work` that nobody handled: the reasons of rejected promises, and exceptions. Nobody else hears of them meanwhile. */
export async function collectUnheard(work: () => Promise<void>): Promise<unknown[]> {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  const putBack = [divert('unhandledRejection', hear), divert('uncaughtException', hear)];
  try {
    await work();
    // What was rejected in the last turn is reported at its end.
    await nextTurn();
  } finally {
    for (const each of putBack) each();
  }
  return unheard;
}

/** Resolves when the turn of the event loop that is under way has ended. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function divert(event: 'unhandledRejection' | 'uncaughtException', hear: (reason: unknown) => void): () => void {
  const others = process.rawListeners(event);
  process.removeAllListeners(event);
  process.on(event, hear);
  return () => {
    process.removeAllListeners(event);
    for (const other of others) Reflect.apply(process.on, process, [event, other]);
  };
}
