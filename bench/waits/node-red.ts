import { readFileSync, rmSync } from 'node:fs';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../../test/helpers/node-red-process.js';
import { createAccountEnvironment, createUserDirectory } from '../../test/helpers/user-directory.js';

/** A message that a wait sent, with its time in ms of `Date.now()`. */
export interface Arrival {
  operationId: string;
  at: number;
}

/** The resource usage of Node-RED since the last call. */
export interface Usage {
  residentMb: number;
  loopP99Ms: number;
}

/** A Node-RED with a flow of waits, for given operations or for operations that it starts. */
export interface WaitingFlow {
  /** Waits for these operations. */
  wait: (operationIds: string[]) => Promise<void>;
  /** Starts this many imports, and waits for them. */
  start: (count: number) => Promise<void>;
  /** Returns the messages since the last call. */
  arrivals: () => Promise<Arrival[]>;
  /** Returns the usage since the last call. */
  usage: () => Promise<Usage>;
  stop: () => Promise<void>;
}

const SETTINGS = `functionGlobalContext: (() => {
    const loop = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
    loop.enable();
    let arrivals = [];
    return {
      note: (operationId) => { arrivals.push({ operationId, at: Date.now() }); },
      take: () => { const taken = arrivals; arrivals = []; return taken; },
      loopP99Ms: () => { const ms = loop.percentile(99) / 1e6; loop.reset(); return ms; },
      collect: () => { globalThis.gc?.(); globalThis.gc?.(); },
    };
  })(),`;

/** Starts Node-RED with the flow. `useCallbacks`: requests callbacks from the service. */
export async function startWaitingFlow(baseUrl: string, useCallbacks: boolean): Promise<WaitingFlow> {
  const port = await findFreePort();
  const userDir = createUserDirectory(createFlow(baseUrl, useCallbacks ? `http://127.0.0.1:${port}` : ''));
  const account = { clientId: 'client', clientSecret: 'client secret', username: 'user', password: 'user password' };
  const env = {
    ...createAccountEnvironment(account),
    NODE_OPTIONS: '--expose-gc',
  };
  const nodeRed = await startNodeRedProcess(userDir, port, { env, settings: SETTINGS });
  const ask = (address: string, body: unknown) => post(`${nodeRed.url}${address}`, body);
  return {
    wait: async (operationIds) => void (await ask('/wait', operationIds)),
    start: async (count) =>
      void (await ask(
        '/start',
        Array.from({ length: count }, () => 0),
      )),
    arrivals: async () => (await ask('/arrivals', {})) as Arrival[],
    usage: async () => ({ loopP99Ms: Number(await ask('/loop', {})), residentMb: await residentMb(nodeRed, ask) }),
    stop: async () => {
      await nodeRed.stop();
      rmSync(userDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
    },
  };
}

async function residentMb(
  { child }: NodeRedProcess,
  ask: (address: string, body: unknown) => Promise<unknown>,
): Promise<number> {
  await ask('/collect', {});
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', Connection: 'close' };
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${url} replied ${reply.status}.`);
  return reply.json();
}

function createFlow(baseUrl: string, callbackUrl: string): object[] {
  const on = (id: string, type: string, wires: string[][], more: object) => ({
    id,
    type,
    z: 'tab',
    x: 100,
    y: 100,
    wires,
    ...more,
  });
  // Returns an endpoint that replies at once, and sends the messages that `func` creates.
  const createEndpoint = (name: string, func: string, next: string[] = []) => [
    on(`${name}-in`, 'http in', [[`${name}-do`]], { url: `/${name}`, method: 'post' }),
    on(`${name}-do`, 'function', [['answer'], next], { func, outputs: 2 }),
  ];
  const createMessages = (payload: string) => `const list = msg.payload.map((id) => ({ payload: ${payload} }));
    return [{ ...msg, payload: [] }, list];`;
  return [
    { id: 'tab', type: 'tab', label: 'waits' },
    { id: 'service', type: 'model-processing-service', service: 'remote', baseUrl, callbackUrl },
    on('answer', 'http response', [], {}),
    on('wait', 'model-processing-wait', [['note']], { service: 'service' }),
    on('import', 'model-processing-import', [['note']], { service: 'service', send: 'finished' }),
    on('note', 'function', [], { func: "global.get('note')(msg.payload.operationId);", outputs: 0 }),
    ...createEndpoint('wait', createMessages("{ operationId: id, operation: 'import' }"), ['wait']),
    ...createEndpoint('start', createMessages("{ fileId: '00000000-0000-4000-8000-000000000000' }"), ['import']),
    ...createEndpoint('arrivals', "msg.payload = global.get('take')(); return [msg, null];"),
    ...createEndpoint('loop', "msg.payload = [global.get('loopP99Ms')()]; return [msg, null];"),
    ...createEndpoint('collect', "global.get('collect')(); msg.payload = []; return [msg, null];"),
  ];
}
