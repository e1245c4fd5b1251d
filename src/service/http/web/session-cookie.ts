import type { FastifyReply, FastifyRequest } from 'fastify';

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };

/**
 * Returns the name of the cookie of a session. It contains the port by which the browser reaches the service, because
 * cookies do not tell the ports of a host apart.
 */
function cookieName({ protocol, host }: FastifyRequest): string {
  const port = /:(\d+)$/.exec(host)?.[1] ?? DEFAULT_PORTS[protocol] ?? '80';
  return `model_processing_${port}`;
}

/** Returns the secret in the cookie of a request, `undefined` if there is none. */
export function readSessionCookie(request: FastifyRequest): string | undefined {
  const name = cookieName(request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = pair.split('=', 2).map((text) => text.trim());
    if (key === name && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/** Sets the cookie of a session; `maxAgeMs` 0 deletes it. `Secure` if the browser uses https, as a trusted proxy tells. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, secret: string, maxAgeMs: number): void {
  const parts = [
    ...[`${cookieName(request)}=${secret}`, 'Path=/', `Max-Age=${Math.floor(maxAgeMs / 1000)}`],
    ...['HttpOnly', 'SameSite=Strict', ...(request.protocol === 'https' ? ['Secure'] : [])],
  ];
  reply.header('set-cookie', parts.join('; '));
}
