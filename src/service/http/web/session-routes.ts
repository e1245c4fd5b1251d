import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { requirePassword } from '../../auth/account-rules.js';
import { networkOf } from '../../auth/network-of.js';
import type { SignedIn, WebSessions } from '../../auth/web-sessions.js';
import { ServiceError } from '../../service-error.js';
import type { Usage } from '../../store/usage.js';
import { createCloseSignal } from '../close-signal.js';
import {
  type AuthenticateSession,
  createSessionAuthentication,
  type SessionDependencies,
} from './authenticate-session.js';
import { assertSameOrigin } from './same-origin.js';
import { readSessionCookie, setSessionCookie } from './session-cookie.js';

/** The dependencies of sign-in and sign-out. */
export interface SessionRouteDependencies extends SessionDependencies {
  webSessions: WebSessions;
  usage: Usage;
}

const Text = Type.String({ minLength: 1, maxLength: 1024 });
const SignIn = Type.Union([
  Type.Object({ username: Text, password: Text }),
  Type.Object({ code: Type.String({ minLength: 1, maxLength: 100 }) }),
]);
type SignIn = Static<typeof SignIn>;
const PasswordChange = Type.Object({ password: Text, newPassword: Type.String({ maxLength: 1024 }) });

/** Resolves with the user of a session. Throws `NOT_AUTHORIZED` if there is none. */
export async function requireSession(authenticate: AuthenticateSession, request: FastifyRequest, reply: FastifyReply) {
  const user = await authenticate(request, reply);
  if (!user) throw new ServiceError('NOT_AUTHORIZED', 'There is no session. Sign in.');
  return user;
}

/**
 * Registers `POST /session`, which signs in with a password or a one-time code, `GET /session`, which describes the
 * user, `PUT /session/password`, which changes the password, `DELETE /session`, which signs out, and `DELETE /sessions`,
 * which signs out everywhere.
 */
export function registerSessionRoutes(app: FastifyInstance, dependencies: SessionRouteDependencies): void {
  const { webSessions, usage } = dependencies;
  const authenticate = createSessionAuthentication(dependencies);
  const setSession = (request: FastifyRequest, reply: FastifyReply, secret: string): void =>
    setSessionCookie(request, reply, dependencies, { secret, maxAgeMs: webSessions.durationMs });

  const setBoth = (request: FastifyRequest, reply: FastifyReply, { secret, device }: SignedIn): void => {
    setSession(request, reply, secret);
    const cookie = { kind: 'device', secret: device, maxAgeMs: webSessions.deviceMs } as const;
    setSessionCookie(request, reply, dependencies, cookie);
  };

  app.post<{ Body: SignIn }>('/session', { schema: { body: SignIn } }, async (request, reply) => {
    assertSameOrigin(request, dependencies);
    const { body } = request;
    const signal = createCloseSignal(reply);
    try {
      if ('code' in body) setSession(request, reply, await webSessions.redeem(body.code));
      else {
        const caller = { network: networkOf(request.ip), username: body.username, signal };
        const signedIn = await webSessions.signIn(caller, body.password, readSessionCookie(request, 'device'));
        setBoth(request, reply, signedIn);
      }
      return reply.code(204).send();
    } catch (error) {
      if (signal.aborted) return reply.hijack(); // nobody reads a reply
      throw error;
    }
  });

  app.get('/session', async (request, reply) => {
    const { userId, username, isOwner } = await requireSession(authenticate, request, reply);
    const { ownBytes, quotaBytes } = await usage.summarize(userId);
    return reply.header('cache-control', 'no-store').send({ userId, username, isOwner, ownBytes, quotaBytes });
  });

  app.put<{ Body: Static<typeof PasswordChange> }>(
    '/session/password',
    { schema: { body: PasswordChange } },
    async (request, reply) => {
      const { username } = await requireSession(authenticate, request, reply);
      const { password, newPassword } = request.body;
      const signal = createCloseSignal(reply);
      try {
        const caller = { network: networkOf(request.ip), username, signal };
        setBoth(request, reply, await webSessions.changePassword(caller, password, requirePassword(newPassword)));
        return reply.code(204).send();
      } catch (error) {
        if (signal.aborted) return reply.hijack(); // nobody reads a reply
        throw error;
      }
    },
  );

  app.delete('/sessions', async (request, reply) => {
    const { userId } = await requireSession(authenticate, request, reply);
    await webSessions.endAll(userId);
    setSessionCookie(request, reply, dependencies, { secret: '', maxAgeMs: 0 });
    return reply.code(204).send();
  });

  app.delete('/session', async (request, reply) => {
    assertSameOrigin(request, dependencies);
    const secret = readSessionCookie(request);
    if (secret !== undefined) await webSessions.end(secret);
    setSessionCookie(request, reply, dependencies, { secret: '', maxAgeMs: 0 });
    return reply.code(204).send();
  });
}
