import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenProblem } from '../../api/index.js';
import { parseBasicHeader } from '../auth/basic-auth.js';
import { GrantError, type Grants } from '../auth/grant.js';
import { TooManyLoginsError } from '../auth/login-checks.js';
import { networkOf } from '../auth/network-of.js';
import { createCloseSignal } from './close-signal.js';

/** The dependencies of the token endpoint. */
export interface TokenRouteDependencies {
  grants: Grants;
  formBytes: number;
  now: () => number;
}

// Requests with a wrong client secret are cheap, and would fill the log.
const REFUSED_CLIENT_LOG_MS = 60_000;

const JSON_TYPE = 'application/json;charset=UTF-8';

function send(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-cache', pragma: 'no-cache', expires: '-1' })
    .header('content-type', JSON_TYPE)
    .send(JSON.stringify(body));
}

/** Creates the function that logs a refused client, once a minute at most. */
function createRefusedClientLog(now: () => number) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return (request: FastifyRequest): void => {
    if (now() < loggedAt + REFUSED_CLIENT_LOG_MS) {
      unlogged += 1;
      return;
    }
    const fields = { address: request.ip, ...(unlogged > 0 && { unlogged }) };
    request.log.warn(fields, 'Token request with an unknown client id or a wrong secret');
    [loggedAt, unlogged] = [now(), 0];
  };
}

/**
 * Registers `POST /Token` with the password and the refresh token grant (RFC 6749, sections 4.3 and 6), and `POST /Revoke`
 * (RFC 7009). The body is read as a form whatever its Content-Type is, since one published client sends none.
 */
export function registerTokenRoute(app: FastifyInstance, { grants, formBytes, now }: TokenRouteDependencies): void {
  const logRefusedClient = createRefusedClientLog(now);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: formBytes }, (_request, body, done) =>
    done(null, body),
  );

  const readForm = ({ body, headers }: FastifyRequest) => ({
    form: new URLSearchParams(typeof body === 'string' ? body : ''),
    pairs: parseBasicHeader(headers.authorization),
  });
  const sendRefusal = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
    if (error instanceof TooManyLoginsError) {
      const body: TokenProblem = { error: 'invalid_grant', error_description: error.message };
      return send(reply.header('retry-after', String(error.retryAfterSeconds)), 429, body);
    }
    if (!(error instanceof GrantError)) throw error;
    const body: TokenProblem = { error: error.code, error_description: error.message };
    if (error.code !== 'invalid_client') return send(reply, 400, body);
    logRefusedClient(request);
    return send(reply.header('www-authenticate', 'Basic realm="Model Processing"'), 401, body);
  };

  app.post('/Token', { bodyLimit: formBytes }, async (request, reply) => {
    const origin = { network: networkOf(request.ip), signal: createCloseSignal(reply) };
    const { pairs, form } = readForm(request);
    try {
      return send(reply, 200, await grants.issue(pairs, form, origin));
    } catch (error) {
      if (origin.signal.aborted) return reply.hijack(); // nobody reads a reply
      return sendRefusal(request, reply, error);
    }
  });

  app.post('/Revoke', { bodyLimit: formBytes }, async (request, reply) => {
    const { pairs, form } = readForm(request);
    try {
      await grants.revoke(pairs, form);
      return send(reply, 200, {});
    } catch (error) {
      return sendRefusal(request, reply, error);
    }
  });
}
