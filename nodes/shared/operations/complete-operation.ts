import { ClientError } from '../../../src/client/index.js';
import type { ResultWithVerdict } from '../message/model-record.js';
import type { Connection } from '../service/connection.js';

/** The options of `completeOperation`. `timeoutMs`: default the wait timeout of the service. */
export interface CompleteOptions {
  signal: AbortSignal;
  timeoutMs?: number;
}

/**
 * Starts an operation that no message records, waits for it and returns its result. Throws the errors of a start and of a
 * wait.
 */
export async function completeOperation(
  connection: Connection,
  operation: string,
  parameters: Record<string, unknown>,
  { signal, timeoutMs = connection.waitTimeoutMs }: CompleteOptions,
): Promise<ResultWithVerdict> {
  const { operationId } = await connection.queue.run('call', signal, (onQueueFull) =>
    connection.start(operation, parameters, { signal, onQueueFull }),
  );
  try {
    const { result } = await connection.wait(operationId, operation, { signal, timeoutMs });
    return result;
  } catch (error) {
    // No other node continues the wait.
    if (error instanceof ClientError && error.code === 'ABORTED') connection.withdrawCallback(operationId);
    throw error;
  }
}
