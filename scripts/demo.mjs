// `npm run demo [-- IN [--to FORMAT] [-o OUT]]` sends a model through the bundled flow "Repair a model" in a headless
// Node-RED with the local service, and writes the repaired file. All steps are nodes of the flow.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatMessage, formatReport, formatSize } from './demo-output.mjs';
import { EXAMPLE_FLOW, ROOT, readFlow, startNodeRed } from './node-red.mjs';

const USAGE = 'usage: npm run demo [-- IN [--to FORMAT] [-o OUT]]';

// npm runs scripts in the package folder. INIT_CWD is the folder of the user.
const workingDirectory = process.env.INIT_CWD ?? process.cwd();

/** Parses the command line. Throws with the remedy if it is invalid. */
async function readCommandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      to: { type: 'string', default: 'stl' },
      output: { type: 'string', short: 'o' },
      flow: { type: 'string', default: EXAMPLE_FLOW },
    },
  });
  if (positionals.length > 1) throw new Error(`Too many arguments: expected one file.\n${USAGE}`);
  const input = positionals[0]
    ? path.resolve(workingDirectory, positionals[0])
    : path.join(ROOT, 'samples/bracket.stl');
  const { size } = await stat(input).catch(() => {
    throw new Error(`Could not find the file ${input}.\n${USAGE}`);
  });
  const extension = values.to.replace(/-.*/, '');
  const output = values.output
    ? path.resolve(workingDirectory, values.output)
    : path.join(workingDirectory, `${path.parse(input).name}-repaired.${extension}`);
  if (output === input) throw new Error('The result would replace the input. Choose another file with -o.');
  return { input, size, output, format: values.to, isNamed: values.output !== undefined, flowFile: values.flow };
}

/** Returns the flow with the file, format and target of this run set on its upload, export and download nodes. */
function configureFlow(flow, { input, output, format, isNamed }) {
  const settings = {
    'model-processing-upload': { source: input, sourceType: 'str' },
    'model-processing-export': { exportToFormat: format, exportToFormatType: 'str' },
    'model-processing-download': {
      target: 'file',
      path: output,
      pathType: 'str',
      exists: isNamed ? 'overwrite' : 'rename',
    },
  };
  return flow.map((node) => ({ ...node, ...settings[node.type] }));
}

/**
 * Sends one message from the inject node and waits until no node is processing it. Resolves with the message that the
 * download node sent. Rejects with the error that a Catch node received, or if the flow ended before the download node.
 */
function followMessage(RED, flow, onMessage) {
  return new Promise((resolve, reject) => {
    const nodeOf = new Map(flow.map((node) => [node.id, node]));
    let downloadedMessage;
    let activeCount = 0;
    RED.hooks.add('onSend.demo', (events) => {
      for (const { msg, source } of events) {
        const node = nodeOf.get(source.id);
        if (msg.error && node?.type === 'catch') reject(new Error(`${msg.error.source.type}: ${msg.error.message}`));
        else if (node) onMessage(node, msg);
        if (node?.type === 'model-processing-download') downloadedMessage = msg;
      }
    });
    // Node-RED treats a hook without a parameter as asynchronous.
    RED.hooks.add('preDeliver.demo', (_event) => {
      activeCount += 1;
    });
    // A node that fails completes as well; its error has reached the Catch node before.
    RED.hooks.add('onComplete.demo', (_event) => {
      activeCount -= 1;
      setImmediate(() => {
        if (activeCount > 0) return;
        if (downloadedMessage) resolve(downloadedMessage);
        else reject(new Error('The flow ended before the download node sent a message.'));
      });
    });
    const start = flow.find((node) => node.type === 'inject');
    if (!start) throw new Error('The flow has no inject node.');
    activeCount += 1;
    RED.nodes.getNode(start.id).receive({});
  });
}

/** Rejects on SIGINT or SIGTERM, so that the demo cleans up. */
function rejectOnInterrupt() {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`Stopped by ${signal}.`)));
  });
}

async function main() {
  const run = await readCommandLine();
  const flow = configureFlow(await readFlow(run.flowFile), run);
  const userDir = await mkdtemp(path.join(os.tmpdir(), 'model-processing-demo-'));
  const startedAt = performance.now();
  console.log(
    `${path.basename(run.input)} (${formatSize(run.size)}) is sent through the flow "${path.parse(run.flowFile).name}"`,
  );
  const { RED, stop } = await startNodeRed({
    userDir,
    flow,
    onLog: ({ type, msg }) => type?.startsWith('model-processing') && console.error(`  [${type}] ${msg}`),
  });
  try {
    const onMessage = (node, sent) => console.log(formatMessage((performance.now() - startedAt) / 1000, node, sent));
    const msg = await Promise.race([followMessage(RED, flow, onMessage), rejectOnInterrupt()]);
    console.log(formatReport(msg.model?.report));
    console.log(`written: ${msg.filename} (${formatSize((await stat(msg.filename)).size)})`);
  } finally {
    await stop();
    await rm(userDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}

// Node exits silently if nothing is pending. That must not look like success.
process.once('beforeExit', () => {
  console.error('demo: the flow stalled: nothing is pending.');
  process.exit(1);
});

main().then(
  () => process.exit(0),
  (error) => {
    console.error(`demo: ${error.message}`);
    process.exit(1);
  },
);
