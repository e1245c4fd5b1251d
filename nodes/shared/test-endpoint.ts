import type { NodeAPI } from 'node-red';
import { type ConnectionTestResult, type TestedService, testConnection } from './connection-test.js';
import { findServiceNode, type ServiceNode } from './find-connection.js';
import { fieldsOf } from './message-input.js';
import { checkDeployed, localWay, remoteWay } from './service-ways.js';
import { readTypedCredentials, readTypedPlace } from './typed-service.js';

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
    void testConnection(() => openTested(RED, body), gone.signal).then((result: ConnectionTestResult) => {
      if (!gone.signal.aborted) response.json(result);
    });
  });
}

function openTested(RED: NodeAPI, body: unknown): TestedService {
  const { service, id } = fieldsOf(body);
  if (service !== 'remote') {
    const { account, release, isServing } = localWay(RED);
    return { service: 'local', isRunning: isServing(), account, ...(release && { release }) };
  }
  const deployed: ServiceNode | undefined = findServiceNode(RED, id);
  const place = readTypedPlace(RED, body);
  checkDeployed(RED, place);
  const credentials = readTypedCredentials(RED, body, place, deployed?.deployed);
  const { account, tls, proxy } = remoteWay(RED, place, credentials);
  return { service: 'remote', isRunning: true, account, tls, proxy };
}
