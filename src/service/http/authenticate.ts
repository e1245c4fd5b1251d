import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../auth/secrets.js';
import { ServiceError } from '../service-error.js';
import type { Tokens } from '../store/tokens.js';
import type { AuthenticateSession } from './web/authenticate-session.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the authenticated user; empty on routes that need no token. */
    userId: string;
  }
}

/** Returns the token of `Authorization: Bearer …` (RFC 6750), `undefined` if there is none. */
export function readBearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization ?? '')?.[1];
}

/** A hook that authenticates a request. */
export type AuthHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Creates a hook that requires a valid bearer token (RFC 6750) and sets `request.userId`. With `authenticateSession`, a
 * request whose `Authorization` header is not of the scheme Bearer can have a session instead: browsers also send the
 * Basic header of a proxy that asks for a password of its own. Throws `NOT_AUTHORIZED`.
 */
export function createAuthHook(tokens: Tokens, now: () => number, authenticateSession?: AuthenticateSession): AuthHook {
  return async (request, reply) => {
    const token = readBearerToken(request);
    const hasScheme = /^bearer\b/i.test(request.headers.authorization ?? '');
    const session = hasScheme ? undefined : await authenticateSession?.(request, reply);
    const bearer = token && (await tokens.findBearer(hashSecret(token), now()));
    const userId = session?.userId ?? (bearer ? bearer.user_id : undefined);
    if (userId === undefined) {
      reply.header('www-authenticate', 'Bearer');
      throw new ServiceError(
        'NOT_AUTHORIZED',
        token
          ? 'The access token is unknown, expired or revoked. Request a new one.'
          : 'Missing header "Authorization: Bearer …".',
      );
    }
    request.userId = userId;
  };
}
