import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../service-error.js';
import type { Tokens } from '../store/tokens.js';
import { createDisconnectSignal } from './disconnect-signal.js';
import type { FaultPlan } from './fault-plan.js';
import { parseFaults } from './parse-faults.js';

/** What the faults of requests need. */
export interface FaultInjectionDependencies {
  /** Default: nothing goes wrong on purpose. */
  faults?: FaultPlan | undefined;
  tokens: Tokens;
  now: () => number;
}

const HEADER = 'model-processing-fault';

function invalidHeader(what: string): Error {
  return new ServiceError('REQUEST_INVALID', `the header Model-Processing-Fault: ${what}`);
}

/** Lets requests go wrong as the faults say, also those faults that a request brings along in its header. */
export function registerFaultInjection(
  app: FastifyInstance,
  { faults, tokens, now }: FaultInjectionDependencies,
): void {
  if (!faults) return;

  app.addHook('onRequest', async (request, reply) => {
    const header = request.headers[HEADER];
    if (typeof header === 'string') faults.add(parseFaults(header, invalidHeader));
    const url = request.url.toLowerCase();
    const isMeant = ({ path = '' }: { path?: string }): boolean => url.includes(path.toLowerCase());
    const delay = faults.take('delay', isMeant);
    if (delay) await faults.pause(delay.ms, createDisconnectSignal(request));
    if (faults.take('expire-tokens', isMeant)) await tokens.expireAccessTokens(now());
    const refusal = faults.take('status', isMeant);
    if (!refusal) return;
    if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
    const code = refusal.status === 429 ? 'FAULT_RATE_LIMITED' : 'FAULT_UNAVAILABLE';
    throw new ServiceError(code, 'the fault mode refused this request');
  });
}
