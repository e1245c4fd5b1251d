import { readFileSync, rmSync } from 'node:fs';
import { freePort, type NodeRedProcess, startNodeRedProcess } from '../../test/helpers/node-red-process.js';
import { accountEnvironment, createUserDirectory } from '../../test/helpers/user-directory.js';

/** When a message came out, in ms of `Date.now()`. */
export interface Arrival {
  operationId: string;
  at: number;
}

/** What a Node-RED used since `reset`. */
export interface Usage {
  residentMb: number;
  loopP99Ms: number;
}

/** A Node-RED with a flow of waits: messages that are handed to it as operations, or that start some. */
export interface WaitingFlow {
  /** Waits for these operations. */
  wait: (operationIds: string[]) => Promise<void>;
  /** Starts this many imports, and waits for them. */
  start: (count: number) => Promise<void>;
  /** Those that came out since the last call. */
  arrivals: () => Promise<Arrival[]>;
  /** The usage since the last call. */
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

/** `useCallbacks`: the service is asked for callbacks. */
export const startWaitingFlow = async (baseUrl: string, useCallbacks: boolean): Promise<WaitingFlow> => {
  const port = await freePort();
  const userDir = createUserDirectory(flowFor(baseUrl, useCallbacks ? `http://127.0.0.1:${port}` : ''));
  const account = { clientId: 'client', clientSecret: 'client secret', username: 'user', password: 'user password' };
  const env = {
    ...accountEnvironment(account),
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
};

const residentMb = async (
  { child }: NodeRedProcess,
  ask: (address: string, body: unknown) => Promise<unknown>,
): Promise<number> => {
  await ask('/collect', {});
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
};

const post = async (url: string, body: unknown): Promise<unknown> => {
  const headers = { 'Content-Type': 'application/json', Connection: 'close' };
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}`);
  return reply.json();
};

const flowFor = (baseUrl: string, callbackUrl: string): object[] => {
  const on = (id: string, type: string, wires: string[][], more: object) => ({
    id,
    type,
    z: 'tab',
    x: 100,
    y: 100,
    wires,
    ...more,
  });
  // One request in, an answer at once, and what `func` makes of it.
  const asked = (name: string, func: string, next: string[] = []) => [
    on(`${name}-in`, 'http in', [[`${name}-do`]], { url: `/${name}`, method: 'post' }),
    on(`${name}-do`, 'function', [['answer'], next], { func, outputs: 2 }),
  ];
  const many = (payload: string) => `const list = msg.payload.map((id) => ({ payload: ${payload} }));
    return [{ ...msg, payload: [] }, list];`;
  return [
    { id: 'tab', type: 'tab', label: 'waits' },
    { id: 'service', type: 'model-processing-service', service: 'remote', baseUrl, callbackUrl },
    on('answer', 'http response', [], {}),
    on('wait', 'model-processing-wait', [['note']], { service: 'service' }),
    on('import', 'model-processing-import', [['note']], { service: 'service', send: 'finished' }),
    on('note', 'function', [], { func: "global.get('note')(msg.payload.operationId);", outputs: 0 }),
    ...asked('wait', many("{ operationId: id, operation: 'import' }"), ['wait']),
    ...asked('start', many("{ fileId: '00000000-0000-4000-8000-000000000000' }"), ['import']),
    ...asked('arrivals', "msg.payload = global.get('take')(); return [msg, null];"),
    ...asked('loop', "msg.payload = [global.get('loopP99Ms')()]; return [msg, null];"),
    ...asked('collect', "global.get('collect')(); msg.payload = []; return [msg, null];"),
  ];
};
