import type { FastifyInstance } from 'fastify';
import { delay } from '../../machine/delay.js';
import { ServiceError } from '../../service-error.js';
import type { Lists, ReportedOperation } from '../../store/lists.js';
import { createCloseSignal } from '../close-signal.js';
import { toOperationRecord } from '../operation-records.js';
import { createSessionAuthentication, type SessionDependencies } from './authenticate-session.js';
import { requireSession } from './session-routes.js';

/** The dependencies of the routes by which the page follows operations. */
export interface ProgressRouteDependencies extends SessionDependencies {
  lists: Lists;
  isStopping: () => boolean;
}

const MAX_IDS = 100;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How long a request waits for an operation. Browsers open six connections to a host, so it is not longer. */
const HOLD_MS = 3000;
// The operations may run on other machines, so their rows are read again, after an eighth of the time that has passed.
const [MIN_CHECK_MS, MAX_CHECK_MS, CHECK_FACTOR] = [15, 250, 1.125];

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
 * those that are, with their reports, and `GET /ui/verdicts`, which replies with the levels of the verdicts on many models.
 */
export function registerProgressRoutes(app: FastifyInstance, dependencies: ProgressRouteDependencies): void {
  const { lists, isStopping } = dependencies;
  const authenticate = createSessionAuthentication(dependencies);

  /** Resolves with those that are completed, empty after `HOLD_MS` or as soon as nobody waits any more. */
  const waitForCompleted = async (owner: string, ids: string[], signal: AbortSignal): Promise<ReportedOperation[]> => {
    let delayMs = MIN_CHECK_MS;
    for (let waitedMs = 0; ; waitedMs += delayMs) {
      const rows = await lists.completed(owner, ids);
      if (rows.length > 0 || waitedMs >= HOLD_MS || signal.aborted || isStopping()) return rows;
      await delay(delayMs, signal);
      delayMs = Math.min(delayMs * CHECK_FACTOR, MAX_CHECK_MS);
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
    return { levels: await lists.levels(userId, parseIds(request.query)) };
  });
}
