import type { CallbackBody } from '../../../src/api/index.js';
import type { Calls, Reply } from '../../service/support/account.js';

/** An operation that was started, to be ended by `action`. */
export interface StartedOperation {
  /** The index of its user. */
  user: number;
  kind: string;
  operationId: string;
  action: string;
}

const CANCELLED = 42217;

/** Creates a log of operations and of how they were ended, which checks what became of them. */
export function createCancelLog() {
  const started: StartedOperation[] = [];
  /** operation → whether it succeeded, once known */
  const outcomes = new Map<string, boolean>();
  /** operation → its input, which was deleted */
  const deletedInputs = new Map<string, string>();
  const violations: string[] = [];
  const counts = { cancelled: 0, complete: 0, deletedInputs: 0, lostReplies: 0 };

  const recordStatus = ({ operationId, kind, action }: StartedOperation, { status, body }: Reply): void => {
    const what = `${kind} ${operationId} (${action})`;
    const isCancelled = body.error?.code === CANCELLED;
    if (status !== 200 || !body.isCompleted || body.isSuccessful === isCancelled) {
      violations.push(`${what}: ${status} ${JSON.stringify(body)}`);
      return;
    }
    const earlier = outcomes.get(operationId);
    if (earlier !== undefined && earlier !== body.isSuccessful) violations.push(`${what}: the outcome changed`);
    if (earlier === undefined) counts[isCancelled ? 'cancelled' : 'complete'] += 1;
    outcomes.set(operationId, body.isSuccessful);
  };

  const find = (id: string) => started.find(({ operationId }) => operationId === id) as StartedOperation; // was recorded

  /** Checks the status, the result and the output of one operation, for both users. */
  const checkOne = async (users: readonly Calls[], operation: StartedOperation): Promise<void> => {
    const { user, kind, operationId } = operation;
    const [own, other] = [users[user] as Calls, users[1 - user] as Calls]; // there are two
    recordStatus(operation, await own.get(`${operationId}/status`));
    const result = await own.get(`${operationId}/${kind}/result`);
    const isComplete = outcomes.get(operationId);
    if (result.status !== (isComplete ? 200 : 422)) violations.push(`result of ${operationId}: ${result.status}`);
    const { fileId } = result.body;
    if (fileId && (await own.get(`file/${fileId}`)).status !== 200) violations.push(`${fileId} has no content`);
    if ((await other.remove(operationId)).status !== 404)
      violations.push(`${operationId} is not that of its user only`);
    const inputId = deletedInputs.get(operationId);
    const isDeleted = inputId === undefined || (await own.remove(`file/${inputId}`)).status === 410;
    if (!isDeleted) violations.push(`the input ${inputId} is not deleted`);
  };

  return {
    violations,
    counts,
    get size(): number {
      return started.length;
    },

    recordStart: (operation: StartedOperation): void => void started.push(operation),

    /** Returns the operations that were started last. */
    lastStarts: (count: number): StartedOperation[] => started.slice(-count),

    /** Records the reply to a cancellation. */
    recordReply: (operationId: string, reply: Reply): void => recordStatus(find(operationId), reply),

    recordLostReply: (): void => {
      counts.lostReplies += 1;
    },

    /** Records the reply to the deletion of the input. The operation may have been complete. */
    recordDeletion(operationId: string, inputId: string, { status, body }: Reply): void {
      deletedInputs.set(operationId, inputId);
      counts.deletedInputs += 1;
      if (status !== 200) violations.push(`deletion of ${inputId}: ${status}`);
      else if (body.cancelledOperations[0] === operationId) outcomes.set(operationId, false);
      if (outcomes.has(operationId)) counts.cancelled += 1;
    },

    /** Checks the operations that were started last. */
    async check(users: readonly Calls[], count: number): Promise<void> {
      for (const operation of started.slice(-count)) await checkOne(users, operation);
    },

    /** Compares the callbacks with the outcomes. */
    checkCallbacks(bodies: readonly CallbackBody[]): void {
      const sent = new Set(bodies.map(({ operationId }) => operationId));
      for (const { operationId } of started) {
        if (!sent.has(operationId)) violations.push(`no callback of ${operationId}`);
      }
      for (const { operationId, isSuccessful } of bodies) {
        if (isSuccessful !== String(outcomes.get(operationId))) violations.push(`wrong callback of ${operationId}`);
      }
    },
  };
}
