import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import { freePort, startNodeRedProcess } from '../node-red-process.js';
import type { FlowNode } from './example-file.js';
import { MessageRecorder, OBSERVER } from './message-recorder.js';
import type { DeployedExample } from './scenarios.js';
import type { TestEnvironment } from './test-environment.js';

/** A Node-RED with the nodes of this checkout, to deploy examples in by its admin API. */
export interface ExampleNodeRed {
  url: string;
  /** Replaces what is deployed; answers when the flow has started. */
  deploy: (flow: FlowNode[]) => Promise<DeployedExample>;
  log: () => string;
  stop: () => Promise<void>;
}

/** Starts it in the environment of `world`. */
export async function startExampleNodeRed(world: TestEnvironment): Promise<ExampleNodeRed> {
  const arrivals = new MessageRecorder();
  const userDir = path.join(world.home, '.node-red');
  await linkCheckout(userDir);
  const options = { env: world.env, preload: OBSERVER, onMessage: arrivals.record };
  const { url, log, stop } = await startNodeRedProcess(userDir, await freePort(), options);
  const post = async (address: string, headers: Record<string, string> = {}, body = '') => {
    (await fetch(`${url}${address}`, { method: 'POST', headers, body })).ok.should.be.true();
  };
  const deploy = async (flow: FlowNode[]): Promise<DeployedExample> => {
    const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' };
    const started = arrivals.nextStart();
    await post('/flows', headers, JSON.stringify(flow));
    await started;
    return {
      world,
      userDir,
      url,
      triggerInject: (name) => post(`/inject/${idOf(flow, 'inject', name)}`),
      nextMessage: (name) => arrivals.next(idOf(flow, 'debug', name)),
    };
  };
  return { url, deploy, log, stop };
}

/** The id of the node of this type and name. */
export function idOf(flow: FlowNode[], type: string, name: string): string {
  const node = flow.find((entry) => entry.type === type && entry.name === name);
  if (!node) throw new Error(`the example has no ${type} node "${name}"`);
  return node.id;
}

// Installs the checkout in the user directory by a link.
async function linkCheckout(userDir: string): Promise<void> {
  const scope = path.join(userDir, 'node_modules/@model-processing');
  await mkdir(scope, { recursive: true });
  await symlink(process.cwd(), path.join(scope, 'node-red'), 'junction');
  const manifest = { name: 'user', private: true, dependencies: { '@model-processing/node-red': '*' } };
  await writeFile(path.join(userDir, 'package.json'), JSON.stringify(manifest));
}
