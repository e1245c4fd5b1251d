import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../auth/secrets.js';
import { ServiceError } from '../service-error.js';
import type { Tokens } from '../store/tokens.js';

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

/** Creates a hook that requires a valid bearer token (RFC 6750) and sets `request.userId`. Throws `NOT_AUTHORIZED`. */
export function createAuthHook(tokens: Tokens, now: () => number) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = readBearerToken(request);
    const bearer = token && (await tokens.findBearer(hashSecret(token), now()));
    if (!bearer) {
      reply.header('www-authenticate', 'Bearer');
      throw new ServiceError(
        'NOT_AUTHORIZED',
        token
          ? 'The access token is unknown, expired or revoked. Request a new one.'
          : 'Missing header "Authorization: Bearer …".',
      );
    }
    request.userId = bearer.user_id;
  };
}
