import path from 'node:path';
import 'should';
import { findFreePort, startNodeRedProcess } from '../node-red-process.js';
import type { FlowNode } from './example-file.js';
import { linkPackages } from './link-packages.js';
import { MessageRecorder, OBSERVER } from './message-recorder.js';
import type { DeployedExample } from './scenarios.js';
import type { TestEnvironment } from './test-environment.js';

/** A running Node-RED with the nodes of this checkout. Examples are deployed through its admin API. */
export interface ExampleNodeRed {
  url: string;
  /** Replaces the deployed flow. Resolves after the new flow has started. */
  deploy: (flow: FlowNode[]) => Promise<DeployedExample>;
  log: () => string;
  stop: () => Promise<void>;
}

/** Starts Node-RED in a test environment. */
export async function startExampleNodeRed(environment: TestEnvironment): Promise<ExampleNodeRed> {
  const recorder = new MessageRecorder();
  const userDir = path.join(environment.home, '.node-red');
  await linkPackages(userDir, { '@model-processing/node-red': '.' });
  const options = { env: environment.env, preload: OBSERVER, onMessage: recorder.record };
  const { url, log, stop } = await startNodeRedProcess(userDir, await findFreePort(), options);
  const post = async (address: string, headers: Record<string, string> = {}, body = '') => {
    (await fetch(`${url}${address}`, { method: 'POST', headers, body })).ok.should.be.true();
  };
  const deploy = async (flow: FlowNode[]): Promise<DeployedExample> => {
    const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' };
    const started = recorder.nextStart();
    await post('/flows', headers, JSON.stringify(flow));
    await started;
    return {
      environment,
      userDir,
      url,
      triggerInject: (name) => post(`/inject/${findNodeId(flow, 'inject', name)}`),
      nextMessage: (name) => recorder.next(findNodeId(flow, 'debug', name)),
    };
  };
  return { url, deploy, log, stop };
}

/** Returns the id of the node with this type and name. Throws if there is none. */
export function findNodeId(flow: FlowNode[], type: string, name: string): string {
  const node = flow.find((entry) => entry.type === type && entry.name === name);
  if (!node) throw new Error(`The example has no ${type} node "${name}".`);
  return node.id;
}
