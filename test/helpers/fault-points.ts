import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FakeService } from './fake-service.js';

/** The points of one run at which a fault can be injected. Calls `act` at the point `pointNumber`, counted from 1. */
export class FaultPoints {
  readonly #pointNumber: number;
  readonly #act: () => void;
  count = 0;
  hasActed = false;
  /** The exception of `act`. It is kept here, because it must not be thrown into the code under test. */
  failure: unknown;

  /** Without arguments, only counts the points. */
  constructor(pointNumber = 0, act: () => void = () => undefined) {
    this.#pointNumber = pointNumber;
    this.#act = act;
  }

  /** Passes the next point. */
  readonly pass = (): void => {
    this.count += 1;
    if (this.count !== this.#pointNumber) return;
    this.hasActed = true;
    try {
      this.#act();
    } catch (error) {
      this.failure = error;
    }
  };
}

// Other code can run before these continuations. Before the callbacks of timers and connections it cannot.
const CONTINUATIONS = new Set(['PROMISE', 'TickObject']);

/** Runs `work`, and passes a point before each of its continuations: at every `await` and `nextTick`. */
export async function traceContinuations<T>(points: FaultPoints, work: () => Promise<T>): Promise<T> {
  const within = new AsyncLocalStorage<true>();
  const continuationIds = new Set<number>();
  const hook = createHook({
    init: (id, type) => {
      if (CONTINUATIONS.has(type) && within.getStore()) continuationIds.add(id);
    },
    before: (id) => {
      if (continuationIds.has(id)) points.pass();
    },
  });
  hook.enable();
  try {
    return await within.run(true, work);
  } finally {
    hook.disable();
    // Otherwise all later asynchronous resources would inherit the store.
    within.disable();
  }
}

/**
 * Runs `work`, and passes a point at each event of the service: a connection, each received chunk, the head of a
 * request, before each reply and in the middle of it.
 */
export async function traceServiceEvents<T>(
  points: FaultPoints,
  service: FakeService,
  work: () => Promise<T>,
): Promise<T> {
  const { port } = service;
  const onConnection = (message: unknown) => {
    const { socket }: { socket: Socket } = Object(message);
    if (socket.localPort !== port) return;
    points.pass();
    socket.on('data', points.pass);
  };
  const onRequest = (message: unknown) => {
    const { socket, response }: { socket: Socket; response: ServerResponse } = Object(message);
    if (socket.localPort !== port) return;
    points.pass();
    passReply(points, response);
  };
  diagnostics.subscribe('net.server.socket', onConnection);
  diagnostics.subscribe('http.server.request.start', onRequest);
  try {
    return await work();
  } finally {
    diagnostics.unsubscribe('net.server.socket', onConnection);
    diagnostics.unsubscribe('http.server.request.start', onRequest);
  }
}

/** Passes a point before a reply and in the middle of its body. */
function passReply(points: FaultPoints, reply: ServerResponse): void {
  const end = reply.end.bind(reply);
  const endInHalves = (body: Buffer | string = ''): ServerResponse => {
    points.pass();
    const bytes = Buffer.from(body);
    const half = bytes.length >> 1;
    reply.write(bytes.subarray(0, half), () => {
      points.pass();
      end(bytes.subarray(half));
    });
    return reply;
  };
  Object.assign(reply, { end: endInHalves });
}
