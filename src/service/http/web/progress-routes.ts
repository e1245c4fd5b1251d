import type { FastifyInstance } from 'fastify';
import type { Limits } from '../../defaults.js';
import { ServiceError } from '../../service-error.js';
import type { Lists, ReportedOperation } from '../../store/lists.js';
import { createCloseSignal } from '../close-signal.js';
import { toOperationRecord } from '../operation-records.js';
import { createUserSlots } from '../user-slots.js';
import { createSessionAuthentication, type SessionDependencies } from './authenticate-session.js';
import { CompletionWatch, type CompletionWatchDependencies } from './completion-watch.js';
import { requireSession } from './session-routes.js';

/** The dependencies of the routes by which the page follows operations. */
export interface ProgressRouteDependencies extends SessionDependencies, Omit<CompletionWatchDependencies, 'lists'> {
  lists: Pick<Lists, 'named' | 'completed' | 'verdicts'>;
  limits: Pick<Limits, 'maxWaitsPerUser'>;
}

const MAX_IDS = 100;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// The requests of other pages of the user are answered by then.
const RETRY_AFTER_S = 3;

interface IdsQuery {
  /** Separated by commas. An array if it is repeated. */
  ids?: string | string[];
}

function parseIds({ ids }: IdsQuery): string[] {
  const list = typeof ids === 'string' ? ids.toLowerCase().split(',') : [];
  if (list.length >= 1 && list.length <= MAX_IDS && list.every((id) => ID.test(id))) return list;
  throw new ServiceError('FIELD_INVALID', `Invalid ids: expected 1 to ${MAX_IDS} ids, separated by commas.`);
}

/** Returns the reply as JSON text. Reports are inserted without parsing. */
function serializeCompleted(rows: readonly ReportedOperation[]): string {
  const entries = rows.map((row) => {
    const report = row.report === null ? '' : `,"report":${row.report}`;
    return `${JSON.stringify(toOperationRecord(row)).slice(0, -1)}${report}}`;
  });
  return `{"operations":[${entries.join()}]}`;
}

/**
 * Registers `GET /ui/operations`, which waits up to 3 s until one of the named operations is completed and replies with
 * those that are, with their reports, and `GET /ui/verdicts`, which replies with the verdicts on many models, without reasons.
 */
export function registerProgressRoutes(app: FastifyInstance, dependencies: ProgressRouteDependencies): void {
  const { lists, limits } = dependencies;
  const authenticate = createSessionAuthentication(dependencies);
  const watch = new CompletionWatch(dependencies);
  const acquireSlot = createUserSlots(limits.maxWaitsPerUser, () => {
    const message = `Too many requests: ${limits.maxWaitsPerUser} of this user wait for operations. Retry later.`;
    return new ServiceError('TOO_MANY_WAITS', message, { retryAfterS: RETRY_AFTER_S });
  });

  const waitForCompleted = async (owner: string, ids: string[], signal: AbortSignal): Promise<ReportedOperation[]> => {
    const releaseSlot = acquireSlot(owner);
    try {
      return await watch.wait(owner, ids, signal);
    } finally {
      releaseSlot();
    }
  };

  app.get<{ Querystring: IdsQuery }>('/ui/operations', async (request, reply) => {
    const { userId } = await requireSession(authenticate, request, reply);
    const signal = createCloseSignal(reply);
    const rows = await waitForCompleted(userId, parseIds(request.query), signal);
    if (signal.aborted) return reply.hijack(); // nobody reads a reply
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    return reply.send(serializeCompleted(rows));
  });

  app.get<{ Querystring: IdsQuery }>('/ui/verdicts', async (request, reply) => {
    const { userId } = await requireSession(authenticate, request, reply);
    reply.header('cache-control', 'no-store');
    return { verdicts: await lists.verdicts(userId, parseIds(request.query)) };
  });
}
