import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FakeService } from './fake-service.js';

/** The points of one run at which something can go wrong. At the one with the number `pointNumber`, from 1 on, `act` is called from within it. */
export class FaultPoints {
  readonly #at: number;
  readonly #act: () => void;
  count = 0;
  hasActed = false;
  /** What `act` threw: that must not come up in the middle of what is tested. */
  failure: unknown;

  /** Without arguments the points are counted only. */
  constructor(pointNumber = 0, act: () => void = () => undefined) {
    this.#at = pointNumber;
    this.#act = act;
  }

  readonly pass = (): void => {
    this.count += 1;
    if (this.count !== this.#at) return;
    this.hasActed = true;
    try {
      this.#act();
    } catch (error) {
      this.failure = error;
    }
  };
}

// Between these anything else may happen. Not so just before a timer or what came in by a connection is handed over.
const CONTINUATIONS = new Set(['PROMISE', 'TickObject']);

/**
 * Does `work`, and passes a point before each continuation that comes of it: of a promise, so at every `await`, and of `nextTick`.
 */
export async function passContinuations<T>(points: FaultPoints, work: () => Promise<T>): Promise<T> {
  const within = new AsyncLocalStorage<true>();
  const own = new Set<number>();
  const hook = createHook({
    init: (id, type) => {
      if (CONTINUATIONS.has(type) && within.getStore()) own.add(id);
    },
    before: (id) => {
      if (own.has(id)) points.pass();
    },
  });
  hook.enable();
  try {
    return await within.run(true, work);
  } finally {
    hook.disable();
    // Else everything that is made from then on carries it along.
    within.disable();
  }
}

/**
 * Does `work`, and passes a point at everything that happens at the service: a connection, each piece that comes in, the head of a request,
 * before a reply and in the middle of it.
 */
export async function passServiceEvents<T>(
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

/** Numbers from 1 to `count`: all of them, or `max` that are evenly spread, with both ends. */
export function spreadNumbers(count: number, max: number): number[] {
  if (count <= max) return Array.from({ length: count }, (_, index) => index + 1);
  return Array.from({ length: max }, (_, index) => 1 + Math.round((index * (count - 1)) / (max - 1)));
}
