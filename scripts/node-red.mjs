// Starts the Node-RED of this checkout, inside this process, with the built package as its only extra nodes.
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

export const ROOT = path.resolve(fileURLToPath(import.meta.url), '../..');
export const EXAMPLE_FLOW = path.join(ROOT, 'examples', 'Repair a model.json');

/** The nodes of a flow file, as Node-RED stores them. */
export const readFlow = async (file = EXAMPLE_FLOW) => JSON.parse(await readFile(file, 'utf8'));

/**
 * Starts Node-RED on `userDir` with `flow` deployed.
 * `port`: serves the editor on 127.0.0.1; absent, nothing listens. `onLog` gets each log line of Node-RED.
 * Answers the runtime, `RED`, when its flows have started, and `stop`, which ends it.
 */
export const startNodeRed = async ({ userDir, flow, port, onLog }) => {
  await linkPackage(userDir);
  await writeFile(path.join(userDir, 'flows.json'), JSON.stringify(flow, null, 2));
  const RED = require('node-red');
  const server = port === undefined ? undefined : createServer();
  RED.init(server, settingsFor({ userDir, port, onLog }));
  if (server) {
    const app = require(require.resolve('express', { paths: [require.resolve('node-red')] }))();
    server.on('request', app);
    app.use('/', RED.httpAdmin);
    app.use('/', RED.httpNode);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  const started = once(RED.events, 'flows:started');
  await RED.start();
  await started;
  const stop = async () => {
    await RED.stop();
    server?.closeAllConnections();
    server?.close();
  };
  return { RED, stop };
};

const settingsFor = ({ userDir, port, onLog }) => ({
  userDir,
  uiHost: '127.0.0.1',
  uiPort: port,
  flowFile: 'flows.json',
  credentialSecret: 'checkout',
  httpAdminRoot: port === undefined ? false : '/',
  httpNodeRoot: port === undefined ? false : '/',
  disableEditor: port === undefined,
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, projects: { enabled: false }, palette: { catalogues: [] } },
  externalModules: { autoInstall: false, palette: { allowInstall: false }, modules: { allowInstall: false } },
  logging: {
    console: { level: 'off' },
    lines: { level: 'info', metrics: false, audit: false, handler: () => (entry) => onLog?.(entry) },
  },
});

// Installs the checkout in the user directory by a link, so that Node-RED finds nodes and examples where a user has them.
const linkPackage = async (userDir) => {
  const scope = path.join(userDir, 'node_modules', '@model-processing');
  await mkdir(scope, { recursive: true });
  await symlink(ROOT, path.join(scope, 'node-red'), 'junction').catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const manifest = {
    name: 'node-red-user-directory',
    private: true,
    dependencies: { '@model-processing/node-red': '*' },
  };
  await writeFile(path.join(userDir, 'package.json'), JSON.stringify(manifest));
};
