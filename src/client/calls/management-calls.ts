import type { ClientLimits } from '../client-limits.js';
import type { CallOptions, Client, ListOptions, ListRecords } from '../types.js';
import type { CompletionPoller } from '../waiting/completion-poller.js';
import { assertListOptions, createListSpec } from './lists.js';
import { createCancelSpec, createRemoveSpec } from './removals.js';
import type { ServiceFeatures } from './service-features.js';
import type { Session } from './session.js';

/** The collaborators of `createManagementCalls`. */
interface ManagementDependencies {
  session: Session;
  features: ServiceFeatures;
  limits: ClientLimits;
  /** The waits of the client that have not ended. */
  waits: ReadonlySet<CompletionPoller>;
  /** Runs a call that ends with its signal and with the client. */
  call: <T>(options: CallOptions | undefined, run: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/**
 * Creates the calls of a client that cancel, delete and list what an account has at the service. They require that the
 * service announces them: another service must not receive requests that it does not know.
 */
export function createManagementCalls(
  dependencies: ManagementDependencies,
): Pick<Client, 'cancel' | 'remove' | 'list'> {
  const { session, features, limits, waits, call } = dependencies;

  function endWaits(operationIds: readonly string[]): void {
    for (const wait of waits) for (const operationId of operationIds) wait.expedite(operationId);
  }

  async function* readPages<K extends keyof ListRecords>(kind: K, { pageSize, ...callOptions }: ListOptions) {
    let before: string | undefined;
    do {
      const page = await call(callOptions, async (signal) => {
        const spec = createListSpec(kind, { before, pageSize }, limits);
        await features.require('list', spec.action, signal);
        return session.call(spec, signal);
      });
      yield* page.records;
      before = page.next;
    } while (before !== undefined);
  }

  return {
    cancel: (operationId, callOptions) =>
      call(callOptions, async (signal) => {
        const spec = createCancelSpec(operationId, limits);
        await features.require('cancel', spec.action, signal);
        const status = await session.call(spec, signal);
        endWaits([operationId]);
        return status;
      }),
    remove: (id, callOptions) =>
      call(callOptions, async (signal) => {
        const spec = createRemoveSpec(id, limits);
        await features.require('delete', spec.action, signal);
        const removed = await session.call(spec, signal);
        endWaits(removed.cancelledOperations);
        return removed;
      }),
    list: (kind, listOptions = {}) => {
      assertListOptions(kind, listOptions.pageSize);
      return readPages(kind, listOptions);
    },
  };
}
