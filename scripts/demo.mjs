// `npm run demo [-- IN [--to FORMAT] [-o OUT]]`: sends a model through the bundled flow "Repair a model" in a headless
// Node-RED, against the local service, and writes the repaired file. Every step is a node of the flow; nothing is done here.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatMessage, formatReport, formatSize } from './demo-output.mjs';
import { EXAMPLE_FLOW, ROOT, readFlow, startNodeRed } from './node-red.mjs';

const USAGE = 'usage: npm run demo [-- IN [--to FORMAT] [-o OUT]]';

// npm runs scripts in the package's folder: the user's own is in INIT_CWD.
const workingDirectory = process.env.INIT_CWD ?? process.cwd();

/** What the command line asks for; throws with the remedy where it is wrong. */
const readCommandLine = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      to: { type: 'string', default: 'stl' },
      output: { type: 'string', short: 'o' },
      flow: { type: 'string', default: EXAMPLE_FLOW },
    },
  });
  if (positionals.length > 1) throw new Error(`one file at a time\n${USAGE}`);
  const input = positionals[0]
    ? path.resolve(workingDirectory, positionals[0])
    : path.join(ROOT, 'examples/models/bracket.stl');
  const { size } = await stat(input).catch(() => {
    throw new Error(`there is no file ${input}\n${USAGE}`);
  });
  const extension = values.to.replace(/-.*/, '');
  const output = values.output
    ? path.resolve(workingDirectory, values.output)
    : path.join(workingDirectory, `${path.parse(input).name}-repaired.${extension}`);
  if (output === input) throw new Error('the result would replace the input: name another file with -o');
  return { input, size, output, format: values.to, isNamed: values.output !== undefined, flowFile: values.flow };
};

/** The flow as bundled, with this run's file, format and target set on its upload, export and download nodes. */
const configureFlow = (flow, { input, output, format, isNamed }) => {
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
};

/**
 * Follows one message from the inject node until no node works on it any more. Answers what the download node sent;
 * throws what a Catch node was given, or that the flow came to an end before the download node.
 */
const followMessage = (RED, flow, onMessage) =>
  new Promise((resolve, reject) => {
    const nodeOf = new Map(flow.map((node) => [node.id, node]));
    let isDownloaded;
    let underWay = 0;
    RED.hooks.add('onSend.demo', (events) => {
      for (const { msg, source } of events) {
        const node = nodeOf.get(source.id);
        if (msg.error && node?.type === 'catch') reject(new Error(`${msg.error.source.type}: ${msg.error.message}`));
        else if (node) onMessage(node, msg);
        if (node?.type === 'model-processing-download') isDownloaded = msg;
      }
    });
    // A hook without a parameter would be taken for one that calls back.
    RED.hooks.add('preDeliver.demo', (_event) => {
      underWay += 1;
    });
    // A node that fails completes too: its error reaches the Catch node first.
    RED.hooks.add('onComplete.demo', (_event) => {
      underWay -= 1;
      setImmediate(() => {
        if (underWay > 0) return;
        if (isDownloaded) resolve(isDownloaded);
        else reject(new Error('the flow came to its end, and its download node sent nothing'));
      });
    });
    const start = flow.find((node) => node.type === 'inject');
    if (!start) throw new Error('the flow has no inject node');
    underWay += 1;
    RED.nodes.getNode(start.id).receive({});
  });

/** Rejects when the demo is asked to end, so that it leaves nothing behind. */
const rejectOnInterrupt = () =>
  new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });

const main = async () => {
  const run = await readCommandLine();
  const flow = configureFlow(await readFlow(run.flowFile), run);
  const userDir = await mkdtemp(path.join(os.tmpdir(), 'model-processing-demo-'));
  const startedAt = performance.now();
  console.log(
    `${path.basename(run.input)} (${formatSize(run.size)}) goes through the flow "${path.parse(run.flowFile).name}"`,
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
};

// Node ends quietly where nothing is left to wait for: that must not look like success.
process.once('beforeExit', () => {
  console.error('demo: the flow stands still, and nothing is under way');
  process.exit(1);
});

main().then(
  () => process.exit(0),
  (error) => {
    console.error(`demo: ${error.message}`);
    process.exit(1);
  },
);
