// Starts the Node-RED of this checkout inside this process, with the built package as its only additional nodes.
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

export const ROOT = path.resolve(fileURLToPath(import.meta.url), '../..');
export const EXAMPLE_FLOW = path.join(ROOT, 'examples', 'Repair a model.json');

/** Returns the nodes of a flow file as Node-RED stores them. */
export async function readFlow(file = EXAMPLE_FLOW) {
  return JSON.parse(await readFile(file, 'utf8'));
}

/**
 * Starts Node-RED on `userDir` with `flow` deployed. With `port`, serves the editor on 127.0.0.1; without, nothing
 * listens. `onLog` receives each log entry of Node-RED. Resolves once the flows have started, with the runtime `RED`
 * and `stop`.
 */
export async function startNodeRed({ userDir, flow, port, onLog }) {
  await linkPackage(userDir);
  await writeFile(path.join(userDir, 'flows.json'), JSON.stringify(flow, null, 2));
  const RED = require('node-red');
  const server = port === undefined ? undefined : createServer();
  RED.init(server, createSettings({ userDir, port, onLog }));
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
}

function createSettings({ userDir, port, onLog }) {
  return {
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
  };
}

// Links the checkout into the user directory, so that Node-RED finds nodes and examples where users have them.
async function linkPackage(userDir) {
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
}
