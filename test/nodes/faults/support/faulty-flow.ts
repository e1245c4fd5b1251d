import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import { registerRemoteFlow } from '../../support/remote-flow.js';

/**
 * Registers the hooks of `registerRemoteFlow`, and others that create an empty folder before each test and delete it
 * afterwards. They check that no rejection was unhandled.
 */
export function registerFaultyFlow(assign: Parameters<typeof registerRemoteFlow>[0]) {
  const folder = path.join(os.tmpdir(), `node-faults-${randomUUID()}`);
  const unhandledRejections: unknown[] = [];
  const recordRejection = (error: unknown) => unhandledRejections.push(error);

  beforeEach(() => {
    mkdirSync(folder);
    unhandledRejections.length = 0;
    process.prependListener('unhandledRejection', recordRejection);
  });
  const { open, withService: flow } = registerRemoteFlow(assign);
  afterEach(() => {
    process.off('unhandledRejection', recordRejection);
    rmSync(folder, { recursive: true });
    unhandledRejections.should.be.empty();
  });

  return {
    folder,
    flow,
    /** Starts Node-RED with this node and a service node for the fake service. */
    open: (node: Parameters<typeof flow>[0]): Promise<void> => open(flow(node)),
    openFlow: open,
  };
}
