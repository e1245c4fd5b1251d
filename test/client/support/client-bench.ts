import { type Client, type ClientOptions, createClient, createTokenSource } from '../../../src/client/index.js';
import { FakeService } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

/** A fake service, and a client of its account with an instant clock. */
export interface ClientBench {
  service: FakeService;
  clock: InstantClock;
  client: Client;
}

/** The functions that replace the client of a bench. The new one has an instant clock, unless its options have one. */
interface ClientReplacement {
  reopen: (options: Partial<ClientOptions>) => Promise<void>;
  /** Also gets a token first, so that short timeouts in the options apply only to the calls of the test. */
  reopenWithToken: (options: Partial<ClientOptions>) => Promise<void>;
}

/**
 * A timeout for tests in which one part of the service hangs and other parts work: longer than a busy machine holds up
 * a process.
 */
export const HANG_TIMEOUT_MS = 2_000;

/**
 * Registers hooks that open a bench before each test and close it afterwards. `assign` receives the bench, again after
 * each replacement of the client. `createOptions` returns further options for all clients.
 */
export function registerClientBench(
  assign: (bench: ClientBench) => void,
  createOptions: () => Partial<ClientOptions> = () => ({}),
): ClientReplacement {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  let closeTokens: () => void;

  const open = (options: Partial<ClientOptions>): void => {
    client = createClient({ account: service.account, ...clock, ...createOptions(), ...options });
    assign({ service, clock, client });
  };
  const reopen = async (options: Partial<ClientOptions>): Promise<void> => {
    await client.close();
    open(options);
  };

  beforeEach(async () => {
    service = await FakeService.start();
    clock = new InstantClock();
    closeTokens = () => undefined;
    open({});
  });
  afterEach(async () => {
    await client.close();
    closeTokens();
    await service.stop();
  });

  return {
    reopen,
    reopenWithToken: async (options) => {
      const tokens = createTokenSource(service.account, clock);
      closeTokens = () => tokens.close();
      await tokens.token();
      await reopen({ tokenSource: () => tokens, ...options });
    },
  };
}
