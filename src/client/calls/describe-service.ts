import type { ClientLimits } from '../client-limits.js';
import { truncate } from '../replies/read-error-reply.js';
import { type Fields, readFields } from '../replies/read-fields.js';
import { parseReplyJson, readReplyText } from '../replies/reply-body.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import type { Reply } from '../transport/transport.js';
import type { ServiceDescription } from '../types.js';
import type { CallSpec, Session } from './session.js';

/** Ids longer than this are none, and no service has so many. */
const MAX_ID_LENGTH = 40;
const MAX_COUNT = 200;

/**
 * What the service says of itself beyond the API that all speak: nothing, where it has no such pages. That a token could be had is
 * sure when this returns.
 */
export async function describeService(
  session: Session,
  limits: ClientLimits,
  signal: AbortSignal,
): Promise<ServiceDescription> {
  const formats = await readPage(session, '/formats', limits, signal);
  const info = formats && Object(await readPage(session, '/openapi.json', limits, signal)).info;
  const { title, version } = Object(info);
  return {
    name: typeof title === 'string' ? truncate(title) : undefined,
    version: typeof version === 'string' ? truncate(version) : undefined,
    importFormats: readFormatIds(formats?.import),
    exportFormats: readFormatIds(formats?.export),
    measurementUnits: readNames(formats?.measurementUnits),
  };
}

/** A page outside of the API, which a service need not have: then `undefined`. */
async function readPage(
  session: Session,
  path: string,
  limits: ClientLimits,
  signal: AbortSignal,
): Promise<Fields | undefined> {
  const spec: CallSpec<Fields | undefined> = {
    action: `read ${path} of the service`,
    method: 'GET',
    path,
    lane: 'control',
    times: { connectMs: limits.connectTimeoutMs, totalMs: limits.replyTimeoutMs },
    isIdempotent: true,
    prepare: () => Promise.resolve({ headers: { Accept: 'application/json' } }),
    successStatuses: [200, ...MISSING_PAGE_STATUSES],
    read: readPageBody(limits),
  };
  return session.call(spec, signal);
}

/** How services say that they have no such page, or show it to nobody. */
const MISSING_PAGE_STATUSES = [301, 302, 303, 307, 308, 400, 403, 404, 405, 406, 410, 501];

function readPageBody(limits: ClientLimits) {
  return async (reply: Reply) => {
    if (reply.status !== 200) return undefined;
    try {
      return readFields(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes)));
    } catch (error) {
      // Another page than ours stands there.
      if (error instanceof AttemptFailure && error.kind === 'garbled') return undefined;
      throw error;
    }
  };
}

function readFormatIds(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return readNames(list.map((entry): unknown => Object(entry).id));
}

function readNames(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list
    .filter((id): id is string => typeof id === 'string' && id.length <= MAX_ID_LENGTH && /^[\w.-]+$/.test(id))
    .slice(0, MAX_COUNT);
}
