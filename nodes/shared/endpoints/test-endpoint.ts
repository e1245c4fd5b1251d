import type { NodeAPI } from 'node-red';
import { asRecord } from '../message/message-input.js';
import { findServiceNode, type ServiceNode } from '../service/find-connection.js';
import { assertDeployed, createLocalAccess, createRemoteAccess } from '../service/service-access.js';
import { type ConnectionTestResult, type ServiceUnderTest, testConnection } from './connection-test.js';
import { readDialogCredentials, readDialogEndpoint } from './dialog-service.js';

/** Where the dialog of the config node asks for a test, below `httpAdminRoot`. */
export const TEST_PATH = '/model-processing/test-connection';

/**
 * Lets the dialog of the config node test what stands in it. For those who may deploy: it makes this Node-RED send requests. The
 * answer is a `ConnectionTestResult` with status 200, also where the test failed.
 */
export function registerTestEndpoint(RED: NodeAPI): void {
  RED.httpAdmin.post(TEST_PATH, RED.auth.needsPermission('flows.write'), (request, response) => {
    const body: unknown = request.body;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void testConnection(() => openServiceUnderTest(RED, body), gone.signal).then((result: ConnectionTestResult) => {
      if (!gone.signal.aborted) response.json(result);
    });
  });
}

function openServiceUnderTest(RED: NodeAPI, body: unknown): ServiceUnderTest {
  const { service, id } = asRecord(body);
  if (service !== 'remote') {
    const { account, release, isServing } = createLocalAccess(RED);
    return { service: 'local', isRunning: isServing(), account, ...(release && { release }) };
  }
  const deployed: ServiceNode | undefined = findServiceNode(RED, id);
  const place = readDialogEndpoint(RED, body);
  assertDeployed(RED, place);
  const credentials = readDialogCredentials(RED, body, place, deployed?.deployed);
  const { account, tls, proxy } = createRemoteAccess(RED, place, credentials);
  return { service: 'remote', isRunning: true, account, tls, proxy };
}
