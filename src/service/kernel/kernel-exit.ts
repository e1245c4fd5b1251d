import type { JobOutcome } from './messages.js';
import { createMemoryShortageOutcome, createOutOfMemoryOutcome } from './out-of-memory.js';

/** How a process ended that sent no outcome of its job. */
export interface KernelExit {
  /** The end of what it wrote to stderr during the job. */
  stderr: string;
  code: number | null;
  signal: string | null;
}

/**
 * Returns the outcome of a job whose process ended without one. A process that exceeds its own limit prints it, and kills
 * itself only after it has sent an outcome: without one, SIGKILL came from outside. `isMemoryShort`: whether the system
 * killed a process during the job, because memory was short.
 */
export function explainExit(
  { stderr, code, signal }: KernelExit,
  isMemoryShort: boolean,
  memoryBytes: number,
): JobOutcome {
  const isMemory = /out of memory|allocation failed|failed to allocate|bad_alloc|heap limit|cannot allocate/i.test(
    stderr,
  );
  if (isMemory) return createOutOfMemoryOutcome(memoryBytes);
  if (signal === 'SIGKILL' && isMemoryShort) return createMemoryShortageOutcome();
  const exit = signal ?? `exit status ${code}`;
  const message =
    signal === 'SIGKILL'
      ? 'The kernel process was ended from outside (SIGKILL). Retry; if it happens again, check the memory of the machine.'
      : `The kernel process crashed (${exit}). Report it, with the model if possible.`;
  return { type: 'failed', code: 'KERNEL_CRASHED', message };
}
