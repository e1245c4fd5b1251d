import { FakeService } from '../../helpers/fake-service.js';
import { createFlow, createRemoteService, FlowBench, type FlowItem } from './flow-bench.js';

/** A fake service, and Node-RED with a flow that uses it. */
interface RemoteFlow {
  service: FakeService;
  bench: FlowBench;
}

/**
 * Registers hooks that start a fake service before each test, and that stop it and close Node-RED afterwards. `assign`
 * receives the service before the test, and Node-RED once it has started.
 */
export function registerRemoteFlow(assign: (opened: RemoteFlow) => void) {
  let service: FakeService;
  let bench: FlowBench;

  beforeEach(async () => {
    service = await FakeService.start();
    assign({ service, bench });
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  return {
    /** Creates a flow with this node and a service node for the fake service. */
    withService: (node: { type: string; [setting: string]: unknown }, serviceSettings: object = {}): FlowItem[] =>
      createFlow(node, { ...createRemoteService(service.account), ...serviceSettings }),
    /** Starts Node-RED with this flow. Default credentials: those of the service. */
    open: async (flow: FlowItem[], options: Parameters<typeof FlowBench.start>[1] = {}): Promise<void> => {
      bench = await FlowBench.start(flow, { credentials: { service: service.account }, ...options });
      assign({ service, bench });
    },
  };
}
