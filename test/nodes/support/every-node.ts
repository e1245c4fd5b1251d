import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FakeService } from '../../helpers/fake-service.js';
import { type FlowItem, remoteService } from './flow-bench.js';

/** What messages are made of. `file` holds `bytes`. */
export interface Models {
  service: FakeService;
  file: string;
  bytes: Buffer;
}

/** A flow node and a message for it. Its name is its id in the flow, and its type where none is given. */
interface TriedNode {
  name: string;
  type?: string;
  settings?: object;
  message: (models: Models) => Record<string, unknown>;
}

/** Every type of flow node, in the ways in which it differs. */
export const EVERY_NODE: readonly TriedNode[] = [
  { name: 'upload of a path', type: 'upload', message: ({ file }) => ({ payload: file }) },
  { name: 'upload of a Buffer', type: 'upload', message: modelFile },
  {
    name: 'upload of a stream',
    type: 'upload',
    message: ({ bytes }) => ({ payload: Readable.from([bytes]), filename: 'a.stl' }),
  },
  { name: 'import', message: () => ({ payload: { fileId: randomUUID() } }) },
  { name: 'repair', settings: { send: 'finished' }, message: model },
  { name: 'export', message: model },
  { name: 'operation', settings: { operation: 'analyze' }, message: model },
  {
    name: 'wait',
    message: ({ service }) => ({ payload: { operationId: service.addOperation('repair'), operation: 'repair' } }),
  },
  { name: 'wait for what nobody named', type: 'wait', settings: { operation: 'repair' }, message: unnamedOperation },
  { name: 'download to a Buffer', type: 'download', message: storedFile },
  { name: 'download to a file', type: 'download', settings: { target: 'file' }, message: storedFile },
  { name: 'process', message: modelFile },
];

/** A flow with all of them. */
export function flowOfEveryNode(service: FakeService): FlowItem[] {
  const onTab = { z: 'tab', x: 100, y: 100, service: 'service', wires: [[]] };
  const nodes = EVERY_NODE.map(({ name, type = name, settings }) => {
    return { id: name, type: `model-processing-${type}`, ...onTab, ...settings };
  });
  return [{ id: 'tab', type: 'tab', label: 'test' }, remoteService(service.account), ...nodes];
}

function modelFile({ bytes }: Models) {
  return { payload: bytes, filename: 'a.stl' };
}

function model() {
  return { payload: { resultId: randomUUID() } };
}

function storedFile({ service, bytes }: Models) {
  return { payload: { fileId: service.addFile(bytes) } };
}

function unnamedOperation({ service }: Models) {
  return { payload: { operationId: service.addOperation('repair') } };
}
