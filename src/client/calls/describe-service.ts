import type { ClientLimits } from '../client-limits.js';
import { truncate } from '../replies/read-error-reply.js';
import { type Fields, readFields } from '../replies/read-fields.js';
import { parseReplyJson, readReplyText } from '../replies/reply-body.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import type { Reply } from '../transport/transport.js';
import type { ServiceDescription } from '../types.js';
import { controlTimeouts } from './operations.js';
import type { CallSpec, Session } from './session.js';

/** Longer names are dropped: they are not ids. */
const MAX_ID_LENGTH = 40;
/** The limit for each list of names. */
const MAX_COUNT = 200;

/**
 * Returns the name, version, formats and units of the service, from pages that are not part of the common API. Fields
 * are empty if the service does not have these pages. The account has been accepted when this returns.
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

/**
 * Returns the extensions of the files that the service imports, lower case and without a dot. Empty if the service does
 * not list them completely, or recognizes files by their content.
 */
export function listImportExtensions(formats: Fields | undefined): string[] {
  const entries = formats?.import;
  if (!Array.isArray(entries) || readNames(formats?.features).includes('content-recognition')) return [];
  const lists = entries.map((entry): string[] => readNames(Object(entry).extensions));
  return lists.some((names) => names.length === 0) ? [] : [...new Set(lists.flat().map(toExtension))];
}

/** The page `/formats`. */
export interface FormatsPage {
  /** `undefined` if the service does not have the page, or may not have it: after 401, the token may have expired. */
  formats: Fields | undefined;
  isUnauthorized: boolean;
}

/** Reads `/formats` in a single attempt, because calls wait for it. */
export function readFormats(session: Session, limits: ClientLimits, signal: AbortSignal): Promise<FormatsPage> {
  const page = createFormatsSpec(limits);
  const read = async (reply: Reply) => ({ formats: await page.read(reply), isUnauthorized: reply.status === 401 });
  return session.call({ ...page, read, canPrepareAgain: () => false }, signal);
}

/**
 * Returns the call that reads `/formats`, for which other calls wait: with short timeouts. 401 counts as a missing page,
 * since a gateway may reply that for a page that does not exist. The token is still valid then.
 */
export function createFormatsSpec(limits: ClientLimits): CallSpec<Fields | undefined> {
  const page = createPageSpec('/formats', limits);
  return {
    ...page,
    times: {
      connectMs: Math.min(limits.connectTimeoutMs, limits.featuresTimeoutMs),
      totalMs: Math.min(limits.replyTimeoutMs, limits.featuresTimeoutMs),
    },
    successStatuses: [...(page.successStatuses ?? []), 401],
  };
}

function toExtension(name: string): string {
  return name.replace(/^\./, '').toLowerCase();
}

/** Returns the JSON object of an optional page, or `undefined` if the service does not have it. */
async function readPage(
  session: Session,
  path: string,
  limits: ClientLimits,
  signal: AbortSignal,
): Promise<Fields | undefined> {
  return session.call(createPageSpec(path, limits), signal);
}

function createPageSpec(path: string, limits: ClientLimits): CallSpec<Fields | undefined> {
  return {
    action: `read ${path} of the service`,
    method: 'GET',
    path,
    ...controlTimeouts(limits),
    isIdempotent: true,
    prepare: () => Promise.resolve({ headers: { Accept: 'application/json' } }),
    successStatuses: [200, ...MISSING_PAGE_STATUSES],
    read: readPageBody(limits),
  };
}

/** Statuses of services that do not have the page, or do not allow access to it. */
const MISSING_PAGE_STATUSES = [301, 302, 303, 307, 308, 400, 403, 404, 405, 406, 410, 501];

function readPageBody(limits: ClientLimits) {
  return async (reply: Reply) => {
    if (reply.status !== 200) return undefined;
    try {
      return readFields(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes)));
    } catch (error) {
      // A different page is at this path.
      if (error instanceof AttemptFailure && error.kind === 'garbled') return undefined;
      throw error;
    }
  };
}

/** Returns the valid ids of a list of formats; an empty list for any other value. */
function readFormatIds(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return readNames(list.map((entry): unknown => Object(entry).id));
}

/** Returns the valid names of a list, at most `MAX_COUNT`; an empty list for any other value. */
export function readNames(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list
    .filter((id): id is string => typeof id === 'string' && id.length <= MAX_ID_LENGTH && /^[\w.-]+$/.test(id))
    .slice(0, MAX_COUNT);
}
