import { createTokenSource } from '../../../../src/client/index.js';
import { InstantClock } from '../../../helpers/instant-clock.js';
import { all, type Subject, type TestEnvironment } from './call-of.js';

function tokenSourceOf({ service, limits }: TestEnvironment) {
  const clock = new InstantClock();
  return { clock, source: createTokenSource(service.account, { limits, ...clock, now: () => clock.time }) };
}

/** Requests a token for three concurrent callers, after a pause. */
export function tokenByPassword(environment: TestEnvironment): Subject {
  const { source } = tokenSourceOf(environment);
  source.pause(10);
  return {
    run: (signal) => all([source.token({ signal }), source.token({ signal }), source.token()]),
    close: () => source.close(),
  };
}

/** Requests a token with the refresh token of an earlier one. */
export async function tokenByRefresh(environment: TestEnvironment): Promise<Subject> {
  const { source } = tokenSourceOf(environment);
  const staleToken = await source.token();
  return { run: (signal) => source.token({ signal, staleToken }), close: () => source.close() };
}

/** Requests tokens until the one before has been renewed in the background. */
export async function tokenInBackground(environment: TestEnvironment): Promise<Subject> {
  const { source, clock } = tokenSourceOf(environment);
  const previous = await source.token();
  // The last two minutes of 900 s, in which the renewal runs in the background.
  clock.time += 800_000;
  const untilRenewed = async (signal: AbortSignal) => {
    for (let count = 0; count < 200 && (await source.token({ signal })) === previous; count += 1) await clock.sleep(0);
  };
  return { run: untilRenewed, close: () => source.close() };
}
