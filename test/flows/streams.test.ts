import 'should';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { eventually } from '../helpers/processes.js';
import { STREAM_NODES } from '../soak/support/stream-nodes.js';
import { WaitingNodeRed } from '../soak/support/waiting-node-red.js';

const UPLOAD = /operation\/file$/;

describe('streams in Node-RED', () => {
  let service: FakeService;
  let nodeRed: WaitingNodeRed;

  const countLines = (pattern: RegExp) => nodeRed.log().match(pattern)?.length ?? 0;
  const countRefusals = () => countLines(/Cloned stream: msg\.file\.data\./g);
  /** Sends streams that never provide data to all slots of the service node. */
  const stallAllTransfers = async () => {
    for (let count = 0; count < 6; count += 1) await nodeRed.post('/stream', { isStalled: true });
    await eventually('their clones are refused', () => countRefusals() === 6);
  };
  const upload = async () => {
    const earlier = nodeRed.arrivals().length;
    await nodeRed.post('/stream', {});
    await eventually('a stream is uploaded', () => nodeRed.arrivals().length === earlier + 1);
  };

  beforeEach(async () => {
    service = await FakeService.start();
    nodeRed = new WaitingNodeRed(service, STREAM_NODES);
    await nodeRed.start();
  });
  afterEach(async () => {
    await nodeRed.remove();
    await service.stop();
  });

  it('upload on one of two wires; the other gets an error with the remedy', async () => {
    await upload();
    await eventually('the clone is refused', () => countRefusals() === 1);
    nodeRed.log().should.match(/Pass a path or a Buffer instead/);
    should(service.requests.find(({ path }) => UPLOAD.test(path))?.bodyBytes).be.above(1000);
    service.count('POST', UPLOAD).should.equal(1);
  });

  it('leave no transfer after msg.reset', async () => {
    await stallAllTransfers();
    await nodeRed.post('/reset', {});
    await upload();
  });

  it('leave no transfer after a redeploy, and do not delay it', async () => {
    await stallAllTransfers();
    await nodeRed.redeploy();
    await upload();
    countLines(/Close timed out/g).should.equal(0);
  });

  it('do not delay the end of Node-RED, which names them in the log', async () => {
    await stallAllTransfers();
    await nodeRed.stop();
    countLines(/Discarded the upload of part\.stl: a stream cannot be read again/g).should.equal(4);
    countLines(/Interrupted, to be repeated .*: upload of part\.stl, upload of part\.stl/g).should.equal(1);
    countLines(/Close timed out/g).should.equal(0);
  });
});
