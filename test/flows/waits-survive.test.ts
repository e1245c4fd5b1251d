import 'should';
import { killWhileWaiting } from '../soak/support/kill-while-waiting.js';
import { createRandom } from '../soak/support/random.js';

// `npm run soak` does the same ten times as often.
describe('a Node-RED that is killed while messages wait', function () {
  this.timeout(120_000);

  it('sends each of them on after its start: once, or marked as one that may have been sent before', async () => {
    const { lost, evidence, unmarked, waits } = await killWhileWaiting({
      kills: 3,
      pending: 50,
      random: createRandom(7),
    });
    waits.should.be.aboveOrEqual(50);
    // Says more than the ids would.
    evidence.should.equal('');
    lost.should.be.empty();
    unmarked.should.be.empty();
  });
});
