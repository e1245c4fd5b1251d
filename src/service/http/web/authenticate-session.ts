import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSessions } from '../../auth/web-sessions.js';
import { ServiceError } from '../../service-error.js';
import type { SessionUser } from '../../store/sessions.js';
import type { PublicAddress } from '../public-address.js';
import { assertSameOrigin } from './same-origin.js';
import { readSessionCookie, setSessionCookie } from './session-cookie.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a person may open the route of a download by its address. Default: false. */
    isDownload?: boolean;
  }
}

/** The sessions of the page, and the addresses at which they count. */
export interface SessionDependencies extends PublicAddress {
  webSessions: Pick<WebSessions, 'find'>;
}

/** Resolves with the user of the session of a request; `undefined` if it has no cookie. Throws as the hook says. */
export type AuthenticateSession = (request: FastifyRequest, reply: FastifyReply) => Promise<SessionUser | undefined>;

/**
 * Creates the function that finds the user of the session of a request, and renews it. It throws `ORIGIN_REFUSED` for a
 * request that another page may have sent, and `NOT_AUTHORIZED` if the session has ended, or is not that of the user in
 * the header `X-Session-User`: somebody else has signed in in another tab meanwhile.
 */
export function createSessionAuthentication({ webSessions, ...address }: SessionDependencies): AuthenticateSession {
  return async (request, reply) => {
    const secret = readSessionCookie(request);
    if (secret === undefined) return undefined;
    assertSameOrigin(request, address, request.routeOptions.config?.isDownload);
    const user = await webSessions.find(secret);
    const expectedUser = request.headers['x-session-user'];
    if (!user || (expectedUser !== undefined && expectedUser !== user.userId)) {
      throw new ServiceError('NOT_AUTHORIZED', 'The session has ended. Sign in again.');
    }
    if (user.renewedMs !== undefined) setSessionCookie(request, reply, address, { secret, maxAgeMs: user.renewedMs });
    return user;
  };
}
