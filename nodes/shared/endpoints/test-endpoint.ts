import type { NodeAPI } from 'node-red';
import { asRecord } from '../message/message-input.js';
import { findServiceNode, type ServiceNode } from '../service/find-connection.js';
import { assertDeployed, createLocalAccess, createRemoteAccess } from '../service/service-access.js';
import { type ConnectionTestResult, type ServiceUnderTest, testConnection } from './connection-test.js';
import { readDialogCredentials, readDialogEndpoint } from './dialog-service.js';

/** The route of the connection test, below `httpAdminRoot`. */
export const TEST_PATH = '/model-processing/test-connection';

/**
 * Registers the endpoint that tests the connection in the dialog of a config node. It needs the permission to deploy,
 * because Node-RED sends requests to the given address. The reply is a `ConnectionTestResult` with status 200, also if
 * the test failed.
 */
export function registerTestEndpoint(RED: NodeAPI): void {
  RED.httpAdmin.post(TEST_PATH, RED.auth.needsPermission('flows.write'), (request, response) => {
    const body: unknown = request.body;
    const disconnection = new AbortController();
    response.once('close', () => disconnection.abort());
    void testConnection(() => openServiceUnderTest(RED, body), disconnection.signal).then(
      (result: ConnectionTestResult) => {
        if (!disconnection.signal.aborted) response.json(result);
      },
    );
  });
}

function openServiceUnderTest(RED: NodeAPI, body: unknown): ServiceUnderTest {
  const { service, id } = asRecord(body);
  if (service !== 'remote') {
    const { account, release, isServing } = createLocalAccess(RED);
    return { service: 'local', isRunning: isServing(), account, ...(release && { release }) };
  }
  const deployed: ServiceNode | undefined = findServiceNode(RED, id);
  const endpoint = readDialogEndpoint(RED, body);
  assertDeployed(RED, endpoint);
  const credentials = readDialogCredentials(RED, body, endpoint, deployed?.deployed);
  const { account, tls, proxy, proxyOptions } = createRemoteAccess(RED, endpoint, credentials);
  return { service: 'remote', isRunning: true, account, tls, proxy, proxyOptions };
}
