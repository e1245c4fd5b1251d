import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { linkPackages } from '../../helpers/examples/link-packages.js';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../../helpers/node-red-process.js';

const EXAMPLE = 'examples/Dashboard 2.0/Repair and view a model.json';
const MODULES = 'test/matrix/dashboard/node_modules';

/** A Node-RED that runs the dashboard example, with Dashboard from its own lock file. */
export interface DashboardSite {
  nodeRed: NodeRedProcess;
  /** A folder for the files of the test. */
  home: string;
  stop: () => Promise<void>;
}

/** Registers hooks that start a site before the tests of a suite and stop it after them. `assign` receives the site. */
export function registerDashboardSite(settings: string, assign: (site: DashboardSite) => void): void {
  let site: DashboardSite | undefined;
  before(async () => {
    site = await startDashboardSite(settings);
    assign(site);
  });
  after(() => site?.stop());
}

/**
 * Starts Node-RED with these additional lines of `settings.js`. The flow is in the user directory before, as the editor may
 * be off.
 */
async function startDashboardSite(settings: string): Promise<DashboardSite> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'dashboard-'));
  const userDir = path.join(home, 'user');
  await linkPackages(userDir, {
    '@model-processing/node-red': '.',
    '@flowfuse/node-red-dashboard': `${MODULES}/@flowfuse/node-red-dashboard`,
  });
  await copyFile(EXAMPLE, path.join(userDir, 'flows.json'));
  const nodeRed = await startNodeRedProcess(userDir, await findFreePort(), { settings });
  const stop = async () => {
    await nodeRed.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  };
  return { nodeRed, home, stop };
}
