import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../auth/secrets.js';
import { ServiceError } from '../service-error.js';
import type { Tokens } from '../store/tokens.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the user who asks; empty outside of what needs a token. */
    userId: string;
  }
}

/** A hook that lets only requests with a good bearer token through, and notes whose it is. */
export function createAuthHook(tokens: Tokens, now: () => number) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = /^bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const bearer = token && (await tokens.findBearer(hashSecret(token), now()));
    if (!bearer) {
      reply.header('www-authenticate', 'Bearer');
      throw new ServiceError(
        'NOT_AUTHORIZED',
        token
          ? 'the access token is unknown, expired or revoked: ask for a new one'
          : 'the header Authorization: Bearer … is missing',
      );
    }
    request.userId = bearer.user_id;
  };
}
