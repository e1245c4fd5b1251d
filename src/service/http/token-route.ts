import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenProblem } from '../../api/index.js';
import { parseBasicHeader } from '../auth/basic-auth.js';
import type { FailedGrantLimiter } from '../auth/failed-grant-limiter.js';
import { GrantError, type Grants } from '../auth/grant.js';

/** The dependencies of the token endpoint. `failedGrantLimiter` counts per address and client id. */
export interface TokenRouteDependencies {
  grant: Grants;
  failedGrantLimiter: FailedGrantLimiter;
  formBytes: number;
}

const JSON_TYPE = 'application/json;charset=UTF-8';

function send(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-cache', pragma: 'no-cache', expires: '-1' })
    .header('content-type', JSON_TYPE)
    .send(JSON.stringify(body));
}

function rejectGrant(request: FastifyRequest, reply: FastifyReply, error: GrantError): FastifyReply {
  const body: TokenProblem = { error: error.code, error_description: error.message };
  if (error.code !== 'invalid_client') return send(reply, 400, body);
  request.log.warn('Token request with an unknown client id or a wrong secret');
  return send(reply.header('www-authenticate', 'Basic realm="Model Processing"'), 401, body);
}

/**
 * Registers `POST /Token` with the password and the refresh token grant (RFC 6749, sections 4.3 and 6). The body is
 * read as a form whatever its Content-Type is, since one published client sends none.
 */
export function registerTokenRoute(
  app: FastifyInstance,
  { grant, failedGrantLimiter, formBytes }: TokenRouteDependencies,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: formBytes }, (_request, body, done) =>
    done(null, body),
  );

  app.post('/Token', { bodyLimit: formBytes }, async (request, reply) => {
    const pairs = parseBasicHeader(request.headers.authorization);
    // The form-decoded id, if there is one: otherwise each encoding of an id would have a limit of its own.
    const caller = `${request.ip} ${pairs.at(-1)?.id ?? ''}`;
    const seconds = failedGrantLimiter.secondsToWait(caller);
    if (seconds > 0) {
      const problem: TokenProblem = {
        error: 'invalid_grant',
        error_description: `Too many failed attempts. Retry after ${seconds} s.`,
      };
      return send(reply.header('retry-after', String(seconds)), 429, problem);
    }
    try {
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      return send(reply, 200, await grant(pairs, form));
    } catch (error) {
      if (!(error instanceof GrantError)) throw error;
      if (error.code === 'invalid_grant' || error.code === 'invalid_client') failedGrantLimiter.add(caller);
      return rejectGrant(request, reply, error);
    }
  });
}
