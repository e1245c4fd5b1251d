import os from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The reason of an abort by a signal of the system. */
export class SignalError extends Error {
  override readonly name = 'SignalError';
  /** The exit status that shells expect: 130 for SIGINT. */
  readonly exitStatus: number;

  constructor(signal: (typeof SIGNALS)[number]) {
    super(`Stopped by a signal (${signal})`);
    this.exitStatus = 128 + os.constants.signals[signal];
  }
}

/** Aborts on the first signal of the system. Later ones do not interrupt the cleanup. */
export interface SignalListener {
  signal: AbortSignal;
  close: () => void;
}

/** Starts to listen for SIGINT, SIGTERM and SIGHUP. The signal aborts with a `SignalError`. */
export function createSignalListener(): SignalListener {
  const controller = new AbortController();
  const listeners = SIGNALS.map((name) => [name, () => controller.abort(new SignalError(name))] as const);
  for (const [name, stop] of listeners) process.on(name, stop);
  return {
    signal: controller.signal,
    close() {
      for (const [name, stop] of listeners) process.off(name, stop);
    },
  };
}
