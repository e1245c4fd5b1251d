import type { FastifyInstance } from 'fastify';
import type { Limits } from '../defaults.js';
import type { Listener } from './listener.js';

/** Waits up to `shutdownDrainMs` for running replies, then closes all remaining connections. */
export async function stopListening(
  listener: Listener,
  { app, limits }: { app: FastifyInstance; limits: Pick<Limits, 'shutdownDrainMs'> },
): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limits.shutdownDrainMs);
  await listener.close();
  clearTimeout(timer);
}
