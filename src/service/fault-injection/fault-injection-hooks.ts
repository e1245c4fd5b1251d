import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../service-error.js';
import type { Tokens } from '../store/tokens.js';
import { createDisconnectSignal } from './disconnect-signal.js';
import type { FaultPlan } from './fault-plan.js';

/** The dependencies of fault injection into requests. */
export interface FaultInjectionDependencies {
  /** Default: no fault injection. */
  faults?: FaultPlan | undefined;
  tokens: Tokens;
  now: () => number;
}

const HEADER = 'model-processing-fault';

function createHeaderError(reason: string): Error {
  return new ServiceError('REQUEST_INVALID', `Invalid header Model-Processing-Fault: ${reason}.`);
}

/**
 * Injects the faults of the plan into requests. Adds the faults in the `Model-Processing-Fault` header of a request to
 * the plan.
 */
export function registerFaultInjection(
  app: FastifyInstance,
  { faults, tokens, now }: FaultInjectionDependencies,
): void {
  if (!faults) return;

  app.addHook('onRequest', async (request, reply) => {
    const header = request.headers[HEADER];
    if (typeof header === 'string') {
      const { parseFaults } = await import('./parse-faults.js');
      faults.add(parseFaults(header, createHeaderError));
    }
    const url = request.url.toLowerCase();
    const matchesPath = ({ path = '' }: { path?: string }): boolean => url.includes(path.toLowerCase());
    const delay = faults.take('delay', matchesPath);
    if (delay) await faults.pause(delay.ms, createDisconnectSignal(request));
    if (faults.take('expire-tokens', matchesPath)) await tokens.expireAccessTokens(now());
    const refusal = faults.take('status', matchesPath);
    if (!refusal) return;
    if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
    const code = refusal.status === 429 ? 'FAULT_RATE_LIMITED' : 'FAULT_UNAVAILABLE';
    throw new ServiceError(code, 'Injected fault: request refused.');
  });
}
