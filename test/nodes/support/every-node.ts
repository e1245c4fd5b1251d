import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FakeService } from '../../helpers/fake-service.js';
import { createRemoteService, type FlowItem } from './flow-bench.js';

/** The data for the messages. `file` contains `bytes`. */
export interface Models {
  service: FakeService;
  file: string;
  bytes: Buffer;
}

/** A flow node and a message for it. The name is its id in the flow. */
interface NodeVariant {
  name: string;
  /** Default: the name. */
  type?: string;
  settings?: object;
  message: (models: Models) => Record<string, unknown>;
}

/** Every type of flow node, with the variants that have different code paths. */
export const EVERY_NODE: readonly NodeVariant[] = [
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
  {
    name: 'wait for an operation without a type',
    type: 'wait',
    settings: { operation: 'repair' },
    message: untypedOperation,
  },
  { name: 'download to a Buffer', type: 'download', message: storedFile },
  { name: 'download to a file', type: 'download', settings: { target: 'file' }, message: storedFile },
  { name: 'process', message: modelFile },
  { name: 'preview', message: model },
];

/** Creates a flow with all of these nodes, which are not wired to each other. */
export function createFlowOfEveryNode(service: FakeService): FlowItem[] {
  const onTab = { z: 'tab', x: 100, y: 100, service: 'service', wires: [[]] };
  const nodes = EVERY_NODE.map(({ name, type = name, settings }) => {
    return { id: name, type: `model-processing-${type}`, ...onTab, ...settings };
  });
  return [{ id: 'tab', type: 'tab', label: 'test' }, createRemoteService(service.account), ...nodes];
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

function untypedOperation({ service }: Models) {
  return { payload: { operationId: service.addOperation('repair') } };
}
