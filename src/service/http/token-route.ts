import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenProblem } from '../../api/index.js';
import { parseBasicHeader } from '../auth/basic-auth.js';
import type { FailedGrantLimiter } from '../auth/failed-grant-limiter.js';
import { GrantError, type Grants } from '../auth/grant.js';

/** What the token endpoint needs. `maxFailedGrants` counts by address and client id. */
export interface TokenRouteDependencies {
  grant: Grants;
  failedGrants: FailedGrantLimiter;
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

function refuse(request: FastifyRequest, reply: FastifyReply, error: GrantError): FastifyReply {
  const body: TokenProblem = { error: error.code, error_description: error.message };
  if (error.code !== 'invalid_client') return send(reply, 400, body);
  request.log.warn('a client with a wrong id or secret asked for a token');
  return send(reply.header('www-authenticate', 'Basic realm="Model Processing"'), 401, body);
}

/**
 * `POST /Token`: both grants of section 5 of the API. The body is read as a form whatever its type says, since one published client sends
 * none.
 */
export function registerTokenRoute(
  app: FastifyInstance,
  { grant, failedGrants, formBytes }: TokenRouteDependencies,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: formBytes }, (_request, body, done) =>
    done(null, body),
  );

  app.post('/Token', { bodyLimit: formBytes }, async (request, reply) => {
    const pairs = parseBasicHeader(request.headers.authorization);
    // Decoded, if there is such a reading: else one client could write its id in many ways, and guess as often in each.
    const caller = `${request.ip} ${pairs.at(-1)?.id ?? ''}`;
    const seconds = failedGrants.secondsToWait(caller);
    if (seconds > 0) {
      const problem: TokenProblem = {
        error: 'invalid_grant',
        error_description: `too many failed attempts: wait ${seconds} s`,
      };
      return send(reply.header('retry-after', String(seconds)), 429, problem);
    }
    try {
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      return send(reply, 200, await grant(pairs, form));
    } catch (error) {
      if (!(error instanceof GrantError)) throw error;
      if (error.code === 'invalid_grant' || error.code === 'invalid_client') failedGrants.add(caller);
      return refuse(request, reply, error);
    }
  });
}
