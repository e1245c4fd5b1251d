import { type FlowNode, readExample } from '../../helpers/examples/example-file.js';
import { findNodeId } from '../../helpers/examples/example-node-red.js';

/** A flow that sends bursts of messages with a small model to one preview node. */
export interface BurstFlow {
  nodes: FlowNode[];
  /** The label of its tab. */
  label: string;
  previewId: string;
  /** The inject node that imports the model and sends the first burst. */
  startId: string;
  /** The inject node that sends a further burst. */
  againId: string;
}

const EXAMPLE = 'Preview a repair';

/** Creates the flow from the example, with `count` messages in each burst. */
export async function createBurstFlow(count: number): Promise<BurstFlow> {
  const example = await readExample(EXAMPLE);
  const importId = findNodeId(example, 'model-processing-import', '');
  const shown = example.find(({ type, name }) => type === 'model-processing-preview' && name === 'broken');
  const [tab] = example;
  const preview = { ...shown, id: 'burst-preview', type: 'model-processing-preview', wires: [[]] };
  const place = { z: tab?.id, y: 260 };
  const func = `const model = msg.again ? context.get('model') : msg;
context.set('model', model);
return [Array.from({ length: ${count} }, () => RED.util.cloneMessage(model))];`;
  const repeat = { id: 'burst-repeat', type: 'function', ...place, func, outputs: 1, x: 500, wires: [[preview.id]] };
  const props = [{ p: 'again', v: 'true', vt: 'bool' }];
  const again = { id: 'burst-again', type: 'inject', ...place, props, x: 300, wires: [[repeat.id]] };
  const isKept = ({ type }: FlowNode) => /^(tab|inject|model-processing-(service|upload|import))$/.test(type);
  const kept = example.filter(isKept).map((node) => (node.id === importId ? { ...node, wires: [[repeat.id]] } : node));
  return {
    nodes: [...kept, preview, repeat, again],
    label: EXAMPLE,
    previewId: preview.id,
    startId: findNodeId(example, 'inject', 'repair the bracket'),
    againId: again.id,
  };
}
